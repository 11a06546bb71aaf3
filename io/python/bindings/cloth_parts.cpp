#include "io/python/bindings/cloth_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <tuple>

#include "core/base/error.h"
#include "core/mesh/topology.h"
#include "io/python/bindings/in_time.h"

namespace keydrape::python {

TriangleMesh read_mesh(const Part& task) {
  TriangleMesh mesh;
  const VecX vertices = rows_of_three(task.field("vertices"), "vertices", -1, "one row a vertex [m]");
  const int n = static_cast<int>(vertices.size() / 3);
  if (n == 0) throw InputError("vertices: found none; expected those of a mesh");
  for (int i = 0; i < n; ++i) mesh.positions.push_back(vertices.segment<3>(3 * i));
  const std::vector<int> corners = indices(task.field("triangles"), "triangles", n, 3);
  for (std::size_t t = 0; t < corners.size(); t += 3)
    mesh.triangles.push_back({corners[t], corners[t + 1], corners[t + 2]});
  if (const auto defect = find_mesh_defect(mesh, build_topology(mesh.triangles, n)))
    throw InputError("vertices, triangles: " + *defect);
  return mesh;
}

namespace {

// compression: a number, or "buckling" as the presets have it, with which fold_length goes.
void read_compression(const Part& fabric, Material& m) {
  using Range = Part::Range;
  m.compression.fold_length = fabric.optional_number("fold_length", Range::kPositive);
  if (py::isinstance<py::str>(fabric.field("compression"))) {
    if (const std::string word = fabric.word("compression"); word != "buckling" || m.bend == 0.0)
      throw InputError(
          fmt::format("{}: found \"{}\"{}; expected \"buckling\", of a fabric with bend, or a number, "
                      "above 0 and 1 at most",
                      fabric.name_of("compression"), word, m.bend == 0.0 ? " with a bend of 0" : ""));
    m.compression.law = Compression::Law::kBuckling;
  } else if (const auto factor = fabric.optional_number("compression", Range::kPositive)) {
    if (*factor > 1.0)
      throw InputError(fmt::format("{}: found {:g}; expected a number above 0 and 1 at most, or \"buckling\"",
                                   fabric.name_of("compression"), *factor));
    if (m.compression.fold_length)
      throw InputError(
          fmt::format("{}: found {:g}, which has no effect; expected it only with compression = \"buckling\"",
                      fabric.name_of("fold_length"), *m.compression.fold_length));
    m.compression = Compression::softer(*factor);
  }
  if (m.compression.fold_length && m.bend == 0.0)
    throw InputError(
        fmt::format("{}: found {:g} with a bend of 0, of which no fold bears a load; give the fabric a bend "
                    "above 0, or leave it out",
                    fabric.name_of("fold_length"), *m.compression.fold_length));
}

// Springs along edges have one stiffness, pulled as pushed.
void refuse_of_sheets(const Part& fabric) {
  for (const char* key : {"shear", "compression", "fold_length"})
    if (fabric.has(key)) fabric.refuse_without_effect(key, "with model = \"sheet\"");
}

}  // namespace

Material read_fabric(const Part& fabric, ClothModel model) {
  using Range = Part::Range;
  const std::string preset = fabric.word("preset");
  std::optional<Material> found = find_material_preset(preset);
  if (!found) {
    std::string names;
    for (const MaterialPreset& known : material_presets())
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", known.name);
    throw InputError(
        fmt::format("{}: found \"{}\"; expected one of {}", fabric.name_of("preset"), preset, names));
  }
  Material m = *found;
  m.density = fabric.optional_number("density", Range::kPositive).value_or(m.density);
  m.k_shear = fabric.optional_number("shear", Range::kPositive).value_or(m.k_shear);
  m.bend = fabric.optional_number("bend", Range::kNotNegative).value_or(m.bend);
  m.damping = fabric.optional_number("damping", Range::kNotNegative).value_or(m.damping);
  m.thickness = fabric.optional_number("thickness", Range::kPositive).value_or(m.thickness);
  m.strain_limit = fabric.optional_number("strain_limit", Range::kPositive);
  m.coupling = fabric.optional_number("coupling", Range::kNotNegative).value_or(m.coupling);
  if (m.coupling > 0.99)
    throw InputError(
        fmt::format("{}: found {}; expected at most 0.99", fabric.name_of("coupling"), m.coupling));
  read_compression(fabric, m);
  if (model == ClothModel::kSprings) refuse_of_sheets(fabric);
  if (fabric.has("stretch")) {
    const VecX stretch = numbers(fabric.field("stretch"), fabric.name_of("stretch"), 2, "warp and weft");
    if (stretch.minCoeff() < kSmallestPositive)
      throw InputError(fmt::format("{}: found {}; expected numbers from {:g} to {:g}",
                                   fabric.name_of("stretch"), stretch.minCoeff(), kSmallestPositive,
                                   kLargest));
    m.k_warp = stretch(0), m.k_weft = stretch(1);
  }
  return m;
}

Wind::Shared read_wind(const Part& wind, const ShotClock& clock) {
  using Range = Part::Range;
  return {vectors_in_time(wind.field("velocity"), wind.name_of("velocity"), clock),
          wind.number("air_density", Range::kNotNegative), wind.number("drag", Range::kNotNegative),
          wind.number("lift", Range::kNotNegative)};
}

namespace {

// A constant stiffness as such, one that is given for each frame as its course of 1 N/m.
std::pair<double, Animated<double>> read_stiffness(const Part& pin, const ShotClock& clock) {
  if (dimensions(pin.field("stiffness")) == 0)
    return {pin.number("stiffness", Part::Range::kPositive), Animated<double>(1.0)};
  const std::string name = pin.name_of("stiffness");
  Animated<double> course = numbers_in_time(pin.field("stiffness"), name, clock, 0.0, kLargest);
  if (!course.is_ever_above(0.0))
    throw InputError(name + ": found zeros alone; expected one above 0, or no such pin");
  return {1.0, std::move(course)};
}

// Of the vertices named, in their order.
MotionTrack pin_motion(const Part& pin, const std::vector<int>& vertices, const VecX& start,
                       const ShotClock& clock) {
  const int m = static_cast<int>(vertices.size());
  if (pin.has("positions"))
    return points_in_time(pin.field("positions"), pin.name_of("positions"), m, clock,
                          "one row a pinned vertex [m]");
  VecX held(3 * m);
  for (int k = 0; k < m; ++k) held.segment<3>(3 * k) = start.segment<3>(3 * vertices[k]);
  return {{held}, 1.0 / clock.fps};
}

// L of each spring [m].
VecX rest_lengths(const Part& spring, const std::vector<int>& ends, const VecX& start) {
  const py::ssize_t count = static_cast<py::ssize_t>(ends.size()) / 2;
  const std::string name = spring.name_of("rest_length");
  if (!spring.has("rest_length")) {
    VecX lengths(count);
    for (py::ssize_t k = 0; k < count; ++k)
      lengths(k) = (start.segment<3>(3 * ends[2 * k]) - start.segment<3>(3 * ends[2 * k + 1])).norm();
    return lengths;
  }
  const py::object value = spring.field("rest_length");
  const bool is_one = dimensions(value) == 0;
  const VecX lengths = is_one
                           ? VecX(VecX::Constant(count, *doubles(value, name, {}, "one for all [m]").data()))
                           : numbers(value, name, count, "one a spring [m]");
  for (Eigen::Index k = 0; k < lengths.size(); ++k)
    if (!(lengths(k) >= 0.0) || !std::isfinite(lengths(k)))
      throw InputError(
          fmt::format("{}: found {} of spring {}; expected finite numbers, 0 or more", name, lengths(k), k));
  return lengths;
}

}  // namespace

void add_pin(const Part& pin, const VecX& start, const ShotClock& clock, ClothDescription& cloth) {
  const std::vector<int> named =
      indices(pin.field("vertices"), pin.name_of("vertices"), cloth.mesh.vertex_count());
  if (named.empty()) throw InputError(pin.name_of("vertices") + ": found none; expected one or more");
  std::vector<int> order(named.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return named[a] < named[b]; });
  std::vector<int> vertices;
  for (const int k : order) {
    if (!vertices.empty() && vertices.back() == named[k])
      throw InputError(
          fmt::format("{}: found {} twice; expected each once", pin.name_of("vertices"), named[k]));
    vertices.push_back(named[k]);
  }
  MotionTrack motion = pin_motion(pin, named, start, clock);
  for (VecX& sample : motion.samples) {
    VecX sorted(sample.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      sorted.segment<3>(3 * static_cast<Eigen::Index>(k)) = sample.segment<3>(3 * order[k]);
    sample = std::move(sorted);
  }
  const double damping = pin.number("damping", Part::Range::kNotNegative);
  if (pin.has("stiffness")) {
    SoftPin soft;
    soft.weights.assign(vertices.size(), 1.0);
    soft.vertices = std::move(vertices);
    soft.motion = std::move(motion);
    std::tie(soft.stiffness, soft.strength) = read_stiffness(pin, clock);
    soft.damping = damping;
    cloth.soft_pins.push_back(std::move(soft));
    return;
  }
  if (damping > 0.0)
    throw InputError(pin.name_of("damping") +
                     ": has no effect on a hard pin; expected a stiffness beside it");
  cloth.pins.push_back({std::move(vertices), std::move(motion)});
}

void add_springs(const Part& spring, const VecX& start, ClothDescription& cloth) {
  const std::string name = spring.name_of("pairs");
  const std::vector<int> ends = indices(spring.field("pairs"), name, cloth.mesh.vertex_count(), 2);
  if (ends.empty()) throw InputError(name + ": found none; expected one or more");
  const double stiffness = spring.number("stiffness", Part::Range::kPositive);
  const double damping = spring.number("damping", Part::Range::kNotNegative);
  const VecX lengths = rest_lengths(spring, ends, stacked(cloth.mesh.positions));
  for (Eigen::Index k = 0; k < lengths.size(); ++k) {
    const Edge pair{ends[2 * k], ends[2 * k + 1]};
    if (pair[0] == pair[1])
      throw InputError(
          fmt::format("{}[{}]: found {} twice; expected two different vertices", name, k, pair[0]));
    if (lengths(k) > 0.0 && start.segment<3>(3 * pair[0]) == start.segment<3>(3 * pair[1]))
      throw InputError(
          fmt::format("{}[{}]: vertices {} and {} are in one place at the start, and the spring between them "
                      "is {:.3g} m long: it has no direction; move one of them, or give rest_length=0",
                      name, k, pair[0], pair[1], lengths(k)));
    cloth.springs.push_back({pair, stiffness, lengths(k), damping});
  }
}

Crease read_crease(const Part& crease, const ShotClock& clock, const TriangleMesh& mesh) {
  constexpr double kSharpest = 179 * std::numbers::pi / 180;
  const std::string name = crease.name_of("edges");
  const std::vector<int> ends = indices(crease.field("edges"), name, mesh.vertex_count(), 2);
  if (ends.empty()) throw InputError(name + ": found none; expected one or more");
  std::set<Edge> inner;
  for (const Hinge& hinge : build_topology(mesh.triangles, mesh.vertex_count()).hinges)
    inner.insert(edge_of(hinge));
  Crease made{{},
              numbers_in_time(crease.field("angle"), crease.name_of("angle"), clock, -kSharpest, kSharpest),
              crease.number("stiffness", Part::Range::kPositive)};
  for (size_t k = 0; k + 1 < ends.size(); k += 2) {
    const Edge edge{std::min(ends[k], ends[k + 1]), std::max(ends[k], ends[k + 1])};
    if (!inner.contains(edge))
      throw InputError(fmt::format("{}[{}]: found {} and {}; expected an edge with two triangles beside it",
                                   name, k / 2, ends[k], ends[k + 1]));
    made.edges.push_back(edge);
  }
  return made;
}

}  // namespace keydrape::python
