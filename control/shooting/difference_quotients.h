#pragma once

#include <limits>

namespace keydrape {

// Central differences of a function along a line, (J(e) - J(-e))/2e at e = 1, 1/2, 1/4, .., against the slope
// that its gradient claims: how far off they are, and how far off they could be of a slope that is right.
//
// Two of them of order 2 make one of order 4 (Richardson 1911):  R_k = (4 D_k - D_k-1)/3.  What R_k leaves
// out is at most what it changed by, |R_k - R_k-1|: a fifteenth of it where J is smooth, a third where its
// third derivative jumps. Two of them may agree by chance, as where a contact is met along the longest steps
// alone: the change before counts as well, if it is larger. Rounding, r in J, adds some 2 r/e. The sum is
// least somewhere between long steps, along which the function bends, and short ones, of which rounding is
// all that is seen: there the quotient is best resolved, and tells no slope from another that is nearer. Of
// runs that amplify both ends are high.
class DifferenceQuotients {
 public:
  // slope: dJ/de at 0. rounding: what it leaves of J, >= 0.
  DifferenceQuotients(double slope, double rounding) : slope_(slope), rounding_(rounding) {}

  // The next: J(e) and J(-e) at half the e of the call before; e = 1 in the first.
  void add(double ahead, double behind);

  // All relative to the slope. Of the quotient that is nearest to it; infinite: there is none yet.
  double least_error() const { return least_error_; }
  // Of the one that is best resolved, and within what it is; infinite: there are not three yet.
  double error() const { return error_; }
  double resolution() const { return resolution_; }
  // Whether shorter steps need not be tried: that one is as near to the slope as is ever asked for.
  bool suffice() const { return error_ < kEnough && resolution_ < kResolved; }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr double kEnough = 1e-7, kResolved = 1e-6;

  double slope_, rounding_;
  int count_ = 0;
  double difference_ = 0.0, quotient_ = 0.0, change_ = kInfinite;  // D, R, |R - R before| of the last call
  double least_error_ = kInfinite, error_ = kInfinite, resolution_ = kInfinite;
};

}  // namespace keydrape
