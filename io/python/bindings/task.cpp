#include <fmt/format.h>
#include <pybind11/stl.h>

#include "core/base/error.h"
#include "core/mesh/topology.h"
#include "io/python/bindings/bind.h"
#include "io/python/bindings/built_task.h"
#include "io/python/bindings/channel_values.h"
#include "io/python/bindings/cloth_parts.h"
#include "io/python/bindings/control_parts.h"
#include "io/python/bindings/in_time.h"
#include "io/python/bindings/start.h"
#include "io/shot/control.h"
#include "io/shot/pins.h"

namespace keydrape::python {
namespace {

using Range = Part::Range;

constexpr double kStrongest = 1e9;  // pressure [Pa]

std::vector<Part> parts(const Part& task, const char* key) {
  std::vector<Part> list;
  const py::object value = task.field(key);
  if (!py::isinstance<py::sequence>(value)) throw InputError(fmt::format("{}: expected a list", key));
  for (const py::handle& element : value)
    list.emplace_back(py::reinterpret_borrow<py::object>(element), fmt::format("{}[{}]", key, list.size()));
  return list;
}

Target read_target(const Part& part, const Task& task, int number) {
  const int n = task.vertex_count(), frame = part.whole("frame", 1);
  if (frame > task.grid.interval_count)
    throw InputError(
        fmt::format("{}: found {}; expected 1 to {}, the last frame; frames count from 0, the "
                    "start; give the task more frames",
                    part.name_of("frame"), frame, task.grid.interval_count));
  Target target;
  target.number = number;
  Keyframe& keyframe = target.keyframe;
  keyframe.state = frame * task.grid.substeps;
  if (part.has("until")) {
    const int until = part.whole("until", frame + 1);
    if (until > task.grid.interval_count)
      throw InputError(fmt::format("{}: found {}; expected at most {}, the last frame", part.name_of("until"),
                                   until, task.grid.interval_count));
    for (int f = frame; f <= until; ++f) keyframe.candidates.push_back(f * task.grid.substeps);
  }
  keyframe.target =
      rows_of_three(part.field("positions"), part.name_of("positions"), n, "one row a vertex [m]");
  keyframe.vertex_weight = VecX::Ones(n);
  if (part.has("weights"))
    keyframe.vertex_weight = numbers(part.field("weights"), part.name_of("weights"), n, "one a vertex");
  Eigen::Index least = 0;
  if (const double found = keyframe.vertex_weight.minCoeff(&least); found < 0.0)
    throw InputError(fmt::format("{}[{}]: found {}; expected numbers of 0 or more", part.name_of("weights"),
                                 least, found));
  if (keyframe.vertex_weight.maxCoeff() == 0.0)
    throw InputError(part.name_of("weights") + ": found zeros alone; expected one above 0");
  keyframe.weight = part.number("weight", Range::kNotNegative);
  keyframe.velocity_weight = part.number("velocity_weight", Range::kNotNegative);
  for (const char* key : {"velocities", "velocity_tolerance"})
    if (part.has(key) && keyframe.velocity_weight == 0.0)
      throw InputError(part.name_of(key) +
                       ": has no effect with a velocity_weight of 0; expected one above 0 beside it; give "
                       "velocity_weight=1, or leave this out");
  if (part.has("velocities"))
    keyframe.target_velocity =
        rows_of_three(part.field("velocities"), part.name_of("velocities"), n, "one row a vertex [m/s]");
  else
    keyframe.target_velocity = VecX::Zero(3 * n);
  target.tolerance = part.optional_number("tolerance", Range::kPositive);
  target.tolerance_max = part.optional_number("tolerance_max", Range::kPositive);
  if (target.tolerance && target.tolerance_max && *target.tolerance_max < *target.tolerance)
    throw InputError(
        fmt::format("{}: found {}; expected {}, as tolerance is, or more: no mean is above the largest",
                    part.name_of("tolerance_max"), *target.tolerance_max, *target.tolerance));
  target.velocity_tolerance = part.optional_number("velocity_tolerance", Range::kPositive);
  return target;
}

ShotClock clock_of(const StepGrid& grid) {
  return {{0, grid.interval_count}, grid.intervals_per_second, grid.substeps};
}

VecX read_pose(const py::object& value, const TriangleMesh& rest) {
  const int n = rest.vertex_count();
  VecX x = rows_of_three(value, "start", n, "one row a vertex [m]");
  TriangleMesh posed = rest;
  for (int i = 0; i < n; ++i) posed.positions[i] = x.segment<3>(3 * i);
  if (const auto defect = find_mesh_defect(posed, build_topology(posed.triangles, n)))
    throw InputError("start: " + *defect);
  return x;
}

// The step lets the first of two pins win (StepConstraints), and the other would be without a word.
void refuse_pins_apart(const std::vector<CountedPin>& pins, const ShotClock& clock,
                       const ClothDescription& cloth) {
  const double size = bounding_box_diagonal(cloth.mesh.positions);
  for (std::size_t j = 1; j < pins.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (pins[i].first != PinKind::kHard || pins[j].first != PinKind::kHard) continue;
      const auto found = find_disagreement(cloth.pins[pins[i].second], cloth.pins[pins[j].second],
                                           clock.frames, clock, size);
      if (found)
        throw InputError(
            fmt::format("pins[{}]: found vertex {} at frame {} at another place than pins[{}] holds it at; "
                        "expected one place; leave it out of one of them, or give one a stiffness",
                        j, found->vertex, found->frame, i));
    }
}

std::vector<CountedPin> add_pins(const Part& part, const VecX& start, const ShotClock& clock,
                                 ClothDescription& cloth) {
  std::vector<CountedPin> pins;
  for (const Part& pin : parts(part, "pins")) {
    const std::size_t soft = cloth.soft_pins.size();
    add_pin(pin, start, clock, cloth);
    if (cloth.soft_pins.size() > soft)
      pins.emplace_back(PinKind::kSoft, static_cast<int>(soft));
    else
      pins.emplace_back(PinKind::kHard, static_cast<int>(cloth.pins.size()) - 1);
  }
  refuse_pins_apart(pins, clock, cloth);
  return pins;
}

// The cloth with everything that belongs to it, and how its pins are counted.
std::vector<CountedPin> read_cloth(const Part& part, Task& task) {
  ClothDescription& cloth = task.cloth;
  cloth.mesh = read_mesh(part);
  const int n = task.vertex_count();
  cloth.model =
      one_of<ClothModel>(part, "model", {{"sheet", ClothModel::kSheet}, {"springs", ClothModel::kSprings}});
  cloth.material = read_fabric(Part(part.field("fabric"), "fabric"), cloth.model);
  const ShotClock clock = clock_of(task.grid);
  cloth.gravity = vectors_in_time(part.field("gravity"), "gravity", clock);
  if (part.has("wind")) cloth.wind = read_wind(Part(part.field("wind"), "wind"), clock);
  const Animated<double> pressure =
      numbers_in_time(part.field("pressure"), "pressure", clock, -kStrongest, kStrongest);
  if (!pressure.is_constant() || pressure.at(0.0) != 0.0) cloth.pressure = Pressure::Shared{pressure};
  if (part.has("moving_frame")) {
    const Part frame(part.field("moving_frame"), "moving_frame");
    cloth.frame = read_moving_frame(frame, clock);
    const Animated<double>& air = cloth.frame->air;
    if (!cloth.wind && !(air.is_constant() && air.at(0.0) == 1.0))
      frame.refuse_without_effect("air", "with a wind");
  }
  task.start = {stacked(cloth.mesh.positions), VecX::Zero(3 * n)};
  if (part.has("start")) task.start.x = read_pose(part.field("start"), cloth.mesh);
  if (part.has("start_velocities"))
    task.start.v =
        rows_of_three(part.field("start_velocities"), "start_velocities", n, "one row a vertex [m/s]");
  const std::vector<CountedPin> pins = add_pins(part, task.start.x, clock, cloth);
  if (part.has("contact")) read_contact(Part(part.field("contact"), "contact"), clock, cloth);
  for (const Part& spring : parts(part, "springs")) add_springs(spring, task.start.x, cloth);
  for (const Part& crease : parts(part, "creases"))
    cloth.creases.push_back(read_crease(crease, clock, cloth.mesh));
  if (!cloth.creases.empty() && cloth.material.bend == 0.0 && cloth.material.bend_hysteresis == 0.0)
    part.refuse_without_effect("creases", "with a fabric whose bend is above 0: without it no fold is kept");
  for (const Part& body : parts(part, "colliders")) add_body(body, clock, cloth);
  if (part.has("contact")) refuse_idle_contact(Part(part.field("contact"), "contact"), cloth);
  return pins;
}

void settle_start(const Part& part, Task& task) {
  const bool drapes = part.flag("drape");
  SimulatorOptions options = task.simulator;
  options.dt = task.grid.dt();
  const py::gil_scoped_release released;
  refuse_start(task.cloth, task.start.x);
  if (!drapes) return;
  task.drape = drape_options(options);
  task.start.x = draped(task.cloth, task.start.x, *task.drape);
}

// Parts of the task that are searched one after the other.
std::vector<IntervalRange> read_windows(const Part& part, const Task& task) {
  if (!part.has("windows")) return {};
  const VecX pair = numbers(part.field("windows"), "windows", 2, "length and overlap in frames");
  constexpr double kLongest = 1e6;
  if (pair != VecX(pair.array().floor()) || pair(1) < 1.0 || pair(0) <= pair(1) || pair(0) > kLongest)
    throw InputError(
        fmt::format("windows: found ({}, {}); expected whole numbers of frames, an overlap of 1 or "
                    "more and a length above it, of 1,000,000 at most",
                    pair(0), pair(1)));
  if (part.has("knots_every") || !task.channels.empty())
    throw InputError("windows: not together with knots_every or channels; leave one of them out");
  scene::Control control;
  control.windows = scene::Windows{static_cast<int>(pair(0)), static_cast<int>(pair(1)), {}};
  const FrameRange frames{0, task.grid.interval_count};
  std::vector<IntervalRange> windows;
  for (const FrameRange& window : control_windows(control, frames))
    windows.push_back(intervals_of(window, frames));
  return windows;
}

// How its steps are taken.
void read_steps(const Part& part, Task& task) {
  task.simulator.method = one_of<StepMethod>(part, "integrator",
                                             {{"newton", StepMethod::kConverged},
                                              {"bdf2", StepMethod::kBdf2},
                                              {"prefactored", StepMethod::kPrefactored},
                                              {"predictor", StepMethod::kPredictor},
                                              {"descent", StepMethod::kDescent},
                                              {"explicit", StepMethod::kExplicit}});
  task.simulator.rounds = part.optional_whole("rounds", 1);
  if (task.simulator.rounds && task.simulator.method != StepMethod::kPrefactored &&
      task.simulator.method != StepMethod::kDescent)
    throw InputError(
        "rounds: found a number, which has no effect; expected it only with integrator "
        "\"prefactored\" or \"descent\"");
  task.simulator.rounds_memory = part.whole("rounds_memory", 0);
  if (task.simulator.rounds_memory > 0 && task.simulator.method != StepMethod::kPrefactored)
    throw InputError(
        "rounds_memory: found a number, which has no effect; expected it only with integrator "
        "\"prefactored\"");
  task.simulator.scheme = one_of<ExplicitScheme>(part, "scheme",
                                                 {{"symplectic", ExplicitScheme::kSymplectic},
                                                  {"verlet", ExplicitScheme::kVerlet},
                                                  {"midpoint", ExplicitScheme::kMidpoint},
                                                  {"rk4", ExplicitScheme::kRungeKutta4},
                                                  {"euler", ExplicitScheme::kEuler}});
  if (task.simulator.scheme != ExplicitScheme::kSymplectic && task.simulator.method != StepMethod::kExplicit)
    throw InputError("scheme: found \"" + part.word("scheme") +
                     "\", which has no effect; expected it only with integrator \"explicit\"");
  if (task.simulator.method == StepMethod::kExplicit && task.cloth.frame)
    throw InputError(
        "moving_frame: its jolts fall between the moments of explicit steps; take another integrator");
  task.simulator.newton.tolerance = part.number("newton_tolerance", Range::kPositive);
  if (task.simulator.newton.tolerance != NewtonOptions().tolerance &&
      task.simulator.method == StepMethod::kExplicit)
    part.refuse_without_effect("newton_tolerance", "with an integrator other than \"explicit\"");
  task.simulator.newton.max_iterations = part.whole("max_newton_iterations", 1);
}

std::shared_ptr<BuiltTask> make_task(const py::object& fields) {
  const Part part(fields, "task");
  Task task;
  task.grid.interval_count = part.whole("frames", 1);
  task.grid.intervals_per_second = part.number("fps", Range::kPositive);
  task.grid.substeps = part.whole("substeps", 1);
  if (std::int64_t{task.grid.interval_count} * task.grid.substeps > kMaxSteps)
    throw InputError(
        fmt::format("frames: found {} of {} substeps; expected at most {} time steps; split the shot",
                    task.grid.interval_count, task.grid.substeps, kMaxSteps));
  const auto pins = read_cloth(part, task);
  read_steps(part, task);
  settle_start(part, task);
  task.pushing = read_pushing(part, task.vertex_count(), clock_of(task.grid));
  task.effort = read_effort(part);
  for (const Part& keyframe : parts(part, "keyframes"))
    task.targets.push_back(read_target(keyframe, task, static_cast<int>(task.targets.size())));
  for (const Part& channel : parts(part, "channels"))
    task.channels.push_back(read_channel(channel, task, pins));
  if (task.pushing.vertices.empty() && task.channels.empty())
    throw InputError("forces: found False without channels; expected one or the other");
  SearchOptions options;
  options.method = one_of<SearchMethod>(part, "method",
                                        {{"gauss-newton", SearchMethod::kGaussNewton},
                                         {"l-bfgs", SearchMethod::kLbfgs},
                                         {"descent", SearchMethod::kDescent}});
  options.start =
      one_of<SearchStart>(part, "begin", {{"guided", SearchStart::kGuided}, {"zero", SearchStart::kFree}});
  if (task.pushing.vertices.empty()) options.start = SearchStart::kFree;  // nothing that could steer
  options.max_forward_runs = part.optional_whole("max_forward_simulations", 1);
  options.windows = read_windows(part, task);
  if (options.windows.empty()) push_until_last_target(task);
  options.memory_bytes = 1e9 * part.number("memory_gb", Range::kPositive);
  const py::gil_scoped_release released;
  return std::make_shared<BuiltTask>(BuiltTask{prepare(std::move(task)), std::move(options)});
}

// Kinds, and how many numbers, of a task's channels.
std::vector<std::pair<std::string, int>> channel_sizes(const BuiltTask& task) {
  std::vector<std::pair<std::string, int>> sizes;
  if (const Channels* channels = task.prepared.channels.get())
    for (std::size_t k = 0; k < channels->list().size(); ++k)
      sizes.emplace_back(channel_kind(task, k), channels->list()[k]->size());
  return sizes;
}

}  // namespace

void bind_task(py::module_& module) {
  py::class_<BuiltTask, std::shared_ptr<BuiltTask>>(module, "BuiltTask")
      .def_property_readonly("vertex_count", [](const BuiltTask& task) { return task.task().vertex_count(); })
      .def_property_readonly("step_count",
                             [](const BuiltTask& task) { return task.task().grid.step_count(); })
      .def_property_readonly("substeps", [](const BuiltTask& task) { return task.task().grid.substeps; })
      .def_property_readonly("dt", [](const BuiltTask& task) { return task.task().grid.dt(); })
      .def_readonly("first_frame", &BuiltTask::first_frame)
      .def_readonly("warnings", &BuiltTask::warnings)
      .def_property_readonly("channel_sizes", &channel_sizes)
      .def_property_readonly("masses",
                             [](const py::object& self) {
                               const VecX& m = self.cast<const BuiltTask&>().prepared.model->vertex_mass();
                               py::array_t<double> view(m.size(), m.data(), self);
                               view.attr("setflags")(py::arg("write") = false);
                               return view;
                             })
      .def_property_readonly("rest", [](const BuiltTask& task) {
        return owning_view_of(stacked(task.task().cloth.mesh.positions));
      });
  module.def("make_task", &make_task, py::arg("fields"));
}

}  // namespace keydrape::python
