#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "io/python/bindings/bind.h"
#include "io/python/bindings/built_task.h"
#include "io/shot/shot.h"

namespace keydrape::python {
namespace {

namespace py = pybind11;

std::shared_ptr<BuiltTask> open(const Scene& scene) {
  const py::gil_scoped_release released;
  Shot shot = open_shot(scene);
  return std::make_shared<BuiltTask>(BuiltTask{std::move(shot.prepared), std::move(shot.options),
                                               shot.clock.frames.first, std::move(shot.warnings)});
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<Scene>(module, "Scene")
      .def(py::init([](const std::filesystem::path& path) { return read_scene(path); }), py::arg("path"))
      .def_static("from_text", &parse_scene, py::arg("text"), py::arg("name"))
      .def_property_readonly("name", [](const Scene& scene) { return scene.shot.name; })
      .def("open", &open);
}

}  // namespace keydrape::python
