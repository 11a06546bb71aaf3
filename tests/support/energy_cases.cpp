// A case for each energy: a random element, what it shares, its rest shape, and the numbers of the cloth
// that move it.

#include <algorithm>
#include <cmath>

#include "core/energy/attachment.h"
#include "core/energy/buckling_curve.h"
#include "core/energy/carried_mass.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/isotropic_membrane.h"
#include "core/energy/load/pressure.h"
#include "core/energy/load/wind.h"
#include "core/energy/quadratic_bending.h"
#include "core/energy/shear.h"
#include "core/energy/spring.h"
#include "core/energy/stretch.h"
#include "tests/support/element_of.h"
#include "tests/support/energy_case.h"
#include "tests/support/rest_triangle.h"

namespace keydrape::test {
namespace {

constexpr int kSampleCount = 24;

template <Element E>
struct Kind {
  E (*element)(Rng&);
  typename E::Shared shared;
  Stencil<E::kVertices> rest;
  std::vector<Parameter> parameters{};
  Move<E> move = nullptr;
};

template <Element E>
EnergyCase named(std::string name, const Kind<E>& kind, const EnergyTraits& traits = {}) {
  const auto element = [kind](Rng& rng) {
    return std::make_shared<const ElementOf<E>>(kind.element(rng), kind.shared, kind.move);
  };
  const VecX rest = kind.rest.reshaped();
  return {std::move(name), traits, element, rest, rest, kind.parameters};
}

std::vector<Parameter> parameters(std::initializer_list<Parameter::Kind> kinds) {
  std::vector<Parameter> all;
  for (const Parameter::Kind kind : kinds) all.push_back({kind});
  return all;
}

// ---- Stretch, plain; with warp that folds between the vertices and weft that stiffens as it is pulled and
// gives in compression; and both with warp and weft that draw each other in, in proportion, and as curves
// have it. ----

Stretch stretch(Rng& rng) { return {{0, 1, 2}, rest_triangle(), 30.0, 20.0, uniform(rng, 0.0, 0.05)}; }

Stretch coupled_stretch(Rng& rng) {
  Stretch element = stretch(rng);
  element.coupling = 0.6;
  return element;
}

void move_stretch(const Parameter& p, const VecX& d, Stretch& e, Stretch::Shared& shared) {
  if (p.kind == Parameter::kStretchScale) shared.scale = Vec2(shared.scale.at(kTime) + d);
  if (p.kind == Parameter::kLogWarp) e.k_warp *= std::exp(d(0));
  if (p.kind == Parameter::kLogWeft) e.k_weft *= std::exp(d(0));
  if (p.kind == Parameter::kLogDamping) e.damping *= std::exp(d(0));
}

std::shared_ptr<const ConditionCurve> folding_warp(double log_bend_over_k) {
  return std::make_shared<const ConditionCurve>(buckling_curve(0.01 * std::exp(log_bend_over_k)));
}

std::shared_ptr<const ConditionCurve> stiffening_weft() {
  const auto softer = std::make_shared<const ConditionCurve>(softer_curve(0.3));
  return std::make_shared<const ConditionCurve>(joined(softer, tester_curve(0.3, 25.0, 0.7, 0.2).curve));
}

void move_curved_stretch(const Parameter& p, const VecX& d, Stretch& e, Stretch::Shared& shared) {
  if (p.kind == Parameter::kLogBend)
    shared.warp_curve = folding_warp(d(0));
  else
    move_stretch(p, d, e, shared);
  if (p.kind == Parameter::kLogWarp) shared.warp_curve = folding_warp(-d(0));
}

Kind<Stretch> stretch_kind(Stretch (*element)(Rng&)) {
  return {element,
          {},
          kRestTriangle,
          parameters(
              {Parameter::kStretchScale, Parameter::kLogWarp, Parameter::kLogWeft, Parameter::kLogDamping}),
          move_stretch};
}

Kind<Stretch> curved_stretch_kind(Stretch (*element)(Rng&)) {
  Kind<Stretch> kind = stretch_kind(element);
  kind.shared = {Vec2(2.0, 1), folding_warp(0.0), stiffening_weft()};
  kind.parameters.push_back({Parameter::kLogBend});
  kind.move = move_curved_stretch;
  return kind;
}

Kind<IsotropicMembrane> isotropic_kind() {
  return {[](Rng&) -> IsotropicMembrane {
            return {{0, 1, 2}, rest_triangle(), 12.0, 9.0};
          },
          {},
          kRestTriangle,
          parameters({Parameter::kStretchScale}),
          [](const Parameter&, const VecX& d, IsotropicMembrane&, IsotropicMembrane::Shared& shared) {
            shared.scale = Vec2(shared.scale.at(kTime) + d);
          }};
}

// ---- Shear, and threads that rub, and lock at large angles. ----

Shear shear(Rng& rng) { return {{0, 1, 2}, rest_triangle(), 10.0, uniform(rng, 0.0, 0.05)}; }

Kind<Shear> shear_kind() {
  return {shear,
          {},
          kRestTriangle,
          parameters({Parameter::kLogShear, Parameter::kLogDamping}),
          [](const Parameter& p, const VecX& d, Shear& e, Shear::Shared&) {
            (p.kind == Parameter::kLogShear ? e.k : e.damping) *= std::exp(d(0));
          }};
}

Kind<Shear> rubbing_shear_kind() {
  static constexpr CurvePoint kPoints[] = {{0.0, 0.0}, {0.1, 1.0}, {0.3, 3.0}, {0.6, 12.0}};
  Kind<Shear> kind = shear_kind();
  kind.element = [](Rng& rng) {
    Shear element = shear(rng);
    element.has_friction = true;
    return element;
  };
  kind.shared = {std::make_shared<const ConditionCurve>(measured_curve(kPoints).curve), {2.0, 40.0}};
  return kind;
}

// ---- Hinges: plain; that rub; both of whose triangles count less; of a crease. ----

const Stencil<4> kRestHinge{{0.0, 1.0, 0.4, 0.7}, {0.0, 0.0, 0.8, -0.6}, {0.0, 0.0, 0.0, 0.0}};

HingeBending hinge(Rng& rng) { return {{0, 1, 2, 3}, 0.0, 2.0, uniform(rng, 0.0, 0.05)}; }

Kind<HingeBending> hinge_kind(HingeBending (*element)(Rng&)) {
  return {element,
          {},
          kRestHinge,
          parameters({Parameter::kLogBend, Parameter::kLogDamping}),
          [](const Parameter& p, const VecX& d, HingeBending& e, HingeBending::Shared&) {
            if (p.kind == Parameter::kLogBend) e.k *= std::exp(d(0));
            e.k_d *= std::exp(d(0));  // damping times k
          }};
}

HingeBending rubbing_hinge(Rng& rng) {
  HingeBending element = hinge(rng);
  element.friction = {0.7, 60.0};
  return element;
}

HingeBending collapsed_hinge(Rng& rng) {
  return {{0, 1, 2, 3}, 0.1, 2.0, uniform(rng, 0.0, 0.05), {0.6, 0.5}};
}

Kind<HingeBending> creased_hinge_kind() {
  Kind<HingeBending> kind = hinge_kind([](Rng& rng) {
    HingeBending element = hinge(rng);
    element.crease = 1;
    return element;
  });
  kind.shared = {{Animated<double>(-1.0), Animated<double>({{kTime - 1, 0.0}, {kTime + 1, 1.4}})}};
  return kind;
}

Kind<QuadraticBending> quadratic_bending_kind() {
  return {[](Rng&) -> QuadraticBending {
            return {{0, 1, 2, 3}, flat_hinge_weights({1.0, {0.4, 0.8}, {0.7, -0.6}}), 2.0};
          },
          {},
          kRestHinge,
          parameters({Parameter::kLogBend}),
          [](const Parameter&, const VecX& d, QuadraticBending& e, QuadraticBending::Shared&) {
            e.k *= std::exp(d(0));
          }};
}

// ---- Springs: one that is bent as a column, by a curve of its strain; plain; of no length. ----

Kind<Spring> bending_spring_kind() {
  return {[](Rng& rng) -> Spring {
            return {{0, 1}, 5.0, 0.7, uniform(rng, 0.0, 0.05), 0.7};
          },
          {std::make_shared<const ConditionCurve>(buckling_curve(0.01))},
          Stencil<2>{{0.0, 0.7}, {0.0, 0.0}, {0.0, 0.0}}};
}

Kind<Spring> spring_kind() {
  return {[](Rng& rng) -> Spring {
            return {{0, 1}, 5.0, 0.7, uniform(rng, 0.0, 0.05)};
          },
          {},
          Stencil<2>{{0.0, 0.7}, {0.0, 0.0}, {0.0, 0.0}}};
}

Kind<Spring> seam_kind() {
  return {[](Rng& rng) -> Spring {
            return {{0, 1}, 5.0, 0.0, uniform(rng, 0.0, 0.05)};
          },
          {},
          Stencil<2>::Zero()};
}

// ---- What is bound to a place, to the air or to a frame. ----

// Paths are linear from 0 to 1 s: one that is moved at one of the two times and not at the other.
void move_attachment(const Parameter& p, const VecX& d, Attachment&, Attachment::Shared& shared) {
  const double still = p.kind == Parameter::kPinEnd ? kTime - kDt : kTime;
  const double moved = p.kind == Parameter::kPinEnd ? kTime : kTime - kDt;
  for (int k = 0; k < 2; ++k) shared.motion.samples[k] += (k - still) / (moved - still) * d.replicate<2, 1>();
}

EnergyCase attachment_case() {
  const VecX first = VecX::LinSpaced(6, 0.0, 1.0), last = VecX::LinSpaced(6, 2.0, -1.0);
  const Vec3 normal = Vec3(1, 2, 2) / 3;
  const Attachment::Shared shared{{{first, last}, 1.0},
                                  normal * normal.transpose(),
                                  0.0,
                                  1.0,
                                  Animated<double>({{0.0, 1.0}, {1.0, 0.2}})};
  const Kind<Attachment> kind{[](Rng& rng) -> Attachment {
                                return {{0}, 1, 5.0, uniform(rng, 0.0, 0.05)};
                              },
                              shared,
                              shared.motion.position(1, kTime),
                              {{Parameter::kPinEnd, 0}, {Parameter::kPinStart, 0}},
                              move_attachment};
  EnergyCase attachment = named("Attachment", kind, {.is_objective = false});
  attachment.start_at_rest = shared.motion.position(1, kTime - kDt);  // it rests while it follows its point
  return attachment;
}

Kind<Wind> wind_kind() {
  return {[](Rng&) -> Wind {
            return {{0, 1, 2}};
          },
          {Vec3(3, 2, -1), 1.2, 0.7, 0.4},
          kRestTriangle,
          parameters({Parameter::kAir}),
          [](const Parameter&, const VecX& d, Wind&, Wind::Shared& shared) {
            shared.velocity = Vec3(shared.velocity.at(kTime) + d);
          }};
}

Kind<Pressure> pressure_kind() {
  return {[](Rng&) -> Pressure { return {{0, 1, 2}}; }, {40.0}, kRestTriangle};
}

// A frame that is moved and turned, by which all may be carried at kTime.
MovingFrame shaken_frame() {
  const auto turn = [](double angle) { return Eigen::AngleAxisd(angle, Vec3(1, 2, 2).normalized()); };
  const std::vector<RigidKey> keys = {{kTime - 6 * kDt, Vec3(0.1, 0.0, 0.2), Eigen::Quaterniond(turn(0.2))},
                                      {kTime - 2 * kDt, Vec3(0.3, 0.1, 0.1), Eigen::Quaterniond(turn(0.9))},
                                      {kTime + kDt, Vec3(0.2, 0.4, 0.0), Eigen::Quaterniond(turn(0.5))}};
  return {RigidMotion(keys), 0.8, 0.6};
}

// That pulls along the cloth's own motion within its plane.
Kind<Wind> lifting_wind_kind() {
  Kind<Wind> kind = wind_kind();
  std::swap(kind.shared.drag, kind.shared.lift);
  return kind;
}

// Wind in air that a frame carries along.
Kind<Wind> carried_wind_kind() {
  Kind<Wind> kind = wind_kind();
  kind.shared.frame = std::make_shared<const MovingFrame>(shaken_frame());
  return kind;
}

Kind<CarriedMass> carried_mass_kind() {
  return {[](Rng&) -> CarriedMass {
            return {{0}, 0.3};
          },
          {shaken_frame()},
          Vec3(0.4, 0.2, -0.1),
          parameters({Parameter::kLogDensity}),
          [](const Parameter&, const VecX& d, CarriedMass& e, CarriedMass::Shared&) {
            e.mass *= std::exp(d(0));
          }};
}

}  // namespace

std::vector<EnergySample> EnergyCase::samples() const {
  Rng rng(1);
  const int K = vertex_count(), others = std::min(K - 1, 2);
  std::vector<EnergySample> samples;
  for (int i = 0; i < kSampleCount; ++i) {
    EnergySample s{element(rng), rest, noise(rng, K, 2.0), rest};
    s.y += noise(rng, K, i % 3 == 1 ? 1.0 : 0.1);
    if (i % 3 == 2) {  // the last vertex almost meets the middle of the others
      auto columns = s.y.reshaped(3, K);
      if (others > 0) columns.col(K - 1) = columns.leftCols(others).rowwise().mean().eval();
      columns.col(K - 1) += 2e-3 * (noise(rng, 1, 1.0) + Vec3(0.5, 2.0, -1.5));
      s.reach = 2e-5;
    }
    s.x = s.y + noise(rng, K, i % 3 == 2 ? 0.1 * 2e-3 : 0.05);
    samples.push_back(s);
  }
  return samples;
}

std::vector<EnergyCase> energy_cases() {
  // Too long for its triangle, so that it is in compression; and a curve bends within smaller changes.
  const EnergyTraits curved{.rests = false, .parameter_reach = 1e-2};
  const EnergyTraits load{.is_objective = false, .rests = false};
  const EnergyTraits not_flat{.rests = false};
  return {
      named("Stretch", stretch_kind(stretch)),
      named("IsotropicMembrane", isotropic_kind()),
      named("CurvedStretch", curved_stretch_kind(stretch), curved),
      named("CoupledWeave", stretch_kind(coupled_stretch)),
      named("CurvedWeave", curved_stretch_kind(coupled_stretch), curved),
      named("Shear", shear_kind()),
      named("RubbingShear", rubbing_shear_kind()),
      named("HingeBending", hinge_kind(hinge)),
      named("RubbingHinge", hinge_kind(rubbing_hinge)),
      named("CollapsedHinge", hinge_kind(collapsed_hinge), not_flat),
      named("CreasedHinge", creased_hinge_kind(), not_flat),
      named("QuadraticBending", quadratic_bending_kind()),
      named("BendingSpring", bending_spring_kind()),
      named("Spring", spring_kind()),
      named("Seam", seam_kind(), {.only_pulls = true}),
      attachment_case(),
      named("Wind", wind_kind(), load),
      named("LiftingWind", lifting_wind_kind(), load),
      named("CarriedWind", carried_wind_kind(), load),
      named("CarriedMass", carried_mass_kind(),
            {.is_objective = false, .rests = false, .is_force_alone = true, .cross_rounding = 1e-14}),
      named("Pressure", pressure_kind(), {.is_objective = false, .rests = false, .is_force_alone = true})};
}

}  // namespace keydrape::test
