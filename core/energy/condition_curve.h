#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace keydrape {

// How a fabric answers a scalar condition c where that is not in proportion: tau(c), the tension over a
// stiffness (core/EQUATIONS.md (W1)). tau(0) = 0, tau' >= 0, once continuously differentiable: cubic between
// knots (Hermite), of the fifth order and twice differentiable between two that have a curvature, straight
// beyond the last. What it stores is the exact integral: value, tension and stiffness are of one function.
class ConditionCurve {
 public:
  static constexpr double kNowhere = -std::numeric_limits<double>::infinity();

  struct Knot {
    double c;
    double tau, slope;
    // Their derivatives by the logarithm of the fabric's bend, its stiffness fixed; by that of the stiffness
    // they are the opposite, since tau knows the two by their quotient alone.
    double tau_by_bend = 0.0, slope_by_bend = 0.0;
    std::optional<double> curvature = std::nullopt;  // tau''
    double curvature_by_bend = 0.0;
    // From this knot to the next the curve moves along c as a whole, by so much with the logarithm of bend.
    std::optional<double> moves_by_bend = std::nullopt;
  };

  // Knots in ascending c, two at least, one of them with c = tau = 0. `soft_below` and `stiffening`: what the
  // functions of these names say. `softness`: whose share of its viscosity this one has; null: its own.
  explicit ConditionCurve(std::vector<Knot> knots, double soft_below = kNowhere, double stiffening = 1.0,
                          std::shared_ptr<const ConditionCurve> softness = nullptr);

  double value(double c) const;      // integral of tau from 0
  double tension(double c) const;    // tau
  double stiffness(double c) const;  // tau'
  double curvature(double c) const;  // tau''
  double tension_by_bend(double c) const;
  double greatest_stiffness() const;  // of all c, from samples: between them it may be a little more
  // The same of the measured curve, whatever bend is: what a fabric that is pulled comes to. >= 1.
  double stiffening() const { return stiffening_; }

  // The share of its viscosity that cloth has at c: that of its stiffness below soft_below, or it would creep
  // where it ought to give way (W3); there the slope has to be 1, and it is all of it beyond.
  double viscosity(double c) const;
  double viscosity_slope(double c) const;
  double viscosity_by_bend(double c) const;

  const std::vector<Knot>& knots() const { return knots_; }
  double soft_below() const { return soft_below_; }

 private:
  // tau and tau_by_bend on the way from a knot to the next, by powers of the distance.
  struct Piece {
    std::array<double, 6> tau, by_bend;
  };
  struct Place {
    const Piece& piece;
    double distance;  // from its knot
    double value;     // stored up to there
  };
  Place place(double c) const;

  std::vector<Knot> knots_;
  std::vector<Piece> pieces_;   // below the first knot, between each two, beyond the last
  std::vector<double> values_;  // the integral up to each knot, from 0
  double soft_below_, stiffening_;
  std::shared_ptr<const ConditionCurve> softness_;
};

// Less stiff in compression by a factor in (0, 1); the change is spread over a strain of 1e-3 (W5).
ConditionCurve softer_curve(double factor);

// One curve of `compressed` where c < 0, in proportion if that is null, and of `stretched` elsewhere; if
// `compressed` has a slack, of what that leaves of c (W16). Requires soft_below() >= 0 of `compressed`.
ConditionCurve joined(std::shared_ptr<const ConditionCurve> compressed, const ConditionCurve& stretched);

// A curve with the stiffness that its tau is counted in.
struct MeasuredCurve {
  double stiffness;
  ConditionCurve curve;
};

struct CurvePoint {
  double c, tension;
};
// Through measured points of c >= 0: monotone (Fritsch & Butland 1984), its slope at rest that of the first
// two points, straight on beyond the last; the same the other way round where c < 0 (W6). Requires two points
// at least, the first of them (0, 0), c ascending, no tension below the one before, the second above 0.
MeasuredCurve measured_curve(std::span<const CurvePoint> points);

// The tensile curve of a fabric tester: the extension e_m at the force F_m, LT the work up to there over that
// of a straight line, `share` the slope at rest over F_m/e_m (W7). Requires 0 < share < lt <= 1; pieces of
// the curve may fall where the two are nearer than (1 - share)/45.
MeasuredCurve tester_curve(double extension, double force, double lt, double share);

}  // namespace keydrape
