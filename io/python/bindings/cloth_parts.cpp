#include "io/python/bindings/cloth_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/mesh/topology.h"

namespace keydrape::python {

TriangleMesh read_mesh(const Part& task) {
  TriangleMesh mesh;
  const VecX vertices = rows_of_three(task.field("vertices"), "vertices", -1, "one row a vertex [m]");
  const int n = static_cast<int>(vertices.size() / 3);
  for (int i = 0; i < n; ++i) mesh.positions.push_back(vertices.segment<3>(3 * i));
  const DoubleArray rows = doubles(task.field("triangles"), "triangles", {-1, 3}, "three vertices each");
  const std::vector<int> corners = indices(py::object(rows.attr("ravel")()), "triangles", n);
  for (std::size_t t = 0; t < corners.size(); t += 3)
    mesh.triangles.push_back({corners[t], corners[t + 1], corners[t + 2]});
  if (const auto defect = find_mesh_defect(mesh, build_topology(mesh.triangles, n)))
    throw InputError("vertices, triangles: " + *defect);
  return mesh;
}

Material read_fabric(const Part& fabric) {
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
  if (fabric.has("stretch")) {
    const VecX stretch = numbers(fabric.field("stretch"), fabric.name_of("stretch"), 2, "warp and weft");
    if (stretch.minCoeff() <= 0.0)
      throw InputError(fmt::format("{}: found {}; expected numbers above 0", fabric.name_of("stretch"),
                                   stretch.minCoeff()));
    m.k_warp = stretch(0), m.k_weft = stretch(1);
  }
  return m;
}

Wind::Shared read_wind(const Part& wind) {
  using Range = Part::Range;
  return {Animated<Vec3>(wind.vector("velocity")), wind.number("air_density", Range::kNotNegative),
          wind.number("drag", Range::kNotNegative), wind.number("lift", Range::kNotNegative)};
}

namespace {

// Samples of the motion, one a frame, in the order of the vertices named.
std::vector<VecX> pin_samples(const Part& pin, const std::vector<int>& vertices, const VecX& start) {
  const int m = static_cast<int>(vertices.size());
  if (!pin.has("positions")) {
    VecX held(3 * m);
    for (int k = 0; k < m; ++k) held.segment<3>(3 * k) = start.segment<3>(3 * vertices[k]);
    return {held};
  }
  const py::object positions = pin.field("positions");
  const std::string name = pin.name_of("positions");
  const py::array any = py::array::ensure(positions);
  if (!any) PyErr_Clear();
  if (!any || any.ndim() != 3) return {rows_of_three(positions, name, m, "one row a pinned vertex [m]")};
  const DoubleArray path = doubles(positions, name, {-1, m, 3}, "for each frame one row a pinned vertex [m]");
  if (path.shape(0) == 0) throw InputError(name + ": found no frame; expected one or more");
  std::vector<VecX> samples;
  for (py::ssize_t f = 0; f < path.shape(0); ++f)
    samples.push_back(Eigen::Map<const VecX>(path.data() + 3 * m * f, 3 * m));
  return samples;
}

}  // namespace

void add_pin(const Part& pin, const VecX& start, double fps, ClothDescription& cloth) {
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
  MotionTrack motion{{}, 1.0 / fps};
  for (const VecX& sample : pin_samples(pin, named, start)) {
    VecX& sorted = motion.samples.emplace_back(sample.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      sorted.segment<3>(3 * static_cast<Eigen::Index>(k)) = sample.segment<3>(3 * order[k]);
  }
  const double damping = pin.number("damping", Part::Range::kNotNegative);
  if (const auto stiffness = pin.optional_number("stiffness", Part::Range::kPositive)) {
    SoftPin soft;
    soft.weights.assign(vertices.size(), 1.0);
    soft.vertices = std::move(vertices);
    soft.motion = std::move(motion);
    soft.stiffness = *stiffness;
    soft.damping = damping;
    cloth.soft_pins.push_back(std::move(soft));
    return;
  }
  if (damping > 0.0)
    throw InputError(pin.name_of("damping") +
                     ": has no effect on a hard pin; expected a stiffness beside it");
  cloth.pins.push_back({std::move(vertices), std::move(motion)});
}

}  // namespace keydrape::python
