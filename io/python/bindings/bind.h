#pragma once

#include <pybind11/pybind11.h>

// What each file adds to the module. They are called in this order: later ones name types of earlier ones.

namespace keydrape::python {

void bind_errors(pybind11::module_& module);
void bind_task(pybind11::module_& module);
void bind_scene(pybind11::module_& module);
void bind_trajectory(pybind11::module_& module);
void bind_rollout(pybind11::module_& module);
void bind_step(pybind11::module_& module);
void bind_result(pybind11::module_& module);
void bind_search(pybind11::module_& module);
void bind_folder(pybind11::module_& module);
void bind_check(pybind11::module_& module);

}  // namespace keydrape::python
