// What channels find, against what is known: closed forms of throws, and twins, whose keyframes are a run
// with known values.

#include <gtest/gtest.h>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/shooting_iterate.h"
#include "control/unknowns/channel/cloth_channels.h"
#include "control/unknowns/channel/initial_velocity.h"
#include "tests/support/channel_run.h"

namespace keydrape {
namespace {

using test::ChannelList;
using test::ChannelRun;

OptimizerOptions tight() {
  OptimizerOptions options;
  options.cg_tolerance = 1e-14;
  options.cg_model_tolerance = 0.0;
  options.max_iterations = 30;
  options.objective_tolerance = 0.0;
  return options;
}

VecX minimize(ShootingProblem& problem, const OptimizerOptions& options) {
  return minimize_gauss_newton(problem.evaluate(VecX::Zero(problem.size())), options,
                               [](const IterationRecord&) { return true; })
      .z;
}

// N implicit steps move a free particle by N h v + h^2 g N (N + 1)/2.
VecX ballistic(const VecX& x, const Vec3& v, const Vec3& g, int steps, double h) {
  VecX y = x;
  for (Eigen::Index i = 0; i < x.size(); i += 3)
    y.segment<3>(i) += steps * h * v + 0.5 * h * h * steps * (steps + 1) * g;
  return y;
}

// Of a single particle with effort:
//   J = w/2 |x_N - x*|^2/l^2 + e/2 |c|^2 ,   v = sqrt(g_0 l) c ,   T = N h ,
//   c = w T sqrt(g_0 l) d/l^2 / (e + w T^2 g_0/l) ,   d the miss without a throw.
TEST(Throw, OfAParticleIsTheClosedForm) {
  const int steps = 24;
  const double h = 1.0 / 48, effort = 0.3, l = 2.0;
  const Model model(VecX::Constant(1, 0.1), {}, {}, Animated<Vec3>(Vec3(0, -9.81, 0)));
  SimulatorOptions options;
  options.dt = h;
  options.newton.tolerance = 1e-14;
  const Simulator simulator(model, options);
  const State start{Vec3(0.3, 1, -2), Vec3::Zero()};
  ChannelList list;
  list.push_back(std::make_unique<VertexThrow>(std::vector<int>{0}, ChannelSize{l}));
  const Channels channels(std::move(list), {}, start, options);
  ControlLayout layout(std::vector<int>(steps, 0), {}, model.vertex_mass());
  layout.append_channels(channels.size());
  EXPECT_EQ(layout.size(), 3);
  const Vec3 d(1.5, 0.4, -0.7);
  const VecX target = ballistic(start.x, Vec3::Zero(), Vec3(0, -9.81, 0), steps, h) + d;
  const Objective objective({l, effort}, {{steps, target, VecX::Ones(1), 1.0, 0.0, {}}}, layout, h, {});
  ShootingProblem problem(simulator, start, layout, objective, 1 << 20, {.channels = &channels});
  OptimizerOptions one = tight();
  one.max_iterations = 1;
  const VecX z = minimize(problem, one);
  const double T = steps * h, unit = std::sqrt(kStandardGravity * l);
  const Vec3 c = T * unit * d / (l * l) / (effort + T * T * kStandardGravity / l);
  EXPECT_LT((z - c).norm(), 1e-12 * c.norm());
}

// Cloth at rest that is thrown without a turn flies as a particle does: the throw that brings it to
// a pose follows.
TEST(Throw, OfClothWithoutForcesIsThatOfABody) {
  ClothDescription cloth = test::channel_sheet();
  cloth.pins.clear();
  const Model model = build_model(cloth);
  const VecX x = stacked(cloth.mesh.positions);
  const Vec3 v(1.2, 3.1, -0.4);
  const VecX target = ballistic(x, v, Vec3(0, -kStandardGravity, 0), test::kChannelSteps, test::kChannelDt);
  const int n = model.vertex_count();
  std::vector<int> all(n);
  for (int i = 0; i < n; ++i) all[i] = i;
  ChannelList list;
  list.push_back(
      std::make_unique<RigidThrow>(all, x, model.vertex_mass(), ChannelSize{test::kChannelLength}));
  ChannelRun run(cloth, std::move(list), {{test::kChannelSteps, target, VecX::Ones(n), 1.0, 0.0, {}}},
                 {false, 1e-12, 1e-12});
  const VecX p = run.channels().values(minimize(run.problem(), tight()))[0];
  EXPECT_LT((p.head<3>() - v).norm(), 1e-8);
  EXPECT_LT(p.tail<3>().norm(), 1e-8);
}

// A turn about the centre of mass: the velocities are those of a rigid body, and leave the centre
// where it flies.
TEST(Throw, TurnsAboutTheCentreOfMass) {
  const ClothDescription cloth = test::channel_sheet();
  const Model model = build_model(cloth);
  const VecX x = stacked(cloth.mesh.positions);
  std::vector<int> all(model.vertex_count());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  const RigidThrow channel(all, x, model.vertex_mass(), ChannelSize{test::kChannelLength});
  State start{x, VecX::Zero(x.size())};
  ClothDescription unused;
  VecX p(6);
  p << 0.5, 0, 0, 0.1, 2.0, -1.0;
  channel.apply(p, unused, start);
  Vec3 momentum = Vec3::Zero();
  for (int i = 0; i < model.vertex_count(); ++i)
    momentum += model.vertex_mass()(i) * start.v.segment<3>(3 * i);
  EXPECT_LT((momentum / model.vertex_mass().sum() - p.head<3>()).norm(), 1e-14);
  for (const Edge& e : {Edge{0, 5}, Edge{7, 40}}) {  // no distance changes, to first order
    const Vec3 dx = x.segment<3>(3 * e[0]) - x.segment<3>(3 * e[1]);
    EXPECT_NEAR(dx.dot(start.v.segment<3>(3 * e[0]) - start.v.segment<3>(3 * e[1])), 0.0, 1e-15);
  }
}

// Looks for the values p of one channel from a run that has them, with every state as a keyframe. `cloth`:
// what the search begins with, the channel at the values of c = 0.
VecX found_in_twin(const ClothDescription& cloth, const std::function<std::unique_ptr<Channel>()>& make,
                   const VecX& p) {
  const ChannelRun::Options options{false, 1e-12, 1e-11};
  const auto list = [&] {
    ChannelList channels;
    channels.push_back(make());
    return channels;
  };
  const ChannelRun twin(cloth, list(), {}, options);
  const ClothVariant variant = twin.channels().variant({p});
  const Trajectory known = rollout(variant.simulator ? *variant.simulator : twin.simulator(), variant.start,
                                   NoForces(), test::kChannelSteps);
  const int n = static_cast<int>(twin.start().x.size()) / 3;
  std::vector<Keyframe> keyframes;
  for (int k = 1; k <= test::kChannelSteps; ++k)
    keyframes.push_back({k, known.states[k].x, VecX::Ones(n), 1.0, 0.0, {}});
  ChannelRun run(cloth, list(), keyframes, options);
  const VecX c = minimize(run.problem(), tight());
  return run.channels().values(run.layout().channels(c))[0];
}

// Stiffnesses a factor of 3 off, in both directions, come back.
TEST(Twin, GivesItsMaterialBack) {
  using enum MaterialNumber;
  const std::vector numbers{kWarp, kWeft, kShear, kBend, kDamping};
  ClothDescription cloth = test::channel_sheet();
  Material known = cloth.material;
  VecX p(5);
  for (int k = 0; k < 5; ++k) {
    p(k) = number_of(known, numbers[k]);
    number_of(cloth.material, numbers[k]) *= k % 2 ? 3.0 : 1.0 / 3;
  }
  const VecX found = found_in_twin(
      cloth, [&] { return std::make_unique<MaterialChannel>(numbers, cloth.material); }, p);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(found(k) / p(k), 1.0, 0.01) << name_of(numbers[k]);
}

// A step of the model may ask for any factor: what is no fabric, in double precision, is a run that failed.
TEST(Channels, AMaterialThatIsNoneIsARejectedTrial) {
  const ClothDescription cloth = test::channel_sheet();
  ChannelList list;
  list.push_back(std::make_unique<MaterialChannel>(std::vector{MaterialNumber::kBend}, cloth.material));
  const VecX x = stacked(cloth.mesh.positions);
  ChannelRun run(cloth, std::move(list), {{test::kChannelSteps, x, VecX::Ones(x.size() / 3), 1.0, 0.0, {}}},
                 {false, 1e-6, 1e-11});
  for (const double change : {-5e3, -300.0, 300.0, 5e3}) {
    const VecX z = VecX::Constant(run.problem().size(), change);
    EXPECT_TRUE(std::isinf(run.problem().evaluate(z)->objective())) << change;
  }
}

TEST(Twin, GivesItsWindBack) {
  ClothDescription cloth = test::channel_sheet();
  cloth.wind = Wind::Shared{Vec3(1, 0, 0.5), 1.2, 1.0, 0.4};
  VecX p(15);
  p << 1, 0, 2, 0, 1, 3, -1, 0, 1, 0.5, 0.5, 2, 1, -1, 4;
  const VecX found = found_in_twin(
      cloth,
      [] {
        return std::make_unique<WindChannel>(test::channel_knots(4, CourseStart::kFree),
                                             ChannelSize{test::kChannelLength});
      },
      p);
  EXPECT_LT((found - p).norm(), 0.01 * p.norm());
}

TEST(Twin, GivesTheMotionOfItsPinsBack) {
  VecX p(12);
  p << 0.01, 0, 0.02, 0, -0.02, 0.03, 0.02, 0.01, 0.02, -0.01, 0.02, 0;
  const VecX found = found_in_twin(
      test::channel_sheet(),
      [] {
        return std::make_unique<PinChannel>(PinKind::kHard, 0, test::channel_knots(4, CourseStart::kZero),
                                            ChannelSize{test::kChannelLength});
      },
      p);
  EXPECT_LT((found - p).norm(), 1e-6 * p.norm());
}

TEST(Twin, GivesItsStretchScaleBack) {
  VecX p(8);
  p << 0.01, -0.005, 0.02, -0.01, 0.03, 0.0, 0.02, 0.01;
  const VecX found = found_in_twin(
      test::channel_sheet(),
      [] { return std::make_unique<StretchScaleChannel>(test::channel_knots(4, CourseStart::kZero)); }, p);
  EXPECT_LT((found - p).norm(), 1e-3 * p.norm());
}

// Without a change the scene keeps its bits, whatever its own courses in time are.
TEST(Channels, OfZeroAreTheSceneToTheBit) {
  ClothDescription cloth = test::channel_sheet();
  cloth.wind = Wind::Shared{Animated<Vec3>({{0.0, Vec3(3, 0, 2)}, {0.13, Vec3(-1, 1, 4)}}), 1.2, 1.0, 0.4};
  cloth.stretch_scale = Animated<Vec2>({{0.0, Vec2(1, 1)}, {0.17, Vec2(1.01, 0.99)}});
  ChannelList list;
  list.push_back(std::make_unique<WindChannel>(test::channel_knots(4, CourseStart::kFree),
                                               ChannelSize{test::kChannelLength}));
  list.push_back(std::make_unique<StretchScaleChannel>(test::channel_knots(4, CourseStart::kZero)));
  list.push_back(std::make_unique<PinChannel>(PinKind::kHard, 0, test::channel_knots(4, CourseStart::kZero),
                                              ChannelSize{test::kChannelLength}));
  list.push_back(std::make_unique<MaterialChannel>(std::vector{MaterialNumber::kBend}, cloth.material));
  ChannelRun run(cloth, std::move(list), {}, {false, 1e-4, 1e-8});
  const ShootingIterate zero(run.problem(), VecX::Zero(run.problem().size()));
  const Trajectory scene = rollout(run.simulator(), run.start(), NoForces(), test::kChannelSteps);
  EXPECT_EQ(zero.trajectory().back().x, scene.back().x);
}

// A search that tries such lengths gets no run.
TEST(StretchScale, ThereIsNoClothOfLengthZero) {
  const ClothDescription cloth = test::channel_sheet();
  ChannelList list;
  list.push_back(std::make_unique<StretchScaleChannel>(test::channel_knots(4, CourseStart::kZero)));
  const VecX x = stacked(cloth.mesh.positions);
  SimulatorOptions options;
  options.dt = test::kChannelDt;
  const Channels channels(std::move(list), cloth, {x, VecX::Zero(x.size())}, options);
  const auto is_possible = [&](double added) {
    return channels.variant({VecX::Constant(channels.size(), added)}).is_possible;
  };
  EXPECT_TRUE(is_possible(-0.9));
  EXPECT_FALSE(is_possible(-1.0));
  EXPECT_FALSE(is_possible(-1.5));
  VecX one = VecX::Zero(channels.size());
  one(1) = -1.2;
  EXPECT_NEAR(channels.least_stretch_scale({one}), -0.2, 1e-12);
  EXPECT_FALSE(channels.variant({one}).is_possible);
}

}  // namespace
}  // namespace keydrape
