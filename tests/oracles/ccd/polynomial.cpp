#include "tests/oracles/ccd/polynomial.h"

#include <cassert>
#include <utility>

namespace keydrape::test {

Polynomial::Polynomial(std::vector<mpq_class> c) : c_(std::move(c)) {
  while (!c_.empty() && c_.back() == 0) c_.pop_back();
}

mpq_class Polynomial::operator()(const mpq_class& t) const {
  mpq_class value = 0;
  for (auto c = c_.rbegin(); c != c_.rend(); ++c) value = value * t + *c;
  return value;
}

Polynomial Polynomial::derivative() const {
  std::vector<mpq_class> d;
  for (int i = 1; i <= degree(); ++i) d.push_back(i * c_[i]);
  return Polynomial(d);
}

Polynomial Polynomial::operator-() const {
  std::vector<mpq_class> c = c_;
  for (mpq_class& each : c) each = -each;
  return Polynomial(c);
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  std::vector<mpq_class> c(std::max(a.c_.size(), b.c_.size()));
  for (size_t i = 0; i < a.c_.size(); ++i) c[i] += a.c_[i];
  for (size_t i = 0; i < b.c_.size(); ++i) c[i] += b.c_[i];
  return Polynomial(c);
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.is_zero() || b.is_zero()) return {};
  std::vector<mpq_class> c(a.c_.size() + b.c_.size() - 1);
  for (size_t i = 0; i < a.c_.size(); ++i)
    for (size_t j = 0; j < b.c_.size(); ++j) c[i + j] += a.c_[i] * b.c_[j];
  return Polynomial(c);
}

Polynomial quotient(const Polynomial& a, const Polynomial& b, Polynomial& remainder) {
  assert(!b.is_zero());
  std::vector<mpq_class> r = a.c_, q(std::max(0, a.degree() - b.degree() + 1));
  for (int i = a.degree() - b.degree(); i >= 0; --i) {
    q[i] = r[i + b.degree()] / b.c_.back();
    for (int j = 0; j <= b.degree(); ++j) r[i + j] -= q[i] * b.c_[j];
  }
  remainder = Polynomial(r);
  return Polynomial(q);
}

Polynomial greatest_common_divisor(Polynomial a, Polynomial b) {
  while (!b.is_zero()) {
    Polynomial r;
    quotient(a, b, r);
    a = std::exchange(b, r);
  }
  return a;
}

Polynomial simple_part(const Polynomial& p) {
  Polynomial remainder;
  return quotient(p, greatest_common_divisor(p, p.derivative()), remainder);
}

SturmChain::SturmChain(const Polynomial& p) : chain_{simple_part(p)} {
  for (Polynomial next = chain_[0].derivative(); !next.is_zero();) {
    chain_.push_back(next);
    Polynomial r;
    quotient(chain_[chain_.size() - 2], chain_.back(), r);
    next = -r;
  }
}

int SturmChain::sign_changes(const mpq_class& t) const {
  int changes = 0, last = 0;
  for (const Polynomial& p : chain_) {
    const int sign = sgn(p(t));
    if (sign * last < 0) ++changes;
    if (sign != 0) last = sign;
  }
  return changes;
}

int SturmChain::roots_in(const mpq_class& low, const mpq_class& high) const {
  return sign_changes(low) - sign_changes(high);
}

RealRoot::RealRoot(Polynomial p, mpq_class low, mpq_class high)
    : p_(std::move(p)), chain_{SturmChain(p_)}, low_(std::move(low)), high_(std::move(high)) {}

void RealRoot::refine() {
  if (chain_.empty()) return;
  const mpq_class middle = (low_ + high_) / 2;
  (chain_[0].roots_in(low_, middle) == 1 ? high_ : low_) = middle;
}

int RealRoot::sign_of(const Polynomial& q) {
  if (chain_.empty()) return sgn(q(low_));
  if (q.is_zero()) return 0;
  const Polynomial common = greatest_common_divisor(p_, q);
  if (common.degree() > 0 && SturmChain(common).roots_in(low_, high_) == 1) return 0;
  const SturmChain roots_of_q(q);
  while (roots_of_q.roots_in(low_, high_) > 0) refine();
  return sgn(q(high_));
}

int RealRoot::compare(const mpq_class& number) { return sign_of(Polynomial({-number, 1})); }

double RealRoot::approximate() {
  while (high_ - low_ > mpq_class(1, mpz_class(1) << 60)) refine();
  return high_.get_d();
}

bool RealRoot::less(RealRoot a, RealRoot b) {
  if (a.chain_.empty()) return b.compare(a.low_) > 0;
  if (b.chain_.empty()) return a.compare(b.low_) < 0;
  if (a.sign_of(b.p_) == 0 && SturmChain(greatest_common_divisor(a.p_, b.p_))
                                      .roots_in(std::max(a.low_, b.low_), std::min(a.high_, b.high_)) == 1)
    return false;
  while (a.high_ > b.low_ && b.high_ > a.low_) a.refine(), b.refine();
  return a.high_ <= b.low_;
}

namespace {

void isolate(const Polynomial& p, const SturmChain& chain, const mpq_class& low, const mpq_class& high,
             std::vector<RealRoot>& roots) {
  const int count = chain.roots_in(low, high);
  if (count == 1) roots.emplace_back(p, low, high);
  if (count < 2) return;
  const mpq_class middle = (low + high) / 2;
  isolate(p, chain, low, middle, roots);
  isolate(p, chain, middle, high, roots);
}

}  // namespace

std::vector<RealRoot> roots_in_unit_interval(const Polynomial& p) {
  assert(!p.is_zero());
  const Polynomial simple = simple_part(p);
  std::vector<RealRoot> roots;
  if (p(0) == 0) roots.emplace_back(mpq_class(0));
  isolate(simple, SturmChain(simple), 0, 1, roots);
  return roots;
}

}  // namespace keydrape::test
