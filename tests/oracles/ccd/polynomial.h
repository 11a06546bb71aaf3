#pragma once

#include <gmpxx.h>

#include <vector>

// Polynomials in one variable with rational coefficients and their real roots, all exact: the truth that
// continuous collision detection is judged by.

namespace keydrape::test {

class Polynomial {
 public:
  Polynomial() = default;                         // 0
  explicit Polynomial(std::vector<mpq_class> c);  // c[0] + c[1] t + ..
  static Polynomial line(const mpq_class& at_0, const mpq_class& at_1) {
    return Polynomial({at_0, at_1 - at_0});
  }

  bool is_zero() const { return c_.empty(); }
  int degree() const { return static_cast<int>(c_.size()) - 1; }  // -1 for 0
  mpq_class operator()(const mpq_class& t) const;
  Polynomial derivative() const;
  Polynomial operator-() const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + -b; }
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  // a = quotient b + remainder, b not 0
  friend Polynomial quotient(const Polynomial& a, const Polynomial& b, Polynomial& remainder);

 private:
  std::vector<mpq_class> c_;  // the last is not 0
};

Polynomial greatest_common_divisor(Polynomial a, Polynomial b);

// p, which is not 0, with each of its roots once.
Polynomial simple_part(const Polynomial& p);

// Sturm's theorem: counts the distinct roots of p, which is not 0.
class SturmChain {
 public:
  explicit SturmChain(const Polynomial& p);
  int roots_in(const mpq_class& low, const mpq_class& high) const;  // in (low, high]; p(low) may be 0

 private:
  int sign_changes(const mpq_class& t) const;
  std::vector<Polynomial> chain_;
};

// A real number: the one root of a polynomial in (low, high], or the rational number low = high.
class RealRoot {
 public:
  explicit RealRoot(const mpq_class& number) : low_(number), high_(number) {}
  RealRoot(Polynomial p, mpq_class low, mpq_class high);

  int sign_of(const Polynomial& q);      // the sign of q there: -1, 0, 1
  int compare(const mpq_class& number);  // -1: less than `number`
  double approximate();                  // to 2^-60
  static bool less(RealRoot a, RealRoot b);

 private:
  void refine();
  Polynomial p_;                   // without multiple roots
  std::vector<SturmChain> chain_;  // of p_; none for a rational number
  mpq_class low_, high_;
};

// The roots of p, which is not 0, in [0, 1], ascending.
std::vector<RealRoot> roots_in_unit_interval(const Polynomial& p);

}  // namespace keydrape::test
