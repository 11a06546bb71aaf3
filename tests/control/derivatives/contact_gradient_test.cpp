// The gradient of whole runs of cloth that touches bodies: order 1.95 and more, central differences to
// 1e-6, tangent against adjoint to 1e-10. Nothing is frozen: the cloth comes down, slides, and leaves
// within the run.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "control/run/force_schedule.h"
#include "control/run/rollout.h"
#include "control/shooting/derivative_check.h"
#include "core/cloth/cloth.h"
#include "core/contact/body/level_set/mesh_level_set.h"
#include "core/contact/body/shape/half_space.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/support/bodies.h"
#include "tests/support/expect_exact.h"
#include "tests/support/motion.h"

namespace keydrape {
namespace {

constexpr int kLevelSide = 7, kContactSteps = 16;
constexpr double kContactDt = 1.0 / 60, kSize = 0.5;

// A slightly wavy square round the origin, level, so that no direction is special.
TriangleMesh level_sheet() {
  TriangleMesh mesh;
  const double cell = kSize / (kLevelSide - 1);
  for (int j = 0; j < kLevelSide; ++j)
    for (int i = 0; i < kLevelSide; ++i)
      mesh.positions.emplace_back(i * cell - 0.5 * kSize, 4e-3 * std::sin(9.0 * i * cell + 4.0 * j * cell),
                                  0.5 * kSize - j * cell);
  for (int j = 0; j + 1 < kLevelSide; ++j)
    for (int i = 0; i + 1 < kLevelSide; ++i) {
      const int a = j * kLevelSide + i, b = a + 1, c = a + kLevelSide, d = c + 1;
      if ((i + j) % 2) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({b, d, c});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({a, d, c});
      }
    }
  return mesh;
}

struct ContactCase {
  std::string name;
  ClothDescription cloth;
  bool strain_limit = false;     // whether triangles are to come near it
  double perturbation_g = 0.05;  // largest of the Taylor test
  StepMethod method = StepMethod::kConverged;
};

void PrintTo(const ContactCase& c, std::ostream* out) { *out << c.name; }

RigidMotion flight(const Vec3& velocity, const Vec3& turn_rate) {
  std::vector<RigidKey> keys;
  for (int k = 0; k <= 4; ++k) {
    const double t = 0.1 * k;
    const Eigen::AngleAxisd turn(t * turn_rate.norm(), turn_rate.normalized());
    keys.push_back({t, t * velocity, Eigen::Quaterniond(turn)});
  }
  return RigidMotion(std::move(keys));
}

const RigidMotion kMovesAndTurns = flight(Vec3(0.1, 0.2, -0.05), Vec3(0.4, 1.5, -0.6));

const RigidMotion kDrifts = flight(Vec3(0.02, 0.05, -0.01), Vec3(0.1, 0.4, -0.1));

std::shared_ptr<const Collider> plane(const Vec3& point, const Vec3& normal) {
  return std::make_shared<RigidCollider>(std::make_unique<HalfSpace>(point, normal));
}

// Just below the sheet.
std::shared_ptr<const Collider> ball(double radius, RigidMotion motion = {}) {
  return std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3(0.02, -radius - 6e-3, 0.03), radius),
                                         std::move(motion));
}

TriangleMesh lowered(TriangleMesh mesh, double depth) {
  for (Vec3& p : mesh.positions) p.y() -= depth;
  return mesh;
}

constexpr LevelSetOptions kGrid{0.0125, 0.03};

std::shared_ptr<const Collider> moving_cube() {
  const TriangleMesh cube = lowered(test::turned(test::box_mesh(Vec3(0.15, 0.1, 0.12)),
                                                 Eigen::AngleAxisd(0.3, Vec3(0, 1, 0)).toRotationMatrix()),
                                    0.12);
  return std::make_shared<RigidCollider>(mesh_level_set(cube.positions, cube.triangles, kGrid).field,
                                         kMovesAndTurns);
}

// A ball that is squeezed, turns and rises. Used without friction: DeformingCollider::carry() has kinks where
// the nearest triangle changes, and with friction the gradient has them too.
std::shared_ptr<const Collider> breathing_ball() {
  const TriangleMesh mesh = test::sphere_mesh(0.15, 2);
  MotionTrack track{{}, 5 * kContactDt};
  for (int s = 0; s <= 4; ++s) {
    const Mat3 turn = Eigen::AngleAxisd(0.1 * s, Vec3(0.6, 0.8, 0)).toRotationMatrix();
    const Vec3 shape(1 + 0.03 * s, 1 - 0.02 * s, 1 + 0.02 * s);
    VecX x(3 * mesh.vertex_count());
    for (int i = 0; i < mesh.vertex_count(); ++i)
      x.segment<3>(3 * i) =
          turn * shape.cwiseProduct(mesh.positions[i]) + Vec3(0, -0.16 + 0.015 * s, 0.005 * s);
    track.samples.push_back(x);
  }
  return std::make_shared<DeformingCollider>(track, mesh.triangles, DeformingColliderOptions{kGrid});
}

ContactCase falling(const std::string& name) {
  ContactCase c{name, {}};
  c.cloth.mesh = level_sheet();
  c.cloth.material = {0.3, 800, 600, 60, 3e-4, 0.01, 4e-4};
  return c;
}

ContactCase on_body(const std::string& name, std::shared_ptr<const Collider> collider,
                    const Animated<double>& friction,
                    double spacing = std::numeric_limits<double>::infinity()) {
  ContactCase c = falling(name);
  c.cloth.bodies = {{std::move(collider), friction, spacing}};
  return c;
}

ContactCase on_incline(const std::string& name, const Animated<double>& friction) {
  ContactCase c = on_body(name, plane(Vec3(0, -5e-3, 0), Vec3::UnitY()), friction);
  // A slope of 0.5.
  c.cloth.gravity = Vec3(kStandardGravity * std::sin(0.4636), -kStandardGravity * std::cos(0.4636), 0);
  return c;
}

// Folded along its middle row, the upper half just above the lower one and rising.
TriangleMesh folded(TriangleMesh mesh) {
  for (Vec3& p : mesh.positions) {
    if (p.z() >= 0.0) continue;
    p.y() += 8e-3 - 0.1 * p.z();
    p.z() = -p.z();
  }
  return mesh;
}

// Soft cloth that its own weight stretches to the limit.
Material limited_material() {
  Material soft{0.3, 20, 15, 5, 3e-4, 0.01, 4e-4};
  soft.strain_limit = 0.05;
  return soft;
}

std::vector<ContactCase> contact_cases() {
  ContactCase hang = on_body("hung_cloth_touches_a_sphere", ball(0.2), 0.0);
  hang.cloth.pins = {test::held(stacked(hang.cloth.mesh.positions), {0, kLevelSide - 1})};
  ContactCase all = on_body("everything", ball(0.12, kMovesAndTurns), 0.3, 0.04);
  all.cloth.bodies.push_back({plane(Vec3(0, -0.11, 0), Vec3(0.1, 1, 0.2)), 0.2});
  all.cloth.bodies.push_back({breathing_ball(), 0.0});
  all.cloth.pins = {test::held(stacked(all.cloth.mesh.positions), {0})};
  all.cloth.wind = Wind::Shared{Vec3(3, -2, 2), 1.2, 1.0, 0.4};
  ContactCase limited = hang;
  limited.name = "strain_limit";
  limited.cloth.material = limited_material();
  limited.strain_limit = true;
  ContactCase at_once = all;
  at_once.name = "everything_and_itself_and_strain_limit";
  at_once.cloth.bodies = {{ball(0.12, kDrifts), 0.3, 0.04}, all.cloth.bodies[1]};
  at_once.cloth.mesh = folded(at_once.cloth.mesh);
  at_once.cloth.material = limited_material();
  at_once.cloth.contact.self = true;
  at_once.strain_limit = true;
  at_once.perturbation_g = 0.002;
  std::vector<ContactCase> cases{
      hang,
      on_incline("sticks_on_an_incline", 0.8),
      on_incline("slides_on_an_incline", 0.2),
      on_incline("is_let_go_on_an_incline", Animated<double>({{0.1, 0.8}, {0.2, 0.1}})),
      on_body("sphere_moves_and_turns", ball(0.15, kMovesAndTurns), 0.3, 0.03),
      on_body("level_set_moves_and_turns", moving_cube(), 0.3, 0.04),
      on_body("level_set_deforms", breathing_ball(), 0.0, 0.04),
      all,
      limited,
      at_once};
  for (const ContactCase& c : std::vector<ContactCase>{cases[3], all, at_once}) {
    cases.push_back(c);
    cases.back().name += "_of_bdf2";
    cases.back().method = StepMethod::kBdf2;
  }
  return cases;
}

class ContactRun : public testing::TestWithParam<ContactCase> {
 protected:
  ContactRun()
      : model_(build_model(GetParam().cloth)), simulator_(model_, simulator_options()), start_(start()) {
    std::vector<int> blocks(kContactSteps), active;
    for (int n = 0; n < kContactSteps; ++n) blocks[n] = n / 2;
    for (int i = 1; i < model_.vertex_count(); ++i) active.push_back(i);
    layout_ = std::make_unique<ControlLayout>(blocks, active, model_.vertex_mass());
    objective_ = std::make_unique<Objective>(ObjectiveOptions{0.7, 1e-4, 1.0, 0.0}, keyframes(), *layout_,
                                             2 * kContactDt, std::vector<Objective::EdgeLength>{});
    problem_ = std::make_unique<ShootingProblem>(simulator_, start_, *layout_, *objective_, size_t{1} << 30);
  }

  static SimulatorOptions simulator_options() {
    SimulatorOptions options;
    options.dt = kContactDt;
    options.method = GetParam().method;
    options.newton.tolerance = 1e-14;  // taken to be the rounding error of the residual
    return options;
  }

  State start() const {
    const VecX x = stacked(GetParam().cloth.mesh.positions);
    VecX v(x.size());
    for (Eigen::Index i = 0; i < v.size(); ++i) v(i) = 0.1 * std::sin(2.0 * i);
    return {x, v};
  }

  std::vector<Keyframe> keyframes() const {
    const int n = model_.vertex_count();
    Keyframe half{kContactSteps / 2, start_.x, VecX::Ones(n), 0.7, 0.1, VecX::Constant(3 * n, 0.2)};
    Keyframe end{kContactSteps, start_.x, VecX::LinSpaced(n, 0.0, 1.0), 1.0, 0.0, {}};
    for (int i = 0; i < n; ++i) end.target.segment<3>(3 * i) += Vec3(0.1, 0.05, 0.2 * start_.x(3 * i));
    return {half, end};
  }

  // Steps of the uncontrolled run at whose end an energy pushes.
  struct ActiveSteps {
    int body = 0, strain_limit = 0, itself = 0;
  };
  ActiveSteps active_steps() const {
    const Trajectory run = rollout(simulator_, start_, NoForces(), kContactSteps);
    ActiveSteps count;
    EXPECT_EQ(run.first_failure(), kContactSteps)
        << "end " << static_cast<int>(run.reports.back().end) << ", " << run.reports.back().violations
        << " violations, residual " << run.reports.back().residual << " after "
        << run.reports.back().iterations;
    for (int n = 0; n < run.first_failure(); ++n) {
      const StepStart step{kContactDt, (n + 1) * kContactDt, run.states[n].x, run.states[n].v};
      const auto pushes = [&](std::string_view name) {
        VecX force = VecX::Zero(start_.x.size());
        for (const auto& energy : model_.energies())
          if (energy->name() == name) energy->begin_step(step)->add_gradient(run.states[n + 1].x, force);
        return !force.isZero(0.0);
      };
      count.body += pushes("collider contact");
      count.strain_limit += pushes("strain limit");
      for (const auto& energy : model_.energies())
        if (energy->couples_what_touches())
          count.itself += energy->begin_step(step)->stored(run.states[n + 1].x) > 0.0;
    }
    return count;
  }

  Model model_;
  Simulator simulator_;
  State start_;
  std::unique_ptr<ControlLayout> layout_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ShootingProblem> problem_;
};

TEST_P(ContactRun, GradientIsExact) {
  const ActiveSteps active = active_steps();
  ASSERT_FALSE(HasFailure());
  const DerivativeCheck check = check_derivatives(*problem_, {.direction_rms_g = GetParam().perturbation_g});
  test::expect_exact(GetParam().name, check, test::kWithContact,
                     ", steps in contact " + std::to_string(active.body) + ", with itself " +
                         std::to_string(active.itself) + ", at the strain limit " +
                         std::to_string(active.strain_limit));
  EXPECT_GE(active.body, kContactSteps / 2);
  EXPECT_GE(active.itself, GetParam().cloth.contact.self ? kContactSteps / 2 : 0);
  EXPECT_GE(active.strain_limit, GetParam().strain_limit ? kContactSteps / 2 : 0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, ContactRun, testing::ValuesIn(contact_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace keydrape
