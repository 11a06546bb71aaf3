#include "core/step/round_history.h"

#include <utility>

namespace keydrape {

namespace {

constexpr double kLeastRise = 1e-8;  // of r along s, over the product of their lengths

}  // namespace

void RoundHistory::add(int round, VecX s, VecX g) {
  if (memory_ == 0) return;
  const double rise = s.dot(g);
  if (!(rise > kLeastRise * s.norm() * g.norm())) return;
  if (pairs_.size() == static_cast<size_t>(memory_)) pairs_.pop_front();
  pairs_.push_back(std::make_shared<const Pair>(Pair{round, std::move(s), std::move(g), 1.0 / rise}));
}

VecX RoundHistory::product(const VecX& r, const RoundMatrix& P, const StepConstraints& constraints) const {
  VecX q = r, z;
  std::vector<double> a(pairs_.size());
  for (size_t i = pairs_.size(); i-- > 0;) {
    a[i] = pairs_[i]->inverse * pairs_[i]->s.dot(q);
    q -= a[i] * pairs_[i]->g;
  }
  P.solve(q, z);
  constraints.filter(z);
  for (size_t i = 0; i < pairs_.size(); ++i)
    z += (a[i] - pairs_[i]->inverse * pairs_[i]->g.dot(z)) * pairs_[i]->s;
  return z;
}

VecX filtered_solve(const RoundMatrix& P, const StepConstraints& constraints, VecX b) {
  constraints.filter(b);
  VecX x;
  P.solve(b, x);
  constraints.filter(x);
  return x;
}

RoundProduct::RoundProduct(const RoundHistory& history, const VecX& r, const RoundMatrix& P,
                           const StepConstraints& constraints)
    : history_(history),
      P_(P),
      constraints_(constraints),
      a_(history.pairs().size()),
      b_(a_.size()),
      q_(a_.size()),
      z_(a_.size()) {
  const auto& pairs = history_.pairs();
  VecX q = r;
  for (size_t i = pairs.size(); i-- > 0;) {
    a_[i] = pairs[i]->inverse * pairs[i]->s.dot(q);
    q_[i] = q;
    q -= a_[i] * pairs[i]->g;
  }
  if (pairs.empty()) return;
  VecX z = filtered_solve(P_, constraints_, std::move(q));
  for (size_t i = 0; i < pairs.size(); ++i) {
    b_[i] = pairs[i]->inverse * pairs[i]->g.dot(z);
    z_[i] = z;
    z += (a_[i] - b_[i]) * pairs[i]->s;
  }
}

VecX RoundProduct::tangent(const VecX& dr, const std::vector<PairChange>& of_pairs) const {
  const auto& pairs = history_.pairs();
  std::vector<double> da(pairs.size()), growth(pairs.size());  // growth: of 1/(s . g), over it
  VecX dq = dr;
  for (size_t i = pairs.size(); i-- > 0;) {
    const auto& [round, s, g, inverse] = *pairs[i];
    const PairChange& change = of_pairs[static_cast<size_t>(round)];
    growth[i] = -inverse * (change.s.dot(g) + s.dot(change.g));
    da[i] = growth[i] * a_[i] + inverse * (change.s.dot(q_[i]) + s.dot(dq));
    dq -= da[i] * g + a_[i] * change.g;
  }
  VecX dz = filtered_solve(P_, constraints_, std::move(dq));
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [round, s, g, inverse] = *pairs[i];
    const PairChange& change = of_pairs[static_cast<size_t>(round)];
    const double db = growth[i] * b_[i] + inverse * (change.g.dot(z_[i]) + g.dot(dz));
    dz += (da[i] - db) * s + (a_[i] - b_[i]) * change.s;
  }
  return dz;
}

VecX RoundProduct::adjoint(VecX bar, std::vector<PairChange>& of_pairs) const {
  const auto& pairs = history_.pairs();
  std::vector<double> a_bar(pairs.size()), growth_bar(pairs.size());
  for (size_t i = pairs.size(); i-- > 0;) {
    const auto& [round, s, g, inverse] = *pairs[i];
    PairChange& change = of_pairs[static_cast<size_t>(round)];
    a_bar[i] = s.dot(bar);  // and -a_bar is b's
    change.s += (a_[i] - b_[i]) * bar;
    change.g -= a_bar[i] * inverse * z_[i];
    growth_bar[i] = -a_bar[i] * b_[i];
    bar -= a_bar[i] * inverse * g;
  }
  bar = filtered_solve(P_, constraints_, std::move(bar));
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [round, s, g, inverse] = *pairs[i];
    PairChange& change = of_pairs[static_cast<size_t>(round)];
    const double a = a_bar[i] - g.dot(bar);
    change.g -= a_[i] * bar;
    change.s += a * inverse * q_[i];
    bar += a * inverse * s;
    growth_bar[i] += a * a_[i];
    change.s -= growth_bar[i] * inverse * g;
    change.g -= growth_bar[i] * inverse * s;
  }
  return bar;
}

}  // namespace keydrape
