#include "core/energy/coupled_stretch.h"

#include <Eigen/LU>
#include <cassert>

namespace keydrape {

namespace {

// Newton on two numbers: a few rounds, but where a law has a bend that the way crosses.
constexpr int kMaxRounds = 60, kMaxHalvings = 30;

}  // namespace

CoupledStretch::CoupledStretch(const ConditionLaw& warp, const ConditionLaw& weft, double share,
                               const Vec2& c)
    : laws_{&warp, &weft} {
  assert(share > 0.0 && share < 1.0 && warp.k > 0.0 && weft.k > 0.0);
  const auto stiffest = [](const ConditionLaw& law) {
    return law.curve ? law.k * law.curve->stiffening() : law.k;
  };
  const double more = share / (1.0 - share * share), k_warp = stiffest(warp), k_weft = stiffest(weft);
  Q_(0, 0) = more * share / k_warp;
  Q_(1, 1) = more * share / k_weft;
  Q_(0, 1) = Q_(1, 0) = -more / std::sqrt(k_warp * k_weft);
  solve(c);
}

// t + Q s(t) = c. By s it is the gradient of a convex function, so that the way of Newton leads down.
void CoupledStretch::solve(const Vec2& c) {
  const auto tensions = [&](const Vec2& t) {
    return Vec2(laws_[0]->stored_tension(t(0)), laws_[1]->stored_tension(t(1)));
  };
  t_ = c;
  s_ = tensions(t_);
  Vec2 left = c - t_ - Q_ * s_;
  Mat2 D = Mat2::Zero();
  for (int round = 0; round < kMaxRounds && !left.isZero(0.0); ++round) {
    D.diagonal() << laws_[0]->stored_stiffness(t_(0)), laws_[1]->stored_stiffness(t_(1));
    Vec2 way = (Mat2::Identity() + Q_ * D).inverse() * left;
    bool falls = false;
    for (int half = 0; half < kMaxHalvings && !falls; ++half, way *= 0.5) {
      const Vec2 t = t_ + way, s = tensions(t), rest = c - t - Q_ * s;
      falls = rest.squaredNorm() < left.squaredNorm();
      if (falls) t_ = t, s_ = s, left = rest;
    }
    if (!falls) break;  // at rounding
  }
  D.diagonal() << laws_[0]->stored_stiffness(t_(0)), laws_[1]->stored_stiffness(t_(1));
  ds_ = D * (Mat2::Identity() + Q_ * D).inverse();
  ds_(0, 1) = ds_(1, 0) = 0.5 * (ds_(0, 1) + ds_(1, 0));
}

double CoupledStretch::value() const {
  return 0.5 * s_.dot(Q_ * s_) + laws_[0]->stored_value(t_(0)) + laws_[1]->stored_value(t_(1));
}

// ds = (1 - s' Q) ds at t held - s' dQ s  (W15)
Vec2 CoupledStretch::tension_by_stiffness(int direction) const {
  const int i = direction, j = 1 - direction;
  Vec2 at_t = Vec2::Zero();
  at_t(i) = s_(i) - laws_[i]->stored_tension_by_bend(t_(i));
  Mat2 dQ = Mat2::Zero();
  dQ(i, i) = -Q_(i, i);
  dQ(i, j) = dQ(j, i) = -0.5 * Q_(i, j);
  return at_t - ds_ * (Q_ * at_t + dQ * s_);
}

Vec2 CoupledStretch::tension_by_bend() const {
  const Vec2 at_t(laws_[0]->stored_tension_by_bend(t_(0)), laws_[1]->stored_tension_by_bend(t_(1)));
  return at_t - ds_ * (Q_ * at_t);
}

}  // namespace keydrape
