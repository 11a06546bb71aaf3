#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/energy/attachment.h"
#include "core/energy/buckling_curve.h"
#include "core/energy/carried_mass.h"
#include "core/energy/element_family.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/isotropic_membrane.h"
#include "core/energy/load/pressure.h"
#include "core/energy/quadratic_bending.h"
#include "core/energy/shear.h"
#include "core/energy/spring.h"
#include "core/energy/stretch.h"
#include "core/energy/load/wind.h"

// Elements in states of all kinds, for suites over every energy. Derivatives are judged by their order, not
// by a tolerance: that is free of scale, and it catches a lost term.

namespace keydrape::test {

using Rng = std::mt19937_64;

constexpr double kDt = 0.01;
constexpr double kTime = 0.5;
constexpr int kSamples = 24;
constexpr double kOrder = 1.8;

inline double uniform(Rng& rng, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(rng);
}

template <int N>
Stencil<N> noise(Rng& rng, double scale) {
  return Stencil<N>::NullaryExpr([&] { return uniform(rng, -scale, scale); });
}

// ---- One case for each energy: a random element, what it shares, and its rest shape. ----
// kObjective: W is the same after any rigid motion. kRests: rest() is without force; false of loads.

template <class E>
struct Case;

inline const Stencil<3> kRestTriangle{{0.0, 1.0, 0.2}, {0.0, 0.1, 0.9}, {0.0, 0.0, 0.0}};
inline const Stencil<4> kRestHinge{{0.0, 1.0, 0.4, 0.7}, {0.0, 0.0, 0.8, -0.6}, {0.0, 0.0, 0.0, 0.0}};

inline RestTriangle rest_triangle() { return RestTriangle::from_corners({0.0, 0.0}, {1.0, 0.1}, {0.2, 0.9}); }
inline RestHinge rest_hinge() { return {1.0, {0.4, 0.8}, {0.7, -0.6}}; }

template <>
struct Case<Stretch> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static Stretch element(Rng& rng) {
    return {{0, 1, 2}, rest_triangle(), 30.0, 20.0, uniform(rng, 0.0, 0.05)};
  }
  static Stretch::Shared shared() { return {}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

// Warp that folds between the vertices, weft that stiffens as it is pulled and gives in compression.
struct CurvedStretch : Stretch {
  static std::shared_ptr<const ConditionCurve> warp(double log_bend_over_k) {
    return std::make_shared<const ConditionCurve>(buckling_curve(0.01 * std::exp(log_bend_over_k)));
  }
  static std::shared_ptr<const ConditionCurve> weft() {
    const ConditionCurve softer = softer_curve(0.3);
    return std::make_shared<const ConditionCurve>(joined(&softer, tester_curve(0.3, 25.0, 0.7, 0.2).curve));
  }
};

template <>
struct Case<CurvedStretch> : Case<Stretch> {
  static constexpr bool kRests = false;  // too long for its triangle, so that it is in compression
  static CurvedStretch element(Rng& rng) { return {Case<Stretch>::element(rng)}; }
  static const Stretch::Shared& shared() {  // outlives what starts with it
    static const Stretch::Shared kShared{{Vec2(2.0, 1)}, CurvedStretch::warp(0.0), CurvedStretch::weft()};
    return kShared;
  }
};

// Warp and weft that draw each other in, in proportion, and as curves have it.
struct CoupledWeave : Stretch {};
struct CurvedWeave : CurvedStretch {};

template <class Woven, class Apart>
struct CoupledCase : Case<Apart> {
  static Woven element(Rng& rng) {
    Woven element{Case<Apart>::element(rng)};
    element.coupling = 0.6;
    return element;
  }
};
template <>
struct Case<CoupledWeave> : CoupledCase<CoupledWeave, Stretch> {};
template <>
struct Case<CurvedWeave> : CoupledCase<CurvedWeave, CurvedStretch> {};

template <>
struct Case<Shear> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static Shear element(Rng& rng) { return {{0, 1, 2}, rest_triangle(), 10.0, uniform(rng, 0.0, 0.05)}; }
  static Shear::Shared shared() { return {}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

template <>
struct Case<IsotropicMembrane> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static IsotropicMembrane element(Rng&) { return {{0, 1, 2}, rest_triangle(), 12.0, 9.0}; }
  static IsotropicMembrane::Shared shared() { return {}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

struct RubbingShear : Shear {};  // threads that rub, and lock at large angles

template <>
struct Case<RubbingShear> : Case<Shear> {
  static RubbingShear element(Rng& rng) {
    RubbingShear element{Case<Shear>::element(rng)};
    element.has_friction = true;
    return element;
  }
  static const Shear::Shared& shared() {
    static constexpr CurvePoint kPoints[] = {{0.0, 0.0}, {0.1, 1.0}, {0.3, 3.0}, {0.6, 12.0}};
    static const Shear::Shared kShared{std::make_shared<const ConditionCurve>(measured_curve(kPoints).curve),
                                       {2.0, 40.0}};
    return kShared;
  }
};

template <>
struct Case<HingeBending> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static HingeBending element(Rng& rng) { return {{0, 1, 2, 3}, 0.0, 2.0, uniform(rng, 0.0, 0.05)}; }
  static HingeBending::Shared shared() { return {}; }
  static Stencil<4> rest() { return kRestHinge; }
};

struct RubbingHinge : HingeBending {};

template <>
struct Case<RubbingHinge> : Case<HingeBending> {
  static RubbingHinge element(Rng& rng) {
    RubbingHinge element{Case<HingeBending>::element(rng)};
    element.friction = {0.7, 60.0};
    return element;
  }
};

struct CollapsedHinge : HingeBending {};  // both triangles count less: a case of its own

template <>
struct Case<CollapsedHinge> : Case<HingeBending> {
  static CollapsedHinge element(Rng& rng) {
    return {{{0, 1, 2, 3}, 0.1, 2.0, uniform(rng, 0.0, 0.05), {0.6, 0.5}}};
  }
  static constexpr bool kRests = false;  // not flat
};

struct CreasedHinge : HingeBending {};

template <>
struct Case<CreasedHinge> : Case<HingeBending> {
  static CreasedHinge element(Rng& rng) {
    CreasedHinge element{Case<HingeBending>::element(rng)};
    element.crease = 1;
    return element;
  }
  static HingeBending::Shared shared() {
    return {{Animated<double>(-1.0), Animated<double>({{kTime - 1, 0.0}, {kTime + 1, 1.4}})}};
  }
  static constexpr bool kRests = false;  // not flat
};

template <>
struct Case<QuadraticBending> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static QuadraticBending element(Rng&) { return {{0, 1, 2, 3}, flat_hinge_weights(rest_hinge()), 2.0}; }
  static QuadraticBending::Shared shared() { return {}; }
  static Stencil<4> rest() { return kRestHinge; }
};

template <>
struct Case<Spring> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static Spring element(Rng& rng) { return {{0, 1}, 5.0, 0.7, uniform(rng, 0.0, 0.05)}; }
  static Spring::Shared shared() { return {}; }
  static Stencil<2> rest() { return Stencil<2>{{0.0, 0.7}, {0.0, 0.0}, {0.0, 0.0}}; }
};

// One that is bent as a column, by a curve of its strain.
struct BendingSpring : Spring {};

template <>
struct Case<BendingSpring> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static BendingSpring element(Rng& rng) { return {{{0, 1}, 5.0, 0.7, uniform(rng, 0.0, 0.05), 0.7}}; }
  static const BendingSpring::Shared& shared() {  // outlives what starts with it
    static const BendingSpring::Shared kShared{std::make_shared<const ConditionCurve>(buckling_curve(0.01))};
    return kShared;
  }
  static Stencil<2> rest() { return Stencil<2>{{0.0, 0.7}, {0.0, 0.0}, {0.0, 0.0}}; }
};

struct Seam : Spring {};  // a spring of rest length 0, to be a case of its own

template <>
struct Case<Seam> {
  static constexpr bool kObjective = true;
  static constexpr bool kRests = true;
  static Seam element(Rng& rng) { return {{{0, 1}, 5.0, 0.0, uniform(rng, 0.0, 0.05)}}; }
  static Seam::Shared shared() { return {}; }
  static Stencil<2> rest() { return Stencil<2>::Zero(); }
};

template <>
struct Case<Attachment> {
  static constexpr bool kObjective = false;
  static constexpr bool kRests = true;
  static Attachment element(Rng& rng) { return {{0}, 1, 5.0, uniform(rng, 0.0, 0.05)}; }
  static Attachment::Shared shared() {
    const VecX first = VecX::LinSpaced(6, 0.0, 1.0), last = VecX::LinSpaced(6, 2.0, -1.0);
    const Vec3 normal = Vec3(1, 2, 2) / 3;
    return {{{first, last}, 1.0},
            normal * normal.transpose(),
            0.0,
            1.0,
            Animated<double>({{0.0, 1.0}, {1.0, 0.2}})};
  }
  static Stencil<1> rest() { return shared().motion.position(1, kTime); }
};

template <>
struct Case<Wind> {
  static constexpr bool kObjective = false;
  static constexpr bool kRests = false;
  static Wind element(Rng&) { return {{0, 1, 2}}; }
  static Wind::Shared shared() { return {Vec3(3, 2, -1), 1.2, 0.7, 0.4}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

template <>
struct Case<Pressure> {
  static constexpr bool kObjective = false;
  static constexpr bool kRests = false;
  static Pressure element(Rng&) { return {{0, 1, 2}}; }
  static Pressure::Shared shared() { return {40.0}; }
  static Stencil<3> rest() { return kRestTriangle; }
};

// A frame that is moved and turned, by which all may be carried at kTime.
inline MovingFrame shaken_frame() {
  const auto turn = [](double angle) { return Eigen::AngleAxisd(angle, Vec3(1, 2, 2).normalized()); };
  const std::vector<RigidKey> keys = {{kTime - 6 * kDt, Vec3(0.1, 0.0, 0.2), Eigen::Quaterniond(turn(0.2))},
                                      {kTime - 2 * kDt, Vec3(0.3, 0.1, 0.1), Eigen::Quaterniond(turn(0.9))},
                                      {kTime + kDt, Vec3(0.2, 0.4, 0.0), Eigen::Quaterniond(turn(0.5))}};
  return {RigidMotion(keys), 0.8, 0.6};
}

template <>
struct Case<CarriedMass> {
  static constexpr bool kObjective = false;
  static constexpr bool kRests = false;
  static CarriedMass element(Rng&) { return {{0}, 0.3}; }
  static CarriedMass::Shared shared() { return {shaken_frame()}; }
  static Stencil<1> rest() { return {0.4, 0.2, -0.1}; }
};

// Wind in air that a frame carries along.
struct CarriedWind : Wind {};

template <>
struct Case<CarriedWind> : Case<Wind> {
  static CarriedWind element(Rng&) { return {{{0, 1, 2}}}; }
  static Wind::Shared shared() {
    Wind::Shared air = Case<Wind>::shared();
    air.frame = std::make_shared<const MovingFrame>(shaken_frame());
    return air;
  }
};

// ---- Samples: an element in some state, gentle, wild or nearly degenerate. ----

template <class E>
typename E::Start start(const E& element, const Stencil<E::kVertices>& x, const Stencil<E::kVertices>& v) {
  const VecX none;
  const StepStart step{kDt, kTime, none, none};
  return element.start(shared_at_step(Case<E>::shared(), step), step, {x, v});
}

// What the element keeps of a BDF2 step.
template <class E>
typename E::Start start_of_bdf2(const E& element, const StartStencil<E::kVertices>& at) {
  const VecX none;
  const StepStart step{kDt, kTime, none, none, nullptr, &none, &none};
  return element.start(shared_at_step(Case<E>::shared(), step), step, at);
}

template <class E>
struct Sample {
  static constexpr int K = E::kVertices;

  E element;
  Stencil<K> x, v, y;
  double reach = 1e-3;  // of the first difference [m]: small against the smallest length of the element

  typename E::Start start() const { return test::start(element, x, v); }

  static std::vector<Sample> all() {
    Rng rng(1);
    std::vector<Sample> samples;
    for (int i = 0; i < kSamples; ++i) {
      Sample s{Case<E>::element(rng), Case<E>::rest(), noise<K>(rng, 2.0), Case<E>::rest()};
      s.y += noise<K>(rng, i % 3 == 1 ? 1.0 : 0.1);
      if (i % 3 == 2) {  // the last vertex almost meets the middle of the others
        constexpr int kOthers = std::min(K - 1, 2);
        if constexpr (kOthers > 0) s.y.col(K - 1) = s.y.template leftCols<kOthers>().rowwise().mean();
        s.y.col(K - 1) += 2e-3 * Vec3(noise<1>(rng, 1.0) + Vec3(0.5, 2.0, -1.5));
        s.reach = 2e-5;
      }
      s.x = s.y + noise<K>(rng, i % 3 == 2 ? 0.1 * 2e-3 : 0.05);
      samples.push_back(s);
    }
    return samples;
  }
};

// Mean order in which error(e) falls over five halvings of e; infinite where nothing but rounding is
// left of it.
template <class Error>
double mean_order(double reach, double rounding, const Error& error) {
  const double first = error(reach), last = error(reach / 32);
  if (last <= rounding) return std::numeric_limits<double>::infinity();
  return std::log2(first / last) / 5;
}

// Every energy without a limit.
using Energies =
    testing::Types<Stretch, IsotropicMembrane, CurvedStretch, CoupledWeave, CurvedWeave, Shear, RubbingShear,
                   HingeBending, RubbingHinge, CollapsedHinge, CreasedHinge, QuadraticBending, BendingSpring,
                   Spring, Seam, Attachment, Wind, CarriedWind, CarriedMass, Pressure>;

}  // namespace keydrape::test
