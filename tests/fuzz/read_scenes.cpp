#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/run/scene_fingerprint.h"
#include "io/scene/scene.h"
#include "io/scene/scene_edit.h"
#include "io/shot/input/vertex_weights.h"
#include "io/shot/material.h"
#include "io/shot/shot.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/parts.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/small_shot.h"

namespace keydrape::fuzz {
namespace {

constexpr int kListedVertices = 4;
// What is larger takes longer than a run may, and is as large in every part.
constexpr int kMostSteps = 200;

bool is_small(const Scene& scene) {
  const std::int64_t frames = std::int64_t{scene.shot.frames.last} - scene.shot.frames.first + 1;
  return frames * scene.shot.substeps <= kMostSteps;
}

}  // namespace

void run_weights(std::string_view bytes) {
  const auto file = input_folder().write("a.txt", bytes);
  expect_answer([&] {
    const VecX weights = read_vertex_weights(file, kListedVertices).values;
    expect(weights.size() == kListedVertices && (weights.array() >= 0).all() && (weights.array() <= 1).all(),
           "weights that are none");
  });
}

void run_curve(std::string_view bytes) {
  const auto file = input_folder().write("a.csv", bytes);
  for (const CurveOf quantity : {CurveOf::kStrain, CurveOf::kShearAngle})
    expect_answer([&] {
      const std::vector<CurvePoint> points = read_curve(file, quantity);
      expect(points.size() >= 2, "a curve without two points");
      const MeasuredCurve measured = measured_curve(points);
      const double work = measured.stiffness * measured.curve.value(points.back().c);
      expect(measured.stiffness > 0.0 && std::isfinite(measured.stiffness) && std::isfinite(work),
             "a fabric that is none");
    });
}

void run_scene(std::string_view bytes) {
  static const bool files_are_there = [] {
    for (const char* name : {"rest.obj", "start.obj", "key.obj", "pins.pc2", "map.txt", "velocity.npy"})
      input_folder().write(name, "");
    input_folder().write("body.vdb", "");
    return true;
  }();
  expect(files_are_there, "");
  const auto file = input_folder().write("scene.toml", bytes);
  expect_answer([&] {
    const Scene scene = read_scene(file);
    scene_fingerprint(scene);
    edited_scene(file, {});
  });
}

void run_shot(std::string_view bytes) {
  static std::vector<std::string> others;  // files that the run before has put in place of ours
  for (const std::string& name : others) write_small_file(name);
  others.clear();
  for (const Part& part : parts_of(bytes)) {
    if (!is_small_file(part.name)) continue;
    input_folder().write(part.name, part.bytes);
    others.emplace_back(part.name);
  }
  expect_answer([&] {
    const Scene scene = read_scene(input_folder() / "shot.toml");
    if (is_small(scene)) open_shot(scene);
  });
}

}  // namespace keydrape::fuzz
