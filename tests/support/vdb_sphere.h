#pragma once

#include <gtest/gtest.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <string>

#include "core/base/error.h"
#include "io/formats/vdb/vdb_file.h"
#include "tests/support/temporary_folder.h"

// A sphere as a .vdb file, written by OpenVDB itself.

namespace keydrape {

using openvdb::FloatGrid;

inline constexpr double kRadius = 0.3, kVoxel = 0.02, kBand = 0.04;
inline constexpr double kSecondsAllowed = 10;

inline FloatGrid::Ptr sphere(const std::string& name = "body", float half_width = 3) {
  auto grid = openvdb::tools::createLevelSetSphere<FloatGrid>(kRadius, openvdb::Vec3f(0), kVoxel, half_width);
  grid->setName(name);
  return grid;
}

inline void write(const std::filesystem::path& path, const openvdb::GridPtrVec& grids,
                  std::uint32_t compression = openvdb::io::COMPRESS_ACTIVE_MASK) {
  openvdb::io::File file(path.string());
  file.setCompression(compression);
  file.write(grids);
  file.close();
}

class VdbFile : public testing::Test {
 protected:
  static void SetUpTestSuite() { openvdb::initialize(); }

  std::unique_ptr<const LevelSet> read(const std::string& name) const {
    return read_vdb(VdbReference::parse((folder_ / name).string()), {.band = kBand});
  }
  std::string refusal(const std::string& name) const {
    const auto start = std::chrono::steady_clock::now();
    std::string message = message_of<InputError>([&] { read(name); });
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              kSecondsAllowed + 1);
    EXPECT_TRUE(message.starts_with((folder_ / name).string().substr(0, message.find(".vdb") + 4)))
        << message;
    return message;
  }

  TemporaryFolder folder_;
};

// Largest deviation from the sphere within the band, in voxels; infinite where a sign is wrong by more
// than a voxel.
inline double deviation(const LevelSet& field) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> side(-0.5, 0.5);
  double worst = 0;
  for (int i = 0; i < 40000; ++i) {
    const Vec3 p(side(random), side(random), side(random));
    const double truth = p.norm() - kRadius, found = field.distance(p);
    if (std::abs(truth) < kBand) worst = std::max(worst, std::abs(found - truth) / kVoxel);
    if (std::abs(truth) > kVoxel && (truth < 0) != (found < 0)) return INFINITY;
  }
  return worst;
}

}  // namespace keydrape
