// Every channel, alone and together with forces: the gradient is exact (Taylor order 1.95 to 2.05, central
// differences to 1e-6), the sweeps are transposes of each other to 1e-10, with feedback too, and what a step
// of the search predicts is what its trial does.

#include <gtest/gtest.h>

#include <string>

#include "control/shooting/shooting_iterate.h"
#include "control/unknowns/channel/cloth_channels.h"
#include "control/unknowns/channel/initial_velocity.h"
#include "core/base/error.h"
#include "tests/support/channel_run.h"
#include "tests/support/expect_exact.h"

namespace keydrape {
namespace {

using test::ChannelList;
using test::ChannelRun;

std::vector<int> every_vertex() {
  std::vector<int> all(test::kChannelSide * test::kChannelSide);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return all;
}

struct ChannelCase {
  std::string name;
  std::function<void(ClothDescription& cloth, ChannelList& channels)> make;
  bool forces = false;
  StepMethod method = StepMethod::kConverged;
};

void PrintTo(const ChannelCase& c, std::ostream* out) { *out << c.name; }

void add_vertex_velocity(ClothDescription&, ChannelList& channels) {
  channels.push_back(
      std::make_unique<VertexThrow>(std::vector<int>{3, 9, 17, 40, 48}, ChannelSize{test::kChannelLength}));
}

void add_rigid_velocity(ClothDescription& cloth, ChannelList& channels) {
  const Model model = build_model(cloth);
  channels.push_back(std::make_unique<RigidThrow>(every_vertex(), stacked(cloth.mesh.positions),
                                                  model.vertex_mass(), ChannelSize{test::kChannelLength}));
}

void add_wind(ClothDescription& cloth, ChannelList& channels) {
  cloth.wind = Wind::Shared{Animated<Vec3>({{0.0, Vec3(3, 0, 2)}, {0.2, Vec3(-1, 1, 4)}}), 1.2, 1.0, 0.4};
  channels.push_back(std::make_unique<WindChannel>(test::channel_knots(3, CourseStart::kFree),
                                                   ChannelSize{test::kChannelLength}));
}

void add_stretch_scale(ClothDescription& cloth, ChannelList& channels) {
  cloth.stretch_scale = Animated<Vec2>({{0.0, Vec2(1, 1)}, {0.3, Vec2(1.05, 0.98)}});
  channels.push_back(std::make_unique<StretchScaleChannel>(test::channel_knots(3, CourseStart::kZero)));
}

// The second of two pins, which share a vertex; it lets one corner slide and lets go before the end.
void add_pin(ClothDescription& cloth, ChannelList& channels) {
  const int last = test::kChannelSide - 1;
  VecX x(9);
  x << cloth.mesh.positions[0], cloth.mesh.positions[3], cloth.mesh.positions[last];
  const Vec3 t = Vec3(1, 0.2, 0).normalized();
  HardPin second{{0, 3, last}, {{x}, 1.0}};
  second.free = t * t.transpose();
  second.end_time = 12.5 * test::kChannelDt;
  cloth.pins[0] = {{0}, {{cloth.mesh.positions[0]}, 1.0}};
  cloth.pins.push_back(second);
  channels.push_back(std::make_unique<PinChannel>(
      PinKind::kHard, 1, test::channel_knots(3, CourseStart::kZero), ChannelSize{test::kChannelLength}));
}

// The second of two soft pins; it is damped, slides in a plane and lets go before the end.
void add_soft_pin(ClothDescription& cloth, ChannelList& channels) {
  const Vec3 n = Vec3(0.1, 0.2, 1).normalized();
  SoftPin other{{2}, {1.0}, {{cloth.mesh.positions[2]}, 1.0}}, pin{{24, 45}, {1.0, 0.6}, {}};
  VecX x(6);
  x << cloth.mesh.positions[24], cloth.mesh.positions[45];
  pin.motion = {{x, x + VecX::Constant(6, 0.05)}, 10 * test::kChannelDt};
  pin.free = Mat3::Identity() - n * n.transpose();
  pin.end_time = 12.5 * test::kChannelDt;
  other.stiffness = pin.stiffness = 50.0;
  pin.damping = 0.05;
  cloth.soft_pins = {other, pin};
  channels.push_back(std::make_unique<PinChannel>(
      PinKind::kSoft, 1, test::channel_knots(3, CourseStart::kZero), ChannelSize{test::kChannelLength}));
}

void flatten(ClothDescription& cloth) {
  for (Vec3& x : cloth.mesh.positions) x.z() = 0.0;
  cloth.bending = BendingModel::kQuadratic;
}

std::vector<ChannelCase> channel_cases(StepMethod method) {
  std::vector<ChannelCase> all;
  const auto add = [&](const std::string& name, const auto& make) {
    all.push_back({name, make, false});
    all.push_back({name + "_with_forces", make, true});
  };
  add("vertex_velocity", add_vertex_velocity);
  add("rigid_velocity", add_rigid_velocity);
  add("everything", [](ClothDescription& cloth, ChannelList& channels) {
    add_vertex_velocity(cloth, channels);
    add_rigid_velocity(cloth, channels);
    add_wind(cloth, channels);
    add_stretch_scale(cloth, channels);
    add_pin(cloth, channels);
    test::add_material(cloth, channels);
  });
  add("wind", add_wind);
  add("stretch_scale", add_stretch_scale);
  add("stretch_scale_within_a_strain_limit", [](ClothDescription& cloth, ChannelList& channels) {
    cloth.material.k_warp = 80, cloth.material.k_weft = 60;  // its weight takes it well beyond the onset
    cloth.material.strain_limit = 0.02;
    cloth.stretch_scale = Vec2(1.01, 0.99);
    channels.push_back(
        std::make_unique<StretchScaleChannel>(test::channel_knots(3, CourseStart::kZero), 0.003));
  });
  add("pin", add_pin);
  add("soft_pin", add_soft_pin);
  add("material", test::add_material);
  for (int k = 0; k <= static_cast<int>(MaterialNumber::kDamping); ++k) {
    const auto number = static_cast<MaterialNumber>(k);
    all.push_back({"material_" + std::string(name_of(number)), test::one_number(number)});
  }
  all.push_back({"material_of_flat_cloth", [](ClothDescription& cloth, ChannelList& channels) {
                   flatten(cloth);
                   test::add_material(cloth, channels);
                 }});
  all.push_back({"stiffness_within_a_strain_limit", [](ClothDescription& cloth, ChannelList& channels) {
                   cloth.material.strain_limit = 0.004;
                   test::one_number(MaterialNumber::kWarp)(cloth, channels);
                 }});
  const auto of_buckling_cloth = [](const auto& add_channels) {
    return [add_channels](ClothDescription& cloth, ChannelList& channels) {
      cloth.material.compression.law = Compression::Law::kBuckling;
      add_channels(cloth, channels);
    };
  };
  all.push_back({"material_of_buckling_cloth", of_buckling_cloth(test::add_material)});
  all.push_back({"stretch_scale_of_buckling_cloth", [](ClothDescription& cloth, ChannelList& channels) {
                   cloth.material.compression = {Compression::Law::kBuckling, 1.0, 0.02};  // at 3 %
                   cloth.material.bend *= 3;
                   add_stretch_scale(cloth, channels);
                 }});
  all.push_back({"material_of_coupled_cloth", [](ClothDescription& cloth, ChannelList& channels) {
                   cloth.material.coupling = 0.5;
                   cloth.material.compression.law = Compression::Law::kBuckling;
                   test::add_material(cloth, channels);
                 }});
  all.push_back({"stretch_scale_of_coupled_cloth", [](ClothDescription& cloth, ChannelList& channels) {
                   cloth.material.coupling = 0.5;
                   add_stretch_scale(cloth, channels);
                 }});
  all.push_back({"stretch_scale_of_isotropic_cloth", [](ClothDescription& cloth, ChannelList& channels) {
                   cloth.material.isotropic = Isotropic{1.5e6, 0.35};
                   add_stretch_scale(cloth, channels);
                 }});
  for (ChannelCase& c : all) c.method = method;
  return all;
}

// Those that a linearised step is differentiated by.
std::vector<ChannelCase> cases_of_linearized_steps() {
  std::vector<ChannelCase> all = channel_cases(StepMethod::kLinearized);
  std::erase_if(all, [](const ChannelCase& c) {
    return c.name.starts_with("everything") || c.name.starts_with("st") || c.name.starts_with("material");
  });
  return all;
}

// Of rounds: with a matrix that owes nothing to the channel, and no strain limit.
std::vector<ChannelCase> cases_of_rounds() {
  std::vector<ChannelCase> all = channel_cases(StepMethod::kPrefactored);
  std::erase_if(all, [](const ChannelCase& c) {
    return c.name.starts_with("everything") || c.name.find("strain_limit") != std::string::npos ||
           c.name.starts_with("material");
  });
  return all;
}

class ChannelGradient : public testing::TestWithParam<ChannelCase> {
 protected:
  ChannelGradient() {
    ClothDescription cloth = test::channel_sheet();
    ChannelList channels;
    GetParam().make(cloth, channels);
    run_ = std::make_unique<ChannelRun>(
        cloth, std::move(channels), std::vector<Keyframe>{},
        ChannelRun::Options{.forces = GetParam().forces, .method = GetParam().method});
  }

  std::unique_ptr<ChannelRun> run_;
};

TEST_P(ChannelGradient, IsExact) {
  // Derivatives of a linearised step jump where a tension changes its sign.
  const bool is_smooth = GetParam().method != StepMethod::kLinearized;
  const DerivativeCheck check =
      check_derivatives(run_->problem(), {.direction_rms_g = is_smooth ? 0.05 : 1e-4});
  test::expect_exact(GetParam().name, check, test::kWithContact);
}

TEST_P(ChannelGradient, FeedbackSweepsAreTransposesOfEachOther) { test::expect_feedback_transposes(*run_); }

TEST_P(ChannelGradient, StepFollowsItsPrediction) {
  ShootingProblem& problem = run_->problem();
  ShootingIterate at(problem, VecX::Zero(problem.size()));
  ASSERT_TRUE(at.is_complete());
  const VecX w = VecX::LinSpaced(problem.size(), -1.0, 0.7).normalized();
  // Of linearised steps: where no tension changes its sign yet, and before rounding shows.
  const bool is_smooth = GetParam().method != StepMethod::kLinearized;
  const double largest = is_smooth ? 1e-4 : 2e-5;
  const int halvings = is_smooth ? 4 : 2;
  double previous = 0.0, orders = 0.0;
  for (int k = 0; k <= halvings; ++k) {
    const double e = std::ldexp(largest, -k);
    const double remainder =
        std::abs(at.step(e * w)->objective() - at.objective() - e * at.local_gradient().dot(w));
    if (k > 0) orders += std::log2(previous / remainder) / halvings;
    previous = remainder;
  }
  EXPECT_NEAR(orders, 2.0, 0.1);
}

// None are made up where a step is not differentiated by the fabric.
// The second sets what the first has set, and both are counted: a task refuses that, and a check tells it.
TEST(ChannelsOfOneNumber, HaveWrongDerivatives) {
  const ClothDescription cloth = test::channel_sheet();
  test::ChannelList channels;
  for (int k = 0; k < 2; ++k)
    channels.push_back(
        std::make_unique<MaterialChannel>(std::vector{MaterialNumber::kDensity}, cloth.material));
  test::ChannelRun run(cloth, std::move(channels), {}, {});
  const DerivativeCheck check = check_derivatives(run.problem(), {});
  EXPECT_EQ(verdict(check), DerivativeVerdict::kWrong) << check.resolved_error << " of " << check.resolution;
}

TEST(ChannelsOfUnsolvedSteps, AreNotThoseOfTheFabric) {
  for (const StepMethod method : {StepMethod::kLinearized, StepMethod::kPrefactored, StepMethod::kDescent}) {
    ClothDescription cloth = test::channel_sheet();
    ChannelList channels;
    test::add_material(cloth, channels);
    ChannelRun run(cloth, std::move(channels), std::vector<Keyframe>{},
                   ChannelRun::Options{.forces = false, .method = method});
    ShootingIterate at(run.problem(), VecX::Zero(run.problem().size()));
    ASSERT_TRUE(at.is_complete());
    EXPECT_THROW((void)at.gradient(), InputError);
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, ChannelGradient, testing::ValuesIn(channel_cases(StepMethod::kConverged)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ChannelsOfBdf2, ChannelGradient, testing::ValuesIn(channel_cases(StepMethod::kBdf2)),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(ChannelsOfLinearizedSteps, ChannelGradient,
                         testing::ValuesIn(cases_of_linearized_steps()),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(ChannelsOfRounds, ChannelGradient, testing::ValuesIn(cases_of_rounds()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace keydrape
