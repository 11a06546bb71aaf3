#include "core/contact/points/collider_contact.h"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contact/carried_share.h"

namespace keydrape {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A step may close this share of a point's gap, and no more: the barrier never gets to infinity
// within an iteration.
constexpr double kClosing = 0.9;
constexpr int kMaxAdvances = 1000;
// Points that the body has caught all the same are lifted to this share of the activation, if they lie no
// deeper than this many travels.
constexpr double kLifted = 0.1, kDeepest = 2.0;
constexpr int kMaxLifts = 20;  // passes over the points: neighbours share vertices

constexpr double kMaxPieces = 256;  // of a body's motion within a step

BoundingBox region_of(const VecX& x) {
  BoundingBox region;
  for (Eigen::Index i = 0; i < x.size(); i += 3) region.add(x.segment<3>(i));
  return region;
}

class ContactStep final : public EnergyStep, public Tensions, public Limit {
 public:
  ContactStep(const CollidingCloth& cloth, const std::vector<PointPatch>& patches, const PointSlots& slots,
              const StepStart& start)
      : cloth_(cloth),
        patches_(patches),
        slots_(slots),
        start_(start),
        pose_(cloth.collider->at(start.time)),
        bounds_(reach(pose_)),
        held_(cloth.held_at(start.time)),
        room_(cloth.points, patches, pose_, cloth.law.range(), start.x) {}

  double value(const VecX& y) const override {
    return tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(0, patch_count(), kPatchesPerTask), 0.0,
        [&](const auto& r, double sum) {
          for (int k = r.begin(); k < r.end() && sum < kInfinity; ++k)
            room_.for_each_near(k, y, [&](int i, const Vec3& p) {
              if (!may_touch(i, p)) return;
              const double phi = pose_.distance(p);
              if (phi <= law().barrier.thickness && !law().is_penalty)
                sum = kInfinity;
              else if (phi < law().range())
                sum += law().at(phi, point(i).area).value;
            });
          return sum;
        },
        std::plus<>());
  }

  void add_gradient(const VecX& y, VecX& gradient) const override {
    for (const auto& [i, s] : contacts(y)) {
      const Vec3 force = law().at(s.distance, point(i).area).d1 * s.gradient;
      for (int c = 0; c < point(i).count; ++c)
        gradient.segment<3>(3 * point(i).vertices[c]) += point(i).weights(c) * force;
    }
  }

  void add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const override {
    for (const auto& [i, s] : contacts(y)) {
      const ContactLaw::Numbers w = law().at(s.distance, point(i).area);
      const double sigma = form.tension.empty() ? w.d1 : form.tension[i];
      const Mat3 K = w.d2 * s.gradient * s.gradient.transpose() + sigma * s.hessian;
      slots_.add_upper(i, point(i), K, H);
    }
  }

  const Tensions* tensions() const override { return this; }
  const Limit* limit() const override { return law().is_penalty ? nullptr : this; }

  // The tension of a point is dW/dphi. It is steep, so that a linear prediction would miss it: the tension at
  // y + dy.
  void at(const VecX& y, std::span<double> tension) const override {
    std::fill(tension.begin(), tension.end(), 0.0);
    for (const auto& [i, s] : contacts(y)) tension[i] = law().at(s.distance, point(i).area).d1;
  }
  void predict(const VecX& y, const VecX& dy, std::span<double> tension) const override {
    at(y + dy, tension);
  }
  void project(const VecX&, std::span<double> tension) const override {
    std::fill(tension.begin(), tension.end(), 0.0);
  }

  // Conservative advancement: each ball is free of the body.
  double step_bound(const VecX& y, const VecX& dy, double enough) const override {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(0, patch_count(), kPatchesPerTask), enough,
        [&](const auto& r, double bound) {
          for (int k = r.begin(); k < r.end(); ++k)
            room_.for_each_near_on_way(k, y, dy, [&](int i, const Vec3& p, const Vec3& d) {
              if (CollidingCloth::is_free(point(i), held_)) bound = std::min(bound, free_share(p, d, bound));
            });
          return bound;
        },
        [](double a, double b) { return std::min(a, b); });
  }

  // (B2), piece after piece: each so short that cloth which is to go along is where the body's
  // motion is known.
  void leave(VecX& y, int pieces) const override {
    if (cloth_.collider->is_static()) return;
    const double begin = start_.time_before(1);
    const double travel = cloth_.collider->travel_bound(begin, start_.time, region_of(y));
    if (travel == 0.0) return;
    const double room = cloth_.collider->carry_range() - law().barrier.range();
    if (room > 0.0)
      pieces =
          std::max(pieces, static_cast<int>(std::ceil(std::min(kLeftTravels * travel / room, kMaxPieces))));
    const double length = start_.dt / pieces;
    for (int k = 0; k < pieces; ++k)
      go_along(begin + k * length, k + 1 < pieces ? begin + (k + 1) * length : start_.time, y);
  }

  int count_violations(const VecX& y) const override {
    int count = 0;
    for (int k = 0; k < patch_count(); ++k)
      room_.for_each_near(k, y, [&](int i, const Vec3& p) {
        if (CollidingCloth::is_free(point(i), held_) && !(pose_.distance(p) > law().barrier.thickness))
          ++count;
      });
    return count;
  }

  // Points that are far from the body for all it moves are left out; those that were in it at the start have
  // been held there. A body that stands still may be met by cloth that another carries.
  int count_met(const VecX& y) const override {
    const double begin = start_.time_before(1);
    BoundingBox region = region_of(start_.x);
    const BoundingBox end = region_of(y);
    region.add(end.low), region.add(end.high);
    const double travel = cloth_.collider->travel_bound(begin, start_.time, region);
    const ColliderPose before = cloth_.collider->at(begin);
    std::vector<Vec3> from, to;
    for (const PointPatch& patch : patches_) {
      const SamplePoint& any = point(patch.first);
      if (!CollidingCloth::is_free(any, held_)) continue;
      const auto [ball, reach] = free_ball(any, before, 0.0, start_.x);
      if (ball.radius > reach + travel + longest_way(any, y)) continue;
      for (int i = patch.first; i < patch.end; ++i) {
        const Vec3 x = point(i).position(start_.x), there = point(i).position(y);
        const double radius = before.free_radius(x, 0.0);
        if (radius == 0.0 || radius > travel + (there - x).norm()) continue;
        from.push_back(x);
        to.push_back(there);
      }
    }
    return from.empty() ? 0 : cloth_.collider->count_met(begin, start_.time, from, to);
  }

 private:
  const ContactLaw& law() const { return cloth_.law; }
  int point_count() const { return static_cast<int>(cloth_.points.size()); }
  int patch_count() const { return static_cast<int>(patches_.size()); }
  const SamplePoint& point(int i) const { return cloth_.points[i]; }

  // Of a point's vertices, from the start of the step to y [m].
  double longest_way(const SamplePoint& p, const VecX& y) const {
    double longest = 0.0;
    for (int c = 0; c < p.count; ++c)
      longest = std::max(longest,
                         (y.segment<3>(3 * p.vertices[c]) - start_.x.segment<3>(3 * p.vertices[c])).norm());
    return longest;
  }

  // Where the barrier of a body in this pose can be.
  BoundingBox reach(const ColliderPose& pose) const {
    BoundingBox box = pose.bounds();
    box.low.array() -= law().barrier.range();
    box.high.array() += law().barrier.range();
    return box;
  }

  // Takes points that the body would come near from t0 to t1 along with it.
  void go_along(double t0, double t1, VecX& y) const {
    const double travel = cloth_.collider->travel_bound(t0, t1, region_of(y));
    if (travel == 0.0) return;
    const ColliderPose before = cloth_.collider->at(t0);
    const double range = law().barrier.range();
    std::vector<double> share(y.size() / 3, 0.0);  // of the body's motion, by vertex
    for (const SamplePoint& p : cloth_.points) {
      const double phi = before.distance(p.position(y));
      const double w = share_carried(phi - range, travel);
      for (int c = 0; c < p.count; ++c) share[p.vertices[c]] = std::max(share[p.vertices[c]], w);
    }
    for (size_t i = 0; i < share.size(); ++i) {
      if (share[i] == 0.0) continue;
      auto p = y.segment<3>(3 * static_cast<Eigen::Index>(i));
      const Vec3 x = p;
      p += share[i] * (cloth_.collider->carry(t0, t1, x).position - x);
    }
    const ColliderPose after = cloth_.collider->at(t1);
    const BoundingBox near = reach(after);
    for (int pass = 0; pass < kMaxLifts && lift_out(after, near, kDeepest * travel, y); ++pass) {
    }
  }

  bool may_touch(int i, const Vec3& p) const { return may_touch(i, p, bounds_); }
  bool may_touch(int i, const Vec3& p, const BoundingBox& near) const {
    return (p.array() >= near.low.array()).all() && (p.array() <= near.high.array()).all() &&
           CollidingCloth::is_free(point(i), held_);
  }

  // Moves points within the thickness out along the body's normal. They went with the nearest point of a
  // surface that bends or turns there, and of which a level set is only near. Returns whether any was.
  bool lift_out(const ColliderPose& pose, const BoundingBox& near, double deepest, VecX& y) const {
    const double xi = law().barrier.thickness, level = xi + kLifted * law().barrier.activation;
    bool any = false;
    for (int i = 0; i < point_count(); ++i) {
      const SamplePoint& p = point(i);
      const Vec3 x = p.position(y);
      if (!may_touch(i, x, near)) continue;
      const double phi = pose.distance(x);
      if (phi > xi || xi - phi > deepest) continue;
      const Vec3 g = pose.sample(x).gradient;
      const Vec3 way = (level - phi) / (g.squaredNorm() * p.weights.squaredNorm()) * g;
      for (int c = 0; c < p.count; ++c) y.segment<3>(3 * p.vertices[c]) += p.weights(c) * way;
      any = true;
    }
    return any;
  }

  struct PointContact {
    int point;
    DistanceSample sample;
  };
  // Every point within the barrier's range, in their order.
  std::vector<PointContact> contacts(const VecX& y) const {
    const int tasks = (patch_count() + kPatchesPerTask - 1) / kPatchesPerTask;
    std::vector<std::vector<PointContact>> found(tasks);
    tbb::parallel_for(0, tasks, [&](int task) {
      for (int k = task * kPatchesPerTask; k < std::min(patch_count(), (task + 1) * kPatchesPerTask); ++k)
        room_.for_each_near(k, y, [&](int i, const Vec3& p) {
          if (may_touch(i, p) && pose_.distance(p) < law().range())
            found[task].push_back({i, pose_.sample(p)});
        });
    });
    std::vector<PointContact> all;
    for (const std::vector<PointContact>& of_task : found)
      all.insert(all.end(), of_task.begin(), of_task.end());
    return all;
  }

  // The share of the way from p to p + d, at most `enough`, on which the gap stays above a tenth of what it
  // is at p, or of what the barrier reaches: further off, a level set knows no ball that is free to a level.
  double free_share(const Vec3& p, const Vec3& d, double enough) const {
    const double length = d.norm();
    if (length == 0.0) return enough;
    const double xi = law().barrier.thickness;
    const double level = xi + (1 - kClosing) * std::min(pose_.distance(p) - xi, law().barrier.activation);
    double t = 0.0;
    for (int k = 0; k < kMaxAdvances && t < enough; ++k) {
      const double radius = pose_.free_radius(p + t * d, level);
      if (!(radius > 0.0)) break;
      t += radius / length;
    }
    return std::min(t, enough);
  }

  const CollidingCloth& cloth_;
  const std::vector<PointPatch>& patches_;
  const PointSlots& slots_;
  StepStart start_;
  ColliderPose pose_;
  BoundingBox bounds_;  // beyond them nothing is in contact
  std::vector<char> held_;
  PointRoom room_;  // beyond the barrier's range
};

}  // namespace

std::unique_ptr<EnergyStep> ColliderContact::begin_step(const StepStart& start) const {
  return std::make_unique<ContactStep>(*cloth_, patches_, slots_, start);
}

}  // namespace keydrape
