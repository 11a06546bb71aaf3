// Every energy's derivatives by numbers of the cloth (tests/support/energy_cases.h).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/energy_cases.h"

namespace keydrape {
namespace {

using namespace test;

// ---- Parameters: each with what it does to an element and to what it shares. ----

template <class E>
struct Parameters {
  static std::vector<Parameter> all() { return {}; }
  static void move(const Parameter&, const VecX&, E&, typename E::Shared&) {}
};

template <>
struct Parameters<Stretch> {
  static std::vector<Parameter> all() {
    return {
        {Parameter::kStretchScale}, {Parameter::kLogWarp}, {Parameter::kLogWeft}, {Parameter::kLogDamping}};
  }
  static void move(const Parameter& p, const VecX& d, Stretch& e, Stretch::Shared& shared) {
    if (p.kind == Parameter::kStretchScale) shared.scale = Vec2(shared.scale.at(kTime) + d);
    if (p.kind == Parameter::kLogWarp) e.k_warp *= std::exp(d(0));
    if (p.kind == Parameter::kLogWeft) e.k_weft *= std::exp(d(0));
    if (p.kind == Parameter::kLogDamping) e.damping *= std::exp(d(0));
  }
};

template <>
struct Parameters<IsotropicMembrane> {
  static std::vector<Parameter> all() { return {{Parameter::kStretchScale}}; }
  static void move(const Parameter&, const VecX& d, IsotropicMembrane&, IsotropicMembrane::Shared& shared) {
    shared.scale = Vec2(shared.scale.at(kTime) + d);
  }
};

template <>
struct Parameters<CoupledWeave> : Parameters<Stretch> {};

template <>
struct Parameters<CurvedStretch> {
  static std::vector<Parameter> all() {
    std::vector<Parameter> all = Parameters<Stretch>::all();
    all.push_back({Parameter::kLogBend});
    return all;
  }
  static void move(const Parameter& p, const VecX& d, CurvedStretch& e, Stretch::Shared& shared) {
    if (p.kind == Parameter::kLogBend)
      shared.warp_curve = CurvedStretch::warp(d(0));
    else
      Parameters<Stretch>::move(p, d, e, shared);
    if (p.kind == Parameter::kLogWarp) shared.warp_curve = CurvedStretch::warp(-d(0));
  }
};

template <>
struct Parameters<CurvedWeave> : Parameters<CurvedStretch> {};

template <>
struct Parameters<Shear> {
  static std::vector<Parameter> all() { return {{Parameter::kLogShear}, {Parameter::kLogDamping}}; }
  static void move(const Parameter& p, const VecX& d, Shear& e, Shear::Shared&) {
    (p.kind == Parameter::kLogShear ? e.k : e.damping) *= std::exp(d(0));
  }
};

template <>
struct Parameters<HingeBending> {
  static std::vector<Parameter> all() { return {{Parameter::kLogBend}, {Parameter::kLogDamping}}; }
  static void move(const Parameter& p, const VecX& d, HingeBending& e, HingeBending::Shared&) {
    if (p.kind == Parameter::kLogBend) e.k *= std::exp(d(0));
    e.k_d *= std::exp(d(0));  // damping times k
  }
};

template <>
struct Parameters<RubbingShear> : Parameters<Shear> {};

template <>
struct Parameters<RubbingHinge> : Parameters<HingeBending> {};

template <>
struct Parameters<CollapsedHinge> : Parameters<HingeBending> {};

template <>
struct Parameters<QuadraticBending> {
  static std::vector<Parameter> all() { return {{Parameter::kLogBend}}; }
  static void move(const Parameter&, const VecX& d, QuadraticBending& e, QuadraticBending::Shared&) {
    e.k *= std::exp(d(0));
  }
};

template <>
struct Parameters<Attachment> {
  static std::vector<Parameter> all() { return {{Parameter::kPinEnd, 0}, {Parameter::kPinStart, 0}}; }
  // Paths are linear from 0 to 1 s: one that is moved at one of the two times and not at the other.
  static void move(const Parameter& p, const VecX& d, Attachment&, Attachment::Shared& shared) {
    const double still = p.kind == Parameter::kPinEnd ? kTime - kDt : kTime;
    const double moved = p.kind == Parameter::kPinEnd ? kTime : kTime - kDt;
    for (int k = 0; k < 2; ++k)
      shared.motion.samples[k] += (k - still) / (moved - still) * d.replicate<2, 1>();
  }
};

template <>
struct Parameters<Wind> {
  static std::vector<Parameter> all() { return {{Parameter::kAir}}; }
  static void move(const Parameter&, const VecX& d, Wind&, Wind::Shared& shared) {
    shared.velocity = Vec3(shared.velocity.at(kTime) + d);
  }
};

template <>
struct Parameters<CarriedWind> : Parameters<Wind> {};

template <>
struct Parameters<CarriedMass> {
  static std::vector<Parameter> all() { return {{Parameter::kLogDensity}}; }
  static void move(const Parameter&, const VecX& d, CarriedMass& e, CarriedMass::Shared&) {
    e.mass *= std::exp(d(0));
  }
};

template <class E>
class EnergyParameterTest : public testing::Test {};
TYPED_TEST_SUITE(EnergyParameterTest, Energies);

// The gradient with p moved by d.
template <class E>
Stencil<E::kVertices> gradient_with(const Sample<E>& s, const Parameter& p, const VecX& d) {
  E element = s.element;
  typename E::Shared shared = Case<E>::shared();
  Parameters<E>::move(p, d, element, shared);
  const VecX none;
  const StepStart step{kDt, kTime, none, none};
  return element.gradient(s.y, element.start(shared_at_step(shared, step), step, {s.x, s.v}));
}

TYPED_TEST(EnergyParameterTest, DerivativesAreThoseOfTheGradient) {
  if constexpr (ElementWithParameters<TypeParam>) {
    // A curve bends within smaller changes.
    constexpr double kReach = std::is_base_of_v<CurvedStretch, TypeParam> ? 1e-2 : 1e-1;
    Rng rng(9);
    for (const auto& s : Sample<TypeParam>::all())
      for (const Parameter& p : Parameters<TypeParam>::all()) {
        const VecX d = noise<1>(rng, 1.0).head(p.size());
        const auto g = gradient_with(s, p, VecX::Zero(p.size()));
        const ParameterDerivative<TypeParam::kVertices> by = s.element.gradient_by(p, s.y, s.x, s.start());
        ASSERT_EQ(by.cols(), p.size());
        const VecX change = by * d;
        const auto error = [&](double e) {
          return (VecX((gradient_with(s, p, e * d) - g).reshaped()) - e * change).norm();
        };
        EXPECT_GT(mean_order(kReach, 1e-13 * (g.norm() + by.norm()), error), kOrder) << p.kind;
        EXPECT_GT(change.norm(), 0.0) << p.kind;
      }
  } else {
    GTEST_SKIP() << "no numbers that are sought";
  }
}

TYPED_TEST(EnergyParameterTest, FamilyAddsWhatItsElementKnows) {
  using E = TypeParam;
  constexpr int K = E::kVertices;
  const Sample<E> s = Sample<E>::all()[1];
  const ElementFamily<E> family("energy", {s.element}, Case<E>::shared());
  const VecX x = s.x.reshaped(), v = s.v.reshaped(), y = s.y.reshaped();
  const auto step = family.begin_step({kDt, kTime, x, v});
  for (int kind = Parameter::kAir; kind <= Parameter::kLogDensity; ++kind) {
    const Parameter p{static_cast<Parameter::Kind>(kind), 0};
    const Eigen::MatrixXd before = Eigen::MatrixXd::Constant(3 * K, p.size(), 1.0);
    Eigen::MatrixXd by = before, expected = before;
    step->add_parameter_derivative(p, y, by);
    if constexpr (ElementWithParameters<E>) {
      const auto own = s.element.gradient_by(p, s.y, s.x, s.start());
      if (own.cols() > 0) expected += own;
    }
    EXPECT_EQ(by, expected) << kind;
    const std::vector<Parameter> known = Parameters<E>::all();
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const Parameter& q) { return q.kind == p.kind; });
    EXPECT_EQ(by != before, is_known) << kind;
  }
}

}  // namespace
}  // namespace keydrape
