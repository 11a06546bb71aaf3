// Cloth that starts draped knows its fabric: a channel that changes the cloth has it come to rest elsewhere,
// and the gradient of all that follows knows by how much (control/EQUATIONS.md (C6)).

#include <gtest/gtest.h>

#include <string>

#include "control/derivatives/channel_derivatives.h"
#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"
#include "control/unknowns/channel/cloth_channels.h"
#include "core/contact/body/collider.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/channel_run.h"
#include "tests/support/expect_exact.h"

namespace keydrape {
namespace {

using test::ChannelList;
using test::ChannelRun;

struct DrapedCase {
  std::string name;
  std::function<void(ClothDescription& cloth, ChannelList& channels)> make;
  StepMethod method = StepMethod::kConverged;
};

void PrintTo(const DrapedCase& c, std::ostream* out) { *out << c.name; }

void add_steady_wind(ClothDescription& cloth, ChannelList& channels) {
  cloth.wind = Wind::Shared{Animated<Vec3>(Vec3(1.5, 0, 1)), 1.2, 1.0, 0.4};
  channels.push_back(std::make_unique<WindChannel>(test::channel_knots(3, CourseStart::kFree),
                                                   ChannelSize{test::kChannelLength, 0.1}));
}

// Hangs against a ball that holds it by friction.
void lean(ClothDescription& cloth) {
  auto ball = std::make_unique<Sphere>(Vec3(0.25, -0.35, -0.16), 0.15);
  cloth.bodies = {{std::make_shared<RigidCollider>(std::move(ball), RigidMotion()), 0.3}};
}

std::vector<DrapedCase> draped_cases() {
  std::vector<DrapedCase> all = {{"material", test::add_material}, {"wind", add_steady_wind}};
  for (const MaterialNumber number : {MaterialNumber::kDensity, MaterialNumber::kWarp, MaterialNumber::kBend})
    all.push_back({"material_" + std::string(name_of(number)), test::one_number(number)});
  all.push_back({"material_bdf2", test::add_material, StepMethod::kBdf2});
  all.push_back({"everything", [](ClothDescription& cloth, ChannelList& channels) {
                   test::add_material(cloth, channels);
                   add_steady_wind(cloth, channels);
                   const StepKnots knots = test::channel_knots(3, CourseStart::kZero);
                   channels.push_back(std::make_unique<StretchScaleChannel>(knots));
                   channels.push_back(std::make_unique<PinChannel>(PinKind::kHard, 0, knots,
                                                                   ChannelSize{test::kChannelLength}));
                 }});
  all.push_back({"material_on_a_ball", [](ClothDescription& cloth, ChannelList& channels) {
                   lean(cloth);
                   test::add_material(cloth, channels);
                 }});
  return all;
}

std::unique_ptr<ChannelRun> run_of(const DrapedCase& c) {
  ClothDescription cloth = test::channel_sheet();
  ChannelList channels;
  c.make(cloth, channels);
  return std::make_unique<ChannelRun>(cloth, std::move(channels), std::vector<Keyframe>{},
                                      ChannelRun::Options{.method = c.method, .is_draped = true});
}

class DrapedStartGradient : public testing::TestWithParam<DrapedCase> {
 protected:
  std::unique_ptr<ChannelRun> run_ = run_of(GetParam());
};

TEST_P(DrapedStartGradient, IsExact) {
  const DerivativeCheck check = check_derivatives(run_->problem(), {.direction_rms_g = 0.05});
  test::expect_exact(GetParam().name, check, test::kWithContact);
}

TEST_P(DrapedStartGradient, FeedbackSweepsAreTransposesOfEachOther) {
  test::expect_feedback_transposes(*run_);
}

INSTANTIATE_TEST_SUITE_P(Channels, DrapedStartGradient, testing::ValuesIn(draped_cases()),
                         [](const auto& c) { return c.param.name; });

// Where the minimum is the only one, it is that of a drape from the rest mesh, and where it moves to is what
// the forces' own equation says: H_s dx = -dr_s/dp, without inertia.
TEST(DrapedStart, IsTheDrapeOfItsOwnFabric) {
  const std::unique_ptr<ChannelRun> run = run_of({"bend", test::one_number(MaterialNumber::kBend)});
  const VecX c = VecX::Constant(1, 0.4);
  const std::unique_ptr<const ClothVariant> variant = run->problem().variant(c);
  ASSERT_TRUE(variant->has_start());
  ClothDescription cloth = test::channel_sheet();
  cloth.material.bend *= std::exp(0.4);
  const Model model = build_model(cloth);
  DrapeOptions options;
  options.tolerance = 1e-9;
  const DrapeResult from_rest = drape(model, stacked(cloth.mesh.positions), options);
  ASSERT_TRUE(from_rest.is_settled);
  EXPECT_LT((from_rest.x - variant->start.x).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_GT((run->start().x - variant->start.x).lpNorm<Eigen::Infinity>(), 1e-3);

  const Trajectory still{{variant->start}, {}, {}};
  const ChannelDerivatives channels(run->channels(), *variant->simulator, still, &*variant->drape);
  const VecX moved = channels.start_change(VecX::Constant(1, 1.0)).x;
  const double step = 1e-3;
  const VecX above = run->problem().variant(c + VecX::Constant(1, step))->start.x,
             below = run->problem().variant(c - VecX::Constant(1, step))->start.x;
  EXPECT_LT((moved - (above - below) / (2 * step)).norm(), 1e-5 * moved.norm());
}

// Cloth that starts where its fabric rests stays there: the fabric is read off its drape.
TEST(DrapedStart, TellsTheFabric) {
  const auto find = [](bool is_draped) {
    ClothDescription cloth = test::channel_sheet(), stiffer = cloth;
    stiffer.material.bend *= 3;
    const Model model = build_model(stiffer);
    const DrapeResult rest = drape(model, stacked(stiffer.mesh.positions), {});
    Keyframe keyframe{test::kChannelSteps, rest.x, VecX::Ones(model.vertex_count()), 1.0, 0.0, {}};
    ChannelList channels;
    test::one_number(MaterialNumber::kBend)(cloth, channels);
    ChannelRun run(cloth, std::move(channels), {keyframe}, {.effort = 1e-12, .is_draped = is_draped});
    OptimizerOptions options;
    options.max_iterations = 30;
    options.objective_tolerance = 0.0;
    const OptimizerResult found = minimize_gauss_newton(run.problem().evaluate(VecX::Zero(1)), options,
                                                        [](const IterationRecord&) { return true; });
    return std::exp(found.z(0));
  };
  EXPECT_NEAR(find(true), 3.0, 0.003);
  EXPECT_GT(std::abs(find(false) - 3.0), 0.1);  // it swings, and another fabric swings to there
}

// A fabric that cannot hang still is no start, and the run that would begin there does not.
TEST(DrapedStart, ThatDoesNotComeToRestIsNoRun) {
  const std::unique_ptr<ChannelRun> run = run_of({"material", test::add_material});
  ClothVariant variant = run->channels().variant(run->channels().values(VecX::Zero(6)));
  variant.drape->is_settled = false;
  const ForceSchedule& none = ControlForces(run->layout(), VecX::Zero(6), nullptr);
  OpenLoop steering(none);
  const Trajectory trajectory = run->problem().run(&variant, steering);
  EXPECT_EQ(trajectory.step_count(), 0);
}

}  // namespace
}  // namespace keydrape
