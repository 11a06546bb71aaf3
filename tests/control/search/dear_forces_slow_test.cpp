// What the task makes dear is given back: it falls as its price rises, and tolerances are met at every price.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>

#include "control/search/search.h"
#include "tests/support/hung_task.h"

namespace keydrape {
namespace {

using namespace test;

constexpr double kDearTolerance = 7e-3;

// A sheet of 49 vertices that is to swing out by these angles [rad], evenly in time.
Task swinging_task(const std::vector<double>& angles) {
  Task task = hung_task(6, 24);
  const Target last = task.targets[0];
  task.targets.clear();
  for (const double angle : angles) {
    Target& target = task.targets.emplace_back(last);
    target.number = static_cast<int>(task.targets.size()) - 1;
    target.keyframe.state =
        task.grid.step_count() * static_cast<int>(task.targets.size()) / static_cast<int>(angles.size());
    const Mat3 swing = Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix();
    for (int i = 0; i < task.vertex_count(); ++i)
      target.keyframe.target.segment<3>(3 * i) = swing * task.start.x.segment<3>(3 * i);
    target.tolerance = kDearTolerance;
  }
  task.effort.automatic = true;
  return task;
}

bool is_upper(const Task& task, int i) { return task.start.x[3 * i + 1] > -0.2 - 1e-9; }

// Mean squares of what may be dear, in units of g_0.
struct Dear {
  double upper = 0.0;     // of the acceleration of the upper half
  double in_time = 0.0;   // of its difference from block to block
  double in_space = 0.0;  // of its difference along the mesh's rows, whose vertices follow each other
};

struct Found {
  Dear dear;
  SearchResult result;
};

Found find(const Task& task, std::optional<SearchCheckpoint> resume = {}) {
  SearchObserver observer;
  const PreparedTask prepared = prepare(task);
  SearchOptions options;
  options.max_forward_runs = 40;  // or the budget ends some a little above the least
  Found found{{}, search(prepared, options, observer, std::move(resume))};
  const ControlLayout& layout = *prepared.layout;
  const VecX& z = found.result.best->z;
  Dear counts;
  const auto add = [](double square, double& sum, double& count) {
    sum += square;
    ++count;
  };
  Dear& dear = found.dear;
  for (int f = 0; f < layout.block_count(); ++f)
    for (int k = 0; k < layout.active_count(); ++k) {
      const Vec3 a = layout.acceleration(z, f, k);
      const int i = layout.active()[k];
      if (is_upper(task, i)) add(a.squaredNorm(), dear.upper, counts.upper);
      if (f > 0) add((a - layout.acceleration(z, f - 1, k)).squaredNorm(), dear.in_time, counts.in_time);
      if (i % 7 > 0)
        add((a - layout.acceleration(z, f, k - 1)).squaredNorm(), dear.in_space, counts.in_space);
    }
  dear.upper /= counts.upper;
  dear.in_time /= counts.in_time;
  dear.in_space /= counts.in_space;
  return found;
}

// `kFloor`: what a search leaves above the least is not the same at every price.
constexpr double kFloor = 1.02;

void expect_fall(const char* what, const Task& task, double Dear::*dear,
                 void (*set_price)(Task& task, double price)) {
  double before = std::sqrt(find(task).dear.*dear);
  const double free = before;
  std::printf("%s: %.3g g where it costs nothing more\n", what, before);
  for (double price = 1.0; price < 2e6; price *= 10.0) {
    Task dearer = task;
    set_price(dearer, price);
    const Found found = find(dearer);
    const double rms = std::sqrt(found.dear.*dear);
    std::printf("  price %-7g %.3g g after %d runs, cost %.3g, farthest target %.1f mm: %s\n", price, rms,
                found.result.summary.forward_simulations,
                found.result.best->record.terms.effort + found.result.best->record.terms.smoothness,
                1e3 * std::max_element(found.result.targets.begin(), found.result.targets.end(),
                                       [](const TargetOutcome& a, const TargetOutcome& b) {
                                         return a.miss.rms < b.miss.rms;
                                       })
                          ->miss.rms,
                found.result.summary.sentence().c_str());
    EXPECT_TRUE(found.result.reached()) << price;
    EXPECT_LE(rms, kFloor * before) << price;
    before = std::min(before, rms);
  }
  EXPECT_LT(before, 0.3 * free);
}

void paint_upper_half(Task& task, double price) {
  task.pushing.weights.assign(static_cast<std::size_t>(task.vertex_count()), 1.0);
  for (int i = 0; i < task.vertex_count(); ++i)
    if (is_upper(task, i)) task.pushing.weights[i] = 1.0 / std::sqrt(price);
}

TEST(DearForces, PaintedOnesFallWithTheirPrice) {
  expect_fall("upper half, one pose", swinging_task({0.5}), &Dear::upper, paint_upper_half);
  expect_fall("upper half, there and back", swinging_task({0.5, -0.3}), &Dear::upper, paint_upper_half);
}

TEST(DearForces, ChangesInTimeFallWithTheirPrice) {
  const auto set_price = [](Task& task, double price) { task.effort.smooth_time = price; };
  expect_fall("from frame to frame, one pose", swinging_task({0.5}), &Dear::in_time, set_price);
  expect_fall("from frame to frame, there and back", swinging_task({0.5, -0.3}), &Dear::in_time, set_price);
}

TEST(DearForces, ChangesInSpaceFallWithTheirPrice) {
  expect_fall("along rows, one pose", swinging_task({0.5}), &Dear::in_space,
              [](Task& task, double price) { task.effort.smooth_space = price; });
}

// The scale of the prices: 1 is a sensible first value.
TEST(DearForces, APriceOfOneAboutHalvesChanges) {
  for (const std::vector<double>& angles : {std::vector<double>{0.5}, {0.5, -0.3}}) {
    Task task = swinging_task(angles);
    const Dear without = find(task).dear;
    task.effort.smooth_time = 1.0;
    const double in_time = std::sqrt(find(task).dear.in_time / without.in_time);
    task.effort = {.automatic = true, .smooth_space = 1.0};
    const double in_space = std::sqrt(find(task).dear.in_space / without.in_space);
    std::printf("a price of 1 leaves %.2f of the changes in time, %.2f of those in space\n", in_time,
                in_space);
    for (const double left : {in_time, in_space}) {
      EXPECT_LT(left, 0.75);
      EXPECT_GT(left, 0.25);
    }
  }
}

// Keeps the checkpoint of an iteration that was reached at less than the whole price.
class Interrupter final : public SearchObserver {
 public:
  void on_checkpoint(const SearchPart&, const SearchState& state, const RunView& at,
                     const RunView* best) override {
    const bool is_under_way = state.weight_memory && state.weight_memory->prices.share < 1.0;
    if (!is_under_way || state.is_before_search || state.iteration < 3) return;
    checkpoint.emplace(SearchCheckpoint{state, {at.z, at.trajectory}, {}});
    if (best) checkpoint->best = SavedRun{best->z, best->trajectory};
  }
  bool should_stop() override { return checkpoint.has_value(); }

  std::optional<SearchCheckpoint> checkpoint;
};

TEST(DearForces, ASearchThatWasBrokenOffBetweenPricesEndsAtTheSameBits) {
  Task task = swinging_task({0.5});
  task.effort.smooth_time = 1e4;
  Interrupter interrupter;
  search(prepare(task), {}, interrupter);
  ASSERT_TRUE(interrupter.checkpoint.has_value());
  const Found whole = find(task), resumed = find(task, interrupter.checkpoint);
  EXPECT_GT(whole.result.summary.iterations, interrupter.checkpoint->state.iteration + 2);
  EXPECT_EQ(whole.result.best->z, resumed.result.best->z);
  EXPECT_EQ(whole.result.summary.iterations, resumed.result.summary.iterations);
}

}  // namespace
}  // namespace keydrape
