#include <pybind11/pybind11.h>
#include <tbb/global_control.h>

#include <memory>

#include "core/base/error.h"
#include "core/linear/library_threads.h"
#include "io/python/bindings/bind.h"

namespace {

void set_threads(int count) {
  if (count < 1) throw keydrape::InputError("set_threads: expected 1 or more");
  static std::unique_ptr<tbb::global_control> limit;  // of the process, as TBB's threads are
  limit.reset();
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(count));
}

}  // namespace

PYBIND11_MODULE(_keydrape, module) {
  using namespace keydrape::python;
  keydrape::limit_library_threads();  // else results would depend on the number of cores
  module.attr("__version__") = KEYDRAPE_VERSION;
  bind_errors(module);
  bind_task(module);
  bind_scene(module);
  bind_trajectory(module);
  bind_rollout(module);
  bind_step(module);
  bind_result(module);
  bind_search(module);
  bind_folder(module);
  bind_check(module);
  module.def("set_threads", &set_threads, pybind11::arg("count"));
}
