// What no run or search can be made of is refused by its name before anything is built; all else is taken.

#include "control/task/task_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "control/search/search.h"
#include "core/base/error.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

// States 1 to 6 behind the start, 9 vertices, one target.
Task checked_task() {
  Task task = test::hung_task(2, 3);
  task.effort.automatic = true;
  return task;
}

std::string refusal_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

struct TaskSlip {
  std::string message;  // as it begins
  std::function<void(Task&)> make;
};

void expect_refused(const std::vector<TaskSlip>& slips) {
  for (const auto& [message, make] : slips) {
    Task task = checked_task();
    make(task);
    SearchObserver observer;
    const std::string refused = refusal_by([&] { prepare(task); });
    EXPECT_EQ(refused.substr(0, message.size()), message) << refused;
    EXPECT_EQ(refusal_by([&] { check(SearchOptions(), task); }), refused);
    EXPECT_EQ(refusal_by([&] { search(task, {}, observer); }), refused);
  }
}

TaskSlip of_keyframe(const std::string& message, const std::function<void(Keyframe&)>& make) {
  return {"targets[0].keyframe." + message, [make](Task& task) { make(task.targets[0].keyframe); }};
}

TaskSlip of_pushing(const std::string& message, const std::function<void(Pushing&)>& make) {
  return {"pushing." + message, [make](Task& task) { make(task.pushing); }};
}

TEST(TaskCheck, RefusesAGridWithoutSteps) {
  expect_refused({
      {"grid.interval_count: found 0; expected", [](Task& task) { task.grid = {}; }},
      {"grid.substeps: found 0; expected", [](Task& task) { task.grid.substeps = 0; }},
      {"grid.intervals_per_second: found -24;", [](Task& task) { task.grid.intervals_per_second = -24.0; }},
      {"start.x: found 3 numbers; expected 27", [](Task& task) { task.start.x = VecX::Zero(3); }},
      {"grid.intervals_per_second: found inf; expected",
       [](Task& task) { task.grid.intervals_per_second = HUGE_VAL; }},
      {"grid.intervals_per_second: found 1e+300; expected 1e-30 to 1e30 steps",
       [](Task& task) { task.grid.intervals_per_second = 1e300; }},
      {"grid: found 4611686014132420609 steps from step 0 on; expected steps from 0 to 2147483647",
       [](Task& task) { task.grid.interval_count = task.grid.substeps = 2147483647; }},
      {"grid: found 6 steps from step -1 on; expected", [](Task& task) { task.grid.first_step = -1; }},
      {"start.v: found 3 numbers; expected 27", [](Task& task) { task.start.v = VecX::Zero(3); }},
      {"before.x: found 3 numbers; expected 27",
       [](Task& task) {
         task.before = task.start;
         task.before->x = VecX::Zero(3);
       }},
      {"before.v: found a number that is not",
       [](Task& task) {
         task.before = task.start;
         task.before->v[4] = std::nan("");
       }},
      {"cloth.mesh: found no vertices", [](Task& task) { task.cloth.mesh = {}; }},
  });
}

TEST(TaskCheck, RefusesStatesThatNoRunHas) {
  expect_refused({
      of_keyframe("state: found 7; expected 1 to 6", [](Keyframe& k) { k.state = 7; }),
      of_keyframe("state: found 0; expected 1 to 6", [](Keyframe& k) { k.state = 0; }),
      of_keyframe("candidates: found 7; expected 1 to 6",
                  [](Keyframe& k) {
                    k.candidates = {6, 7};
                  }),
      of_keyframe("candidates: found states that do not",
                  [](Keyframe& k) {
                    k.candidates = {6, 5};
                  }),
      of_keyframe("state: found 6, which is not among",
                  [](Keyframe& k) {
                    k.candidates = {4, 5};
                  }),
      of_keyframe("relative_to: found 6; expected 0 to 5", [](Keyframe& k) { k.relative_to = 6; }),
      of_keyframe("relative_to: found -1; expected 0 to 5", [](Keyframe& k) { k.relative_to = -1; }),
  });
}

TEST(TaskCheck, RefusesWhatCannotBeMeasured) {
  expect_refused({
      of_keyframe("target: found 3 numbers; expected 27", [](Keyframe& k) { k.target = VecX::Zero(3); }),
      of_keyframe("target: found a number that", [](Keyframe& k) { k.target[5] = std::nan(""); }),
      of_keyframe("vertex_weight: found 8 numbers;", [](Keyframe& k) { k.vertex_weight = VecX::Ones(8); }),
      of_keyframe("vertex_weight: found zeros alone", [](Keyframe& k) { k.vertex_weight.setZero(); }),
      of_keyframe("vertex_weight: found -1; expected", [](Keyframe& k) { k.vertex_weight[2] = -1.0; }),
      of_keyframe("weight: found -1; expected", [](Keyframe& k) { k.weight = -1.0; }),
      of_keyframe("target_velocity: found 0 numbers; expected 27",
                  [](Keyframe& k) { k.velocity_weight = 1.0; }),
      of_keyframe("velocity_vertex_weight: found zeros alone",
                  [](Keyframe& k) { k.velocity_vertex_weight = VecX::Zero(9); }),
      of_keyframe("directions: found 1 numbers; expected 9",
                  [](Keyframe& k) { k.directions = {Mat3::Identity()}; }),
      of_keyframe("directions: found a number that is not",
                  [](Keyframe& k) {
                    k.directions.assign(9, Mat3::Identity());
                    k.directions[3](1, 2) = HUGE_VAL;
                  }),
      of_keyframe("weight: found inf; expected", [](Keyframe& k) { k.weight = HUGE_VAL; }),
      of_keyframe("vertex_weight: found inf; expected", [](Keyframe& k) { k.vertex_weight[2] = HUGE_VAL; }),
      of_keyframe("vertex_factor: found 0.5; expected",
                  [](Keyframe& k) { k.vertex_factor = VecX::Constant(9, 0.5); }),
      of_keyframe("vertex_factor: found nan; expected",
                  [](Keyframe& k) { k.vertex_factor = VecX::Constant(9, std::nan("")); }),
  });
}

TEST(TaskCheck, RefusesTolerancesAndEffortsThatNothingMeets) {
  expect_refused({
      {"targets[0].tolerance: found 0; expected", [](Task& task) { task.targets[0].tolerance = 0.0; }},
      {"targets[0].tolerance_max: found -1e-07;", [](Task& task) { task.targets[0].tolerance_max = -1e-7; }},
      {"targets[0].velocity_tolerance: found -1;",
       [](Task& task) { task.targets[0].velocity_tolerance = -1.0; }},
      {"targets[0]: found velocity_tolerance without velocity_weight",
       [](Task& task) { task.targets[0].velocity_tolerance = 1.0; }},
      {"effort.value: found 0; expected", [](Task& task) { task.effort.value = 0.0; }},
      {"effort.value: found -1; expected",
       [](Task& task) {
         task.effort = {false, -1.0};
       }},
      {"effort.value: found inf; expected", [](Task& task) { task.effort.value = HUGE_VAL; }},
      {"effort.smooth_time: found -1;", [](Task& task) { task.effort.smooth_time = -1.0; }},
      {"effort.smooth_time: found inf;", [](Task& task) { task.effort.smooth_time = HUGE_VAL; }},
      {"effort.smooth_space: found -1;", [](Task& task) { task.effort.smooth_space = -1.0; }},
      {"effort.share: found 0; expected", [](Task& task) { task.effort.share = 0.0; }},
  });
}

TEST(TaskCheck, RefusesForcesThatCannotBe) {
  expect_refused({
      of_pushing("vertices[0]: found 9; expected", [](Pushing& p) { p.vertices = {9}; }),
      of_pushing("vertices[0]: found -1; expected", [](Pushing& p) { p.vertices = {-1}; }),
      of_pushing("vertices[1]: found 1; expected",
                 [](Pushing& p) {
                   p.vertices = {3, 1};
                 }),
      of_pushing("vertices[1]: found 3; expected",
                 [](Pushing& p) {
                   p.vertices = {3, 3};
                 }),
      of_pushing("weights: found 1 numbers; expected 9", [](Pushing& p) { p.weights = {0.5}; }),
      of_pushing("weights[8]: found 1.5; expected",
                 [](Pushing& p) {
                   p.weights.assign(9, 1.0);
                   p.weights[8] = 1.5;
                 }),
      of_pushing("strength: found 0 at 0 s; expected", [](Pushing& p) { p.strength = 0.0; }),
      of_pushing("strength: found 2 at 1 s; expected",
                 [](Pushing& p) {
                   p.strength = Animated<double>({{0.0, 1.0}, {1.0, 2.0}});
                 }),
      of_pushing("when: found 2 to 2; expected",
                 [](Pushing& p) {
                   p.when = IntervalRange{2, 2};
                 }),
      of_pushing("when: found 2 to 4; expected",
                 [](Pushing& p) {
                   p.when = IntervalRange{2, 4};
                 }),
      of_pushing("knots_every: found 0; expected", [](Pushing& p) { p.knots_every = 0; }),
      of_pushing("modes: found 0; expected", [](Pushing& p) { p.modes = 0; }),
      of_pushing("max_acceleration: found 0; expected", [](Pushing& p) { p.max_acceleration = 0.0; }),
      of_pushing("max_acceleration: goes neither with modes",
                 [](Pushing& p) {
                   p.max_acceleration = 1.0;
                   p.modes = 2;
                 }),
  });
}

TEST(TaskCheck, TakesWhatAsksForLittle) {
  const std::vector<std::function<void(Task&)>> changes = {
      [](Task&) {},
      [](Task& task) { task.targets.clear(); },
      [](Task& task) { task.targets[0].keyframe.weight = 0.0; },  // is measured alone
      [](Task& task) {
        Keyframe& only_fast = task.targets[0].keyframe;
        only_fast.weight = 0.0;
        only_fast.velocity_weight = 1.0;
        only_fast.target_velocity = VecX::Zero(27);
        task.targets[0].velocity_tolerance = 0.1;
      },
      [](Task& task) {
        Keyframe& sliding_loop = task.targets[0].keyframe;
        sliding_loop.candidates = {1, 6};
        sliding_loop.relative_to = 0;
      },
      [](Task& task) { task.pushing.weights.assign(9, 1e-3); },
      [](Task& task) {
        task.pushing.weights.assign(9, 1.0);
        task.pushing.vertices.clear();  // no forces, whatever stands beside
      },
      [](Task& task) {
        task.pushing.when = IntervalRange{0, 3};
      },
      [](Task& task) {
        task.effort = {false, 0.0};
      },
  };
  for (const auto& change : changes) {
    Task task = checked_task();
    change(task);
    EXPECT_EQ(refusal_by([&] { prepare(task); }), "");
  }
}

// It can be run: nothing is to be chosen.
TEST(TaskCheck, ATaskWithNothingToChooseIsNotSearched) {
  Task task = checked_task();
  task.pushing.vertices.clear();
  EXPECT_EQ(prepare(task).layout->size(), 0);
  SearchObserver observer;
  EXPECT_NE(refusal_by([&] { search(task, {}, observer); }).find("neither vertices to push nor channels"),
            std::string::npos);
}

}  // namespace
}  // namespace keydrape
