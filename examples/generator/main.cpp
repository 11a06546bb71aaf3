// keydrape_make_examples DIR
//
// Writes the meshes and caches that the scenes of examples/flag, examples/skirt, examples/twin,
// examples/tablecloth, examples/twist and examples/cape use into DIR/flag, DIR/skirt .. They are kept in the
// repository; this program says how they were made. Prints what it measures about each sculpted keyframe, and
// refuses (exit code 1) one that stretches the cloth, crosses itself or leaves the pins. The keyframes of the
// twin, the tablecloth and the cape are simulated, not sculpted: see examples/twin/make and its like.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "examples/generator/cape.h"
#include "examples/generator/flag.h"
#include "examples/generator/shape_check.h"
#include "examples/generator/skirt.h"
#include "examples/generator/tablecloth.h"
#include "examples/generator/twin.h"
#include "examples/generator/twist.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/obj.h"
#include "io/pc2.h"

namespace keydrape::examples {

namespace {

constexpr double kLargestStrain = 0.01;
// Files hold whole numbers of this fraction of a metre: short, and alike whatever the compiler.
constexpr double kGridsPerMeter = 1e7;
constexpr double kPinTolerance = 1e-6;  // [m]
constexpr double kFlagStretch = 1.05;

class BadShape : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void write_rounded(const std::filesystem::path& path, TriangleMesh mesh) {
  for (Vec3& x : mesh.positions) x = (x * kGridsPerMeter).array().round() / kGridsPerMeter;
  for (Vec2& uv : mesh.uvs) uv = (uv * kGridsPerMeter).array().round() / kGridsPerMeter;
  write_obj(path, mesh);
}

// Writes a keyframe, without texture coordinates: it has no use for them. Throws BadShape for one that the
// cloth cannot take on.
void write_keyframe(const std::filesystem::path& path, const SculptedShape& sculpted) {
  const ShapeCheck check = check_shape(sculpted);
  fmt::print("{}: {}\n", path.string(), describe(check));
  if (std::max(check.thread_strain, check.diagonal_strain) > kLargestStrain) {
    throw BadShape(fmt::format("{}: strained by more than {} %", path.string(), 100 * kLargestStrain));
  }
  if (check.closest_approach < kClearance) {
    throw BadShape(fmt::format("{}: layers nearer than {} m, perhaps crossing", path.string(), kClearance));
  }
  if (check.pin_error > kPinTolerance) {
    throw BadShape(fmt::format("{}: {} m away from the pins", path.string(), check.pin_error));
  }
  TriangleMesh mesh;
  mesh.positions = sculpted.shape;
  mesh.triangles = triangles(sculpted.sheet);
  write_rounded(path, mesh);
}

void make_flag(const std::filesystem::path& dir) {
  std::filesystem::create_directories(dir);
  const TriangleMesh rest = flag_rest();
  write_rounded(dir / "flag.obj", rest);
  const std::vector<Vec3> hoist(rest.positions.begin(), rest.positions.begin() + kFlagPinnedCount);
  const auto make = [&](const char* name, double fly_scale, const std::vector<Vec3>& shape) {
    write_keyframe(dir / name,
                   {.sheet = kFlagSheet, .rest = flag_flat(fly_scale), .pinned = hoist, .shape = shape});
  };
  make("billowing.1030.obj", 1, flag_billowing(1));
  make("curling.1060.obj", 1, flag_curling(1));
  fmt::print("The next two against a flag {} times as long:\n", kFlagStretch);
  make("billowing_stretched.1030.obj", kFlagStretch, flag_billowing(kFlagStretch));
  make("curling_stretched.1060.obj", kFlagStretch, flag_curling(kFlagStretch));
}

void make_skirt(const std::filesystem::path& dir) {
  constexpr int kFirstFrame = 1001, kSweepingFrame = 1024, kSettlingFrame = 1048;
  std::filesystem::create_directories(dir);
  const TriangleMesh rest = skirt_rest();
  write_rounded(dir / "skirt.obj", rest);

  Pc2Writer waistband(dir / "waistband.pc2", {.point_count = kSkirtPinnedCount, .start = kFirstFrame});
  for (int frame = kFirstFrame; frame <= kSettlingFrame; ++frame) {
    waistband.append(stacked(skirt_waistband(frame)));
  }
  waistband.commit();

  std::string weights = "# How much of a keyframe each vertex has to match; one line per vertex.\n";
  for (double weight : skirt_weights()) weights += fmt::format("{:.4g}\n", weight);
  write_file_atomically(dir / "lower_skirt.txt", weights);

  const auto make = [&](const char* name, int frame, const std::vector<Vec3>& shape) {
    write_keyframe(
        dir / name,
        {.sheet = kSkirtSheet, .rest = rest.positions, .pinned = skirt_waistband(frame), .shape = shape});
  };
  make("sweeping.1024.obj", kSweepingFrame, skirt_sweeping(kSweepingFrame));
  make("settling.1048.obj", kSettlingFrame, skirt_settling(kSettlingFrame));
}

void make_twin(const std::filesystem::path& dir) {
  std::filesystem::create_directories(dir);
  write_rounded(dir / "curtain.obj", twin_rest());
  NpyWriter forces(dir / "hidden_forces.npy", {kTwinSheet.vertex_count(), 3});
  for (const VecX& u : twin_hidden_forces()) forces.append(u);
  forces.commit();
}

void make_tablecloth(const std::filesystem::path& dir) {
  std::filesystem::create_directories(dir);
  write_rounded(dir / "table_top.obj", table_top());
  write_rounded(dir / "tablecloth.obj", tablecloth_rest());
  write_rounded(dir / "askew.obj", tablecloth_askew());
}

void make_twist(const std::filesystem::path& dir) {
  std::filesystem::create_directories(dir);
  write_rounded(dir / "towel.obj", twist_rest());
  Pc2Writer ends(dir / "ends.pc2", {.point_count = static_cast<int>(twist_ends().size()), .start = 1001});
  for (int frame = 0; frame <= kTwistFrames; ++frame) ends.append(stacked(twist_ends_at(frame)));
  ends.commit();
}

void make_cape(const std::filesystem::path& dir) {
  constexpr int kLastFrame = 24;
  std::filesystem::create_directories(dir);
  write_rounded(dir / "body.obj", cape_body());
  write_rounded(dir / "cape.obj", cape_rest());
  Pc2Writer collar(dir / "collar.pc2", {.point_count = kCapeSheet.point_count, .start = 1001});
  for (int frame = 0; frame <= kLastFrame; ++frame) collar.append(stacked(cape_collar_at(frame)));
  collar.commit();
}

}  // namespace

}  // namespace keydrape::examples

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    fmt::print(stderr, "usage: keydrape_make_examples DIR\n");
    return 2;
  }
  try {
    const std::filesystem::path dir = arguments[1];
    keydrape::examples::make_flag(dir / "flag");
    keydrape::examples::make_skirt(dir / "skirt");
    keydrape::examples::make_twin(dir / "twin");
    keydrape::examples::make_tablecloth(dir / "tablecloth");
    keydrape::examples::make_twist(dir / "twist");
    keydrape::examples::make_cape(dir / "cape");
  } catch (const std::exception& error) {
    fmt::print(stderr, "keydrape_make_examples: {}\n", error.what());
    return 1;
  }
}
