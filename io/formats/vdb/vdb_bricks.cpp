#include "io/formats/vdb/vdb_bricks.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/FastSweeping.h>

#include <algorithm>
#include <cmath>

#include "core/contact/body/level_set/copy_bricks.h"
#include "core/contact/body/level_set/level_set.h"
#include "io/file/printable.h"
#include "io/formats/vdb/vdb_reader.h"

namespace keydrape {
namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using vdb::refuse;
using vdb::refuse_damaged;

// Differences of neighbours that a distance may show, in voxels: exactly 1 at most; files that were filtered
// or written in half precision exceed it a little.
constexpr double kMaxStep = 1.5;
// Mean of |gradient| over all voxels of the band: 1, and less for kinks. Distances in another unit, or voxels
// of another size, are off by far more than this.
constexpr double kMinMeanGradient = 0.85, kMaxMeanGradient = 1.15;

void check_type(const vdb::Reader& reader, std::size_t grid) {
  if (!reader.is_float(grid)) {
    refuse(fmt::format("grid \"{}\" is of type {}", printable(reader.names()[grid]),
                       printable(reader.type(grid))),
           "Tree_float_5_4_3", "convert it to a float level set");
  }
}

void check_class(const FloatGrid& grid) {
  if (grid.getGridClass() != openvdb::GRID_LEVEL_SET) {
    refuse(fmt::format("is of class \"{}\"", openvdb::GridBase::gridClassToString(grid.getGridClass())),
           "a level set: signed distances from a closed surface",
           "convert it, for instance by VDB from Polygons");
  }
  if (grid.tree().activeTileCount() != 0 || grid.tree().leafCount() == 0)
    refuse("has no narrow band of voxels", "a level set", "export it again");
}

// What its writer noted about the grid, where it did.
void check_statistics(const FloatGrid& grid) {
  const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
  const auto count = grid.getMetadata<openvdb::Int64Metadata>(openvdb::GridBase::META_FILE_VOXEL_COUNT);
  const auto low = grid.getMetadata<openvdb::Vec3IMetadata>(openvdb::GridBase::META_FILE_BBOX_MIN);
  const auto high = grid.getMetadata<openvdb::Vec3IMetadata>(openvdb::GridBase::META_FILE_BBOX_MAX);
  const auto active = static_cast<std::int64_t>(grid.activeVoxelCount());
  if (count && count->value() != active)
    refuse_damaged(fmt::format("it holds {} voxels of {}", active, count->value()));
  if ((low && Coord(low->value()) != box.min()) || (high && Coord(high->value()) != box.max()))
    refuse_damaged("its voxels do not fill the box that its header gives");
}

// The size of a voxel in the file's unit.
double check_transform(const openvdb::math::Transform& transform, double meters_per_unit) {
  const std::string expected = "a uniform scale along the axes and a translation";
  if (!transform.isLinear())
    refuse("has a frustum or another transform that is not linear", expected, "resample it");
  const openvdb::Mat4d m = transform.baseMap()->getAffineMap()->getMat4();
  const double h = m(0, 0);
  double worst = 0;  // off the scale, relative to it
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) worst = std::max(worst, std::abs(m(i, j) - (i == j ? h : 0.0)) / std::abs(h));
  if (!(h > 0) || !(worst < 1e-6)) refuse("is scaled unevenly, mirrored or turned", expected, "resample it");
  const double voxel = h * meters_per_unit;
  if (!(voxel >= 1e-6 && voxel <= 1e3))
    refuse(fmt::format("has voxels of {} m", voxel), "1e-6 to 1e3 m", "check the unit");
  for (const openvdb::Vec3d& p : {openvdb::Vec3d(0, 0, 0), openvdb::Vec3d(1000, 2000, -3000)}) {
    const openvdb::Vec3d world = transform.indexToWorld(p);
    constexpr double kFarAway = 1e7;  // [voxels]: beyond, single precision cannot tell voxels apart
    if (!(world.length() < kFarAway * h) || !((transform.worldToIndex(world) - p).length() < 1e-3))
      refuse_damaged("its transform contradicts itself or leads far away");
  }
  if (!((transform.voxelSize() - openvdb::Vec3d(h)).length() < 1e-6 * h))
    refuse_damaged("its transform contradicts itself");
  return h;
}

void check_distances(const FloatGrid& grid, double h) {
  const float background = grid.background();
  if (!(background >= h && background <= 1e4 * h))
    refuse(fmt::format("has a band of {} voxels", background / h), "at least 1, better 3", "export it again");
  const auto accessor = grid.getConstAccessor();
  std::size_t count = 0, negative = 0, crossings = 0;
  double gradients = 0;
  const auto where = [](const Coord& c) { return fmt::format("voxel ({}, {}, {})", c.x(), c.y(), c.z()); };
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf)
    for (auto voxel = leaf->cbeginValueAll(); voxel; ++voxel) {
      const Coord at = voxel.getCoord();
      const float value = *voxel;
      if (!std::isfinite(value)) refuse_damaged(where(at) + " is not a number");
      const bool is_active = voxel.isValueOn();
      // Files in half precision keep three digits.
      if (std::abs(value) > 1.001f * background || (!is_active && std::abs(value) < 0.999f * background))
        refuse_damaged(fmt::format("{} has the distance {} beyond the band", where(at), value));
      openvdb::Vec3d slope(0);
      for (int a = 0; a < 3; ++a) {
        float side[2];
        for (int s = 0; s < 2; ++s) {
          Coord next = at;
          next[a] += s == 0 ? -1 : 1;
          side[s] = accessor.getValue(next);
          if (!std::isfinite(side[s])) refuse_damaged(where(next) + " is not a number");
          if (!(std::abs(side[s] - value) <= kMaxStep * h)) {
            refuse(fmt::format("is no distance: between {} and {} it changes by {:.3g} voxels", where(at),
                               where(next), std::abs(side[s] - value) / h),
                   "at most 1", "export it again, renormalised and from a closed mesh");
          }
          crossings += (side[s] < 0) != (value < 0);
        }
        slope[a] = (double(side[1]) - side[0]) / (2 * h);
      }
      if (!is_active) continue;
      ++count;
      negative += value < 0;
      gradients += slope.length();
    }
  if (negative == 0 || negative == count || crossings == 0)
    refuse("has no surface: its distances do not change sign", "a level set", "export it again");
  const double mean = gradients / static_cast<double>(count);
  if (!(mean >= kMinMeanGradient && mean <= kMaxMeanGradient)) {
    refuse(fmt::format("has gradients of mean length {:.3g}", mean), "1: distances in the file's unit",
           "renormalise it, or check its voxel size");
  }
}

// Tiles and bricks that are not stored: inside and outside must not touch, and outside is all round.
void check_signs(const BrickGrid& bricks) {
  Index3 at;
  for (at[0] = 0; at[0] < bricks.size[0]; ++at[0])
    for (at[1] = 0; at[1] < bricks.size[1]; ++at[1])
      for (at[2] = 0; at[2] < bricks.size[2]; ++at[2]) {
        const std::int32_t here = bricks.entry(at);
        if (here >= 0) continue;
        for (int a = 0; a < 3; ++a)
          for (int step : {-1, 1}) {
            Index3 next = at;
            next[a] += step;
            const std::int32_t there = bricks.entry(next);
            if (there < 0 && there != here)
              refuse_damaged("inside and outside touch without a surface between");
          }
      }
}

}  // namespace

BrickGrid read_vdb_bricks(const std::filesystem::path& path, const VdbRequest& request) {
  FloatGrid::Ptr grid = vdb::read_or_refuse([&] {
    vdb::Reader reader(path);
    const std::size_t chosen = reader.find(request.grid);
    check_type(reader, chosen);
    return openvdb::gridPtrCast<FloatGrid>(reader.read(chosen));
  });
  check_class(*grid);
  check_statistics(*grid);
  const double h = check_transform(grid->transform(), request.meters_per_unit);
  check_distances(*grid, h);

  const double voxel = h * request.meters_per_unit;
  const double missing = request.band / voxel + LevelSet::kMargin - grid->background() / h;  // [voxels]
  constexpr double kMaxDilation = 1000;  // [voxels]: layer by layer, and so wide a band is a wrong unit
  if (missing > kMaxDilation) {
    refuse(fmt::format("has voxels of {} m", voxel),
           fmt::format("at least {} m for a band of {} m", request.band / kMaxDilation, request.band),
           "check the unit");
  }
  if (missing > 0) grid = openvdb::tools::dilateSdf(*grid, static_cast<int>(std::ceil(missing)));
  const openvdb::Vec3d zero = grid->indexToWorld(openvdb::Vec3d(0));
  BrickGrid bricks = copy_bricks(*grid, voxel, request.meters_per_unit * Vec3(zero.x(), zero.y(), zero.z()),
                                 request.meters_per_unit);
  check_signs(bricks);
  return bricks;
}

}  // namespace keydrape
