#include "core/step/parameter_derivatives.h"

#include <gtest/gtest.h>

#include "core/cloth/cloth.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

constexpr double kParameterDt = 0.01, kEnd = 0.5;

// A sheet that falls in the wind, near a strain limit, on three soft pins: nothing is drawn to the first.
ClothDescription parameter_sheet() {
  ClothDescription cloth;
  cloth.mesh = test::square(4, 0.4);
  cloth.material = {0.2, 80, 60, 20, 1e-5, 0.02, 5e-4, 0.1};
  cloth.stretch_scale = Vec2(1.01, 0.99);
  cloth.wind = Wind::Shared{Vec3(3, 2, -1), 1.2, 0.7, 0.4};
  for (const auto& [vertex, weight] : {std::pair{0, 0.0}, {4, 1.0}, {9, 0.5}}) {
    SoftPin pin{{vertex}, {weight}, {{cloth.mesh.positions[static_cast<size_t>(vertex)]}, 1.0}};
    pin.stiffness = 50.0;
    pin.damping = 0.05;
    cloth.soft_pins.push_back(pin);
  }
  return cloth;
}

// The sheet after some step: stretched beyond the onset of the limit, 5 %, and bent.
VecX moved(const ClothDescription& cloth, double by) {
  VecX x = stacked(cloth.mesh.positions);
  for (Eigen::Index i = 0; i < x.size(); i += 3) {
    x[i] *= 1 + by;
    x[i + 2] += 0.3 * by * std::sin(9 * x[i] + 4 * x[i + 1]);
  }
  return x;
}

VecX residual(const ClothDescription& cloth) {
  const Model model = build_model(cloth);
  const VecX x = moved(cloth, 0.05), y = moved(cloth, 0.06);
  const State start{x, VecX::LinSpaced(x.size(), -1.0, 0.5)};
  const VecX no_force = VecX::Zero(x.size());
  VecX r;
  StepWorkspace work;
  StepProblem(model, start, kParameterDt, kEnd, no_force, work).residual(y, r);
  return r;
}

// Calls f(StepSolution) for the sheet.
template <class F>
auto at_solution(const ClothDescription& cloth, const F& f) {
  const Model model = build_model(cloth);
  const VecX x = moved(cloth, 0.05), y = moved(cloth, 0.06);
  const State start{x, VecX::LinSpaced(x.size(), -1.0, 0.5)};
  const VecX no_force = VecX::Zero(x.size());
  StepWorkspace work;
  const StepProblem problem(model, start, kParameterDt, kEnd, no_force, work);
  return f(StepSolution{problem, y});
}

// Differences of the whole residual, with everything built anew from the description.
TEST(ParameterDerivatives, ByTheLogarithmsOfAMaterial) {
  const ClothDescription cloth = parameter_sheet();
  for (int k = 0; k <= static_cast<int>(MaterialNumber::kDamping); ++k) {
    const auto number = static_cast<MaterialNumber>(k);
    const VecX by = at_solution(cloth, [&](const StepSolution& at) { return residual_by_log(at, number); });
    const auto with = [&](double e) {
      ClothDescription other = cloth;
      number_of(other.material, number) *= std::exp(e);
      return residual(other);
    };
    EXPECT_GT(by.norm(), 0.0) << name_of(number);
    EXPECT_LT(((with(1e-4) - with(-1e-4)) / 2e-4 - by).norm(), 1e-7 * by.norm()) << name_of(number);
  }
}

TEST(ParameterDerivatives, ByWhereASoftPinOfItsNumberIs) {
  const ClothDescription cloth = parameter_sheet();
  for (int pin = 0; pin < 3; ++pin) {
    const SoftPinDerivatives by =
        at_solution(cloth, [&](const StepSolution& at) { return residual_by_soft_pin(at, pin); });
    const SoftPin& it = cloth.soft_pins[static_cast<size_t>(pin)];
    const double k = it.weights[0] * it.stiffness, k_d = it.damping * k;
    Eigen::MatrixXd by_end = Eigen::MatrixXd::Zero(by.by_end.rows(), 3), by_start = by_end;
    by_end.middleRows<3>(3 * it.vertices[0]) = -(k + k_d / kParameterDt) * Mat3::Identity();
    by_start.middleRows<3>(3 * it.vertices[0]) = k_d / kParameterDt * Mat3::Identity();
    EXPECT_LE((by.by_end - by_end).norm(), 1e-14 * by_end.norm()) << pin;
    EXPECT_LE((by.by_start - by_start).norm(), 1e-14 * by_start.norm()) << pin;
  }
}

}  // namespace
}  // namespace keydrape
