#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "io/formats/read_cache.h"
#include "io/python/bindings/arrays.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/built_task.h"
#include "io/shot/shot.h"

namespace keydrape::python {
namespace {

namespace py = pybind11;

std::shared_ptr<BuiltTask> open(const Scene& scene) {
  const py::gil_scoped_release released;
  return built_task(scene, open_shot(scene));
}

// Vertices [m] and triangles of a mesh of any format that is read; of a cache its first frame.
py::tuple read_mesh(const std::filesystem::path& path, std::optional<double> meters_per_unit) {
  if (meters_per_unit && !(std::isfinite(*meters_per_unit) && *meters_per_unit > 0.0))
    throw InputError(
        fmt::format("meters_per_unit: found {}; expected a finite number above 0, such as 0.01 for a mesh in "
                    "centimetres, or None",
                    *meters_per_unit));
  MeshCache cache;
  {
    const py::gil_scoped_release released;
    cache = read_cache(path, {.meters_per_unit = meters_per_unit});
  }
  const std::vector<Triangle>& triangles = cache.header.mesh.triangles;
  if (triangles.empty())
    throw InputError(path.string() + ": found points without triangles; expected a mesh, such as an .obj");
  py::array_t<int> corners({static_cast<py::ssize_t>(triangles.size()), py::ssize_t{3}});
  auto to = corners.mutable_unchecked<2>();
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) to(static_cast<py::ssize_t>(t), c) = triangles[t][c];
  return py::make_tuple(owning_view_of(cache.header.space.meters_per_unit * cache.frames.front().positions),
                        corners);
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<Scene>(module, "Scene")
      .def(py::init([](const std::filesystem::path& path) { return read_scene(path); }), py::arg("path"))
      .def_static("from_text", &parse_scene, py::arg("text"), py::arg("name"))
      .def_property_readonly("name", [](const Scene& scene) { return scene.shot.name; })
      .def_property_readonly("folder", [](const Scene& scene) { return scene.output.dir; })
      .def("open", &open);
  module.def("read_mesh", &read_mesh, py::arg("path"), py::arg("meters_per_unit") = py::none());
}

}  // namespace keydrape::python
