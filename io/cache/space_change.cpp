#include "io/cache/space_change.h"

#include <cassert>

namespace keydrape {

SpaceChange::SpaceChange(const Space& from, const Space& to)
    : scale_(from.meters_per_unit == to.meters_per_unit ? 1.0 : from.meters_per_unit / to.meters_per_unit),
      turn_(from.up_axis == to.up_axis   ? Turn::kNone
            : from.up_axis == UpAxis::kY ? Turn::kYUpToZUp
                                         : Turn::kZUpToYUp) {}

Vec3 SpaceChange::turned(const Vec3& v) const {
  switch (turn_) {
    case Turn::kYUpToZUp:
      return {v.x(), -v.z(), v.y()};
    case Turn::kZUpToYUp:
      return {v.x(), v.z(), -v.y()};
    case Turn::kNone:
      break;
  }
  return v;
}

void SpaceChange::turn(VecX& vectors) const {
  if (turn_ == Turn::kNone) return;
  for (Eigen::Index i = 0; i < vectors.size(); i += 3) vectors.segment<3>(i) = turned(vectors.segment<3>(i));
}

void SpaceChange::turn_and_scale(VecX& vectors) const {
  turn(vectors);
  if (scale_ != 1.0) vectors *= scale_;
}

void SpaceChange::apply(const std::vector<FieldHeader>& fields, CacheFrame& frame) const {
  assert(fields.size() == frame.fields.size());
  turn_and_scale(frame.positions);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].components == 3) turn(frame.fields[i]);
    if (fields[i].in_space_unit && scale_ != 1.0) frame.fields[i] *= scale_;
  }
}

void change_space(MeshCache& cache, const Space& space) {
  const SpaceChange change(cache.header.space, space);
  cache.header.space = space;
  if (change.is_identity()) return;
  for (Vec3& position : cache.header.mesh.positions) position = change.scale() * change.turned(position);
  for (CacheFrame& frame : cache.frames) change.apply(cache.header.fields, frame);
}

void keep_frames(MeshCache& cache, const FrameRange& frames) {
  assert(cache.header.frames().contains(frames) && frames.count() > 0);
  const auto begin = cache.frames.begin() + (frames.first - cache.header.first_frame);
  cache.frames = std::vector<CacheFrame>(std::make_move_iterator(begin),
                                         std::make_move_iterator(begin + frames.count()));
  cache.header.first_frame = frames.first;
  cache.header.frame_count = frames.count();
}

}  // namespace keydrape
