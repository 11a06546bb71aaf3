// keydrape_make_examples DIR
// keydrape_make_examples headline | headline-step | headline-small | headline-medium DIR
//
// Writes the meshes and caches that the scenes of examples/flag, examples/skirt, examples/twin,
// examples/tablecloth, examples/twist, examples/cape and examples/fabrics use into DIR/flag, DIR/skirt ..
// They are kept in the repository; this program says how they were made. Prints what it measures about each
// sculpted keyframe, and refuses (exit code 1) one that stretches the cloth, crosses itself or leaves the
// pins. The keyframes of the twin, the tablecloth and the cape are simulated, not sculpted: see
// examples/twin/make and its like.
// The second form writes the scene of the published headline (tests/bench/headline), which is not kept.

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/linear/library_threads.h"
#include "examples/generator/cape.h"
#include "examples/generator/flag.h"
#include "examples/generator/headline.h"
#include "examples/generator/sample.h"
#include "examples/generator/skirt.h"
#include "examples/generator/tablecloth.h"
#include "examples/generator/twin.h"
#include "examples/generator/twist.h"
#include "examples/generator/write_shape.h"
#include "io/file/file.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"

namespace keydrape::examples {

namespace {

constexpr double kFlagStretch = 1.05;

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

void make_fabrics(const std::filesystem::path& dir) {
  std::filesystem::create_directories(dir);
  write_rounded(dir / "sample.obj", sample_rest());
}

// None: the word names no size.
std::optional<HeadlineSize> headline_size(std::string_view word) {
  if (word == "headline" || word == "headline-step") return kHeadline;
  if (word == "headline-small") return kHeadlineTwin;
  if (word == "headline-medium") return kHeadlineMedium;
  return std::nullopt;
}

}  // namespace

}  // namespace keydrape::examples

int main(int argument_count, char** arguments) {
  using namespace keydrape::examples;
  keydrape::limit_library_threads();
  const std::string_view word = argument_count == 3 ? arguments[1] : "";
  const std::optional<HeadlineSize> size = headline_size(word);
  if (argument_count != 2 && !size) {
    fmt::print(
        stderr,
        "usage: keydrape_make_examples [headline | headline-step | headline-small | headline-medium] DIR\n");
    return 2;
  }
  try {
    const std::filesystem::path dir = arguments[argument_count - 1];
    if (size) {
      write_headline(dir, *size, word == "headline-step" ? HeadlineHold::kStep : HeadlineHold::kFrame);
      return 0;
    }
    make_flag(dir / "flag");
    make_skirt(dir / "skirt");
    make_twin(dir / "twin");
    make_tablecloth(dir / "tablecloth");
    make_twist(dir / "twist");
    make_cape(dir / "cape");
    make_fabrics(dir / "fabrics");
  } catch (const std::exception& error) {
    fmt::print(stderr, "keydrape_make_examples: {}\n", error.what());
    return 1;
  }
}
