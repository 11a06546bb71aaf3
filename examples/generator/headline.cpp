#include "examples/generator/headline.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <numbers>

#include "examples/generator/bend.h"
#include "examples/generator/restore_lengths.h"
#include "examples/generator/write_shape.h"
#include "io/file/file.h"

namespace keydrape::examples {

namespace {

using std::numbers::pi;

constexpr int kFirstFrame = 1001;
constexpr double kDegree = pi / 180;
constexpr double kCurveLength = 1.6;  // [m] more than the sheet's diagonal

// Of the sheet with lines of vertices from the upper edge down, each from left to right.
std::vector<Vec3> flat_sheet(int points_per_side) {
  const double cell = 1.0 / (points_per_side - 1);
  std::vector<Vec3> positions;
  for (int line = 0; line < points_per_side; ++line)
    for (int point = 0; point < points_per_side; ++point)
      positions.emplace_back(cell * point, -cell * line, 0);
  return positions;
}

constexpr double kStartSwing = 30 * kDegree;

// Turned about its upper edge, forwards.
Vec3 swung(const Vec3& p, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {p.x(), c * p.y() + s * p.z(), -s * p.y() + c * p.z()};
}

// A pose: the sheet bent along a curve with leaning rulings, and swung about its upper edge, which stays
// straight and where it is.
struct Pose {
  const char* name;
  double swing;  // [rad] forwards
  double lean;   // [rad]
  double (*tangent_angle)(double s);
};

const Pose kPoses[] = {
    {"billowing", 18 * kDegree, 12 * kDegree,
     [](double s) { return ease(s, 0, 0.3) * 0.75 * std::sin(2 * pi * s / 0.65); }},
    {"thrown_back", -28 * kDegree, -14 * kDegree, [](double s) { return 1.3 * ease(s, 0, 0.9); }},
    {"hooked", 12 * kDegree, 32 * kDegree,
     [](double s) {
       // The curvature never decreases: the curve meets itself nowhere.
       constexpr double kRadius = 0.2, kTightening = 0.6;
       return s < kTightening ? s * s / (2 * kRadius * kTightening) : (s - kTightening / 2) / kRadius;
     }},
};

std::vector<Vec3> shape_of(const Pose& pose, const Sheet& sheet, const std::vector<Vec3>& flat) {
  // Down, along the edge, out of the plane: what Bend calls its axes. The whole upper edge is before
  // the first ruling.
  const Bend bend(pose.tangent_angle, pose.lean, std::max(0.0, std::sin(pose.lean)), kCurveLength);
  std::vector<Vec3> shape;
  for (const Vec3& p : flat) {
    const Vec3 bent = bend({-p.y(), p.x(), 0});
    shape.push_back(swung({bent.y(), -bent.x(), bent.z()}, pose.swing));
  }
  return restore_lengths(shape, edges(sheet, flat), {.pinned_count = sheet.point_count});
}

std::string scene_text(const HeadlineSize& size, HeadlineHold hold) {
  const int corner = size.points_per_side - 1;
  std::string text = fmt::format(
      "# The published headline: {0} x {0} vertices that hang by two corners, {1} time steps, three "
      "poses.\n\n"
      "[shot]\nname = \"headline\"\nframes = \"{2}-{3}\"\nfps = 24\nsubsteps = {4}\n\n"
      "[cloth]\nrest = \"sheet.obj\"\ninitial = \"start.obj\"\n\n"
      "[cloth.material]\npreset = \"denim\"          # a heavy canvas, as the flag's\ndensity = 0.42\n"
      "stretch = [2200, 1400]\nshear = 60\nbend = 1.5e-3\ndamping = 0.01\n\n"
      "[[pin]]\nvertices = [0, {5}]\n",
      size.points_per_side, size.frame_count * size.substeps, kFirstFrame, kFirstFrame + size.frame_count,
      size.substeps, corner);
  int k = 0;
  for (const Pose& pose : kPoses)
    text += fmt::format("\n[[keyframe]]\nframe = {}\nmesh = \"{}.obj\"\ntolerance = 0.00125\n",
                        kFirstFrame + ++k * size.frame_count / 3, pose.name);
  return text + fmt::format("\n[control]\nhold = \"{}\"\n", hold == HeadlineHold::kStep ? "step" : "frame");
}

}  // namespace

void write_headline(const std::filesystem::path& folder, const HeadlineSize& size, HeadlineHold hold) {
  assert(size.points_per_side > 1 && size.frame_count % 3 == 0);
  std::filesystem::create_directories(folder);
  const Sheet sheet{.line_count = size.points_per_side, .point_count = size.points_per_side, .closed = false};
  const std::vector<Vec3> flat = flat_sheet(size.points_per_side);
  TriangleMesh rest;
  rest.positions = flat;
  rest.triangles = triangles(sheet);
  write_rounded(folder / "sheet.obj", rest);
  TriangleMesh start = rest;
  for (Vec3& p : start.positions) p = swung(p, kStartSwing);
  write_rounded(folder / "start.obj", start);
  const std::vector<Vec3> upper_edge(flat.begin(), flat.begin() + sheet.point_count);
  for (const Pose& pose : kPoses)
    write_keyframe(
        folder / fmt::format("{}.obj", pose.name),
        {.sheet = sheet, .rest = flat, .pinned = upper_edge, .shape = shape_of(pose, sheet, flat)});
  write_file_atomically(folder / "scene.toml", scene_text(size, hold));
}

}  // namespace keydrape::examples
