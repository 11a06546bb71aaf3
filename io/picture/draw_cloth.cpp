#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "io/picture/picture.h"

namespace keydrape {
namespace {

constexpr int kSamples = 3;         // along each side of a pixel
constexpr int kDirections = 16;     // that are tried for a view
constexpr double kFromAbove = 0.3;  // over the horizontal distance
constexpr double kMargin = 1.12;

constexpr Colour kPaper = {246, 246, 244};
constexpr Colour kRim = {213, 94, 0};  // Okabe and Ito's vermilion

Vec3 vertex(const VecX& positions, int v) { return positions.segment<3>(3 * static_cast<Eigen::Index>(v)); }

// A point in samples from the upper left, and its distance towards the viewer [m].
struct Projection {
  const View& view;
  int width, height;  // [samples]

  Vec3 operator()(const Vec3& x) const {
    const Vec3 from = x - view.middle;
    const double scale = width / view.width;
    return {0.5 * width + scale * from.dot(view.right), 0.5 * height - scale * from.dot(view.up),
            from.dot(view.towards)};
  }
};

View look_from(double angle, const Vec3& up) {
  const Vec3 side = up.y() > 0.5 ? Vec3(1, 0, 0) : Vec3(0, -1, 0);
  const Vec3 front = up.cross(side);
  View view;
  view.towards = (std::cos(angle) * side + std::sin(angle) * front + kFromAbove * up).normalized();
  view.right = up.cross(view.towards).normalized();
  view.up = view.towards.cross(view.right);
  return view;
}

double seen_area(const View& view, const std::vector<SeenCloth>& cloths) {
  double area = 0;
  for (const auto& [x, triangles] : cloths)
    for (const Triangle& t : triangles)
      area += std::abs(
          (vertex(x, t[1]) - vertex(x, t[0])).cross(vertex(x, t[2]) - vertex(x, t[0])).dot(view.towards));
  return area;
}

std::uint8_t channel(double value) { return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)); }

Colour lit(const Vec3& normal, const View& view) {
  const bool is_front = normal.dot(view.towards) >= 0;
  const Vec3 light = (view.towards + 0.6 * view.up - 0.5 * view.right).normalized();
  const double shade = 0.35 + 0.65 * std::max(0.0, (is_front ? normal : Vec3(-normal)).dot(light));
  return is_front ? Colour{channel(225 * shade), channel(214 * shade), channel(196 * shade)}
                  : Colour{channel(150 * shade), channel(168 * shade), channel(196 * shade)};
}

double edge(const Vec3& a, const Vec3& b, double x, double y) {
  return (b.x() - a.x()) * (y - a.y()) - (b.y() - a.y()) * (x - a.x());
}

// Samples of a picture, with the distance of what each shows.
class Canvas {
 public:
  Canvas(int width, int height)
      : picture_(width, height, kPaper),
        nearest_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                 -std::numeric_limits<double>::infinity()) {}

  void fill(const Vec3& a, const Vec3& b, const Vec3& c, Colour colour);
  void line(const Vec3& a, const Vec3& b, Colour colour);
  Picture shrunk() const;

 private:
  Picture picture_;
  std::vector<double> nearest_;
};

void Canvas::fill(const Vec3& a, const Vec3& b, const Vec3& c, Colour colour) {
  const double area = edge(a, b, c.x(), c.y());
  if (area == 0.0 || !std::isfinite(area)) return;
  const auto first = [](double least) { return static_cast<int>(std::max(0.0, std::floor(least))); };
  const int left = first(std::min({a.x(), b.x(), c.x()})), top = first(std::min({a.y(), b.y(), c.y()}));
  const double right = std::min(std::max({a.x(), b.x(), c.x()}), picture_.width() - 1.0);
  const double bottom = std::min(std::max({a.y(), b.y(), c.y()}), picture_.height() - 1.0);
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      const double u = edge(b, c, x, y) / area, v = edge(c, a, x, y) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      double& nearest = nearest_[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width()) +
                                 static_cast<std::size_t>(x)];
      const double depth = u * a.z() + v * b.z() + w * c.z();
      if (depth <= nearest) continue;
      nearest = depth;
      picture_.set(x, y, colour);
    }
}

void Canvas::line(const Vec3& a, const Vec3& b, Colour colour) {
  const double length = std::max(std::abs(b.x() - a.x()), std::abs(b.y() - a.y()));
  const int steps = static_cast<int>(std::min(length, 1e4)) + 1;
  for (int k = 0; k <= steps; ++k) {
    const Vec3 at = a + (b - a) * (static_cast<double>(k) / steps);
    for (int dot = 0; dot < kSamples * kSamples; ++dot)
      picture_.set(static_cast<int>(at.x()) + dot % kSamples, static_cast<int>(at.y()) + dot / kSamples,
                   colour);
  }
}

Picture Canvas::shrunk() const {
  Picture small(picture_.width() / kSamples, picture_.height() / kSamples, kPaper);
  for (int y = 0; y < small.height(); ++y)
    for (int x = 0; x < small.width(); ++x) {
      std::array<int, 3> sum{};
      for (int k = 0; k < kSamples * kSamples; ++k)
        for (std::size_t c = 0; c < 3; ++c)
          sum[c] += picture_.at(kSamples * x + k % kSamples, kSamples * y + k / kSamples)[c];
      Colour mean;
      for (std::size_t c = 0; c < 3; ++c) mean[c] = static_cast<std::uint8_t>(sum[c] / (kSamples * kSamples));
      small.set(x, y, mean);
    }
  return small;
}

}  // namespace

View view_of(const std::vector<SeenCloth>& cloths, const Vec3& up, int picture_width, int picture_height) {
  assert(!cloths.empty());
  View best = look_from(0, up);
  double most = -1;
  for (int k = 0; k < kDirections; ++k) {
    const View view = look_from(2 * std::numbers::pi * (k + 0.5) / kDirections, up);
    const double area = seen_area(view, cloths);
    if (area > most * (1 + 1e-9)) best = view, most = area;
  }
  Mat3 axes;
  axes << best.right.transpose(), best.up.transpose(), best.towards.transpose();
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const auto& [x, triangles] : cloths)
    for (int v = 0; v < static_cast<int>(x.size() / 3); ++v) {
      const Vec3 at = axes * vertex(x, v);
      low = low.cwiseMin(at);
      high = high.cwiseMax(at);
    }
  best.middle = axes.transpose() * (0.5 * (low + high));
  const Vec3 size = high - low;
  best.width = kMargin * std::max({size.x(), size.y() * picture_width / picture_height, 1e-9});
  return best;
}

Picture draw_cloth(const VecX& positions, const std::vector<Triangle>& triangles, const VecX& target,
                   const View& view, int width, int height) {
  Canvas canvas(kSamples * width, kSamples * height);
  const Projection project{view, kSamples * width, kSamples * height};
  std::map<std::pair<int, int>, int> edges;  // and how many triangles each has
  for (const Triangle& t : triangles) {
    const Vec3 a = vertex(positions, t[0]), b = vertex(positions, t[1]), c = vertex(positions, t[2]);
    canvas.fill(project(a), project(b), project(c), lit((b - a).cross(c - a).normalized(), view));
    for (std::size_t k = 0; k < 3; ++k) ++edges[std::minmax({t[k], t[(k + 1) % 3]})];
  }
  for (const auto& [ends, count] : edges)
    if (count == 1 && target.size() == positions.size())
      canvas.line(project(vertex(target, ends.first)), project(vertex(target, ends.second)), kRim);
  return canvas.shrunk();
}

}  // namespace keydrape
