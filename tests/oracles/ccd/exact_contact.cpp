#include "tests/oracles/ccd/exact_contact.h"

#include <algorithm>
#include <array>

namespace keydrape::test {

namespace {

using PolynomialVector = std::array<Polynomial, 3>;

PolynomialVector operator-(const PolynomialVector& a, const PolynomialVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

PolynomialVector cross(const PolynomialVector& a, const PolynomialVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Polynomial dot(const PolynomialVector& a, const PolynomialVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The corners, in order, of the triangle or parallelogram of differences, which contact brings
// onto the origin.
std::vector<PolynomialVector> corners(const StencilMotion& motion, PairKind kind) {
  const auto vertex = [&](int i) {
    PolynomialVector p;
    for (int k = 0; k < 3; ++k)
      p[k] = Polynomial::line(mpq_class(motion.start(k, i)), mpq_class(motion.end(k, i)));
    return p;
  };
  const PolynomialVector a = vertex(0), b = vertex(1), c = vertex(2), d = vertex(3);
  if (kind == PairKind::kVertexFace) return {a - b, a - c, a - d};
  return {a - c, b - c, b - d, a - d};
}

struct Side {
  PolynomialVector cross;  // of its two corners
  Polynomial dot;          // of its two corners
};

class Patch {
 public:
  Patch(const StencilMotion& motion, PairKind kind) {
    const std::vector<PolynomialVector> g = corners(motion, kind);
    normal_ = cross(g[1] - g[0], g[2] - g[1]);
    volume_ = dot(normal_, g[0]);
    for (size_t j = 0; j < g.size(); ++j) {
      const PolynomialVector& next = g[(j + 1) % g.size()];
      sides_.push_back({cross(g[j], next), dot(g[j], next)});
    }
  }

  // Among them is the first time of contact, if there is any.
  std::vector<RealRoot> candidates() const {
    std::vector<RealRoot> times{RealRoot(mpq_class(0))};
    const auto add_roots = [&](const Polynomial& p) {
      for (RealRoot& root : roots_in_unit_interval(p)) times.push_back(std::move(root));
    };
    if (!volume_.is_zero()) {
      add_roots(volume_);
      return times;
    }
    for (const Side& side : sides_) {
      const auto changing = std::find_if(side.cross.begin(), side.cross.end(),
                                         [](const Polynomial& p) { return !p.is_zero(); });
      const Polynomial& event = changing != side.cross.end() ? *changing : side.dot;
      if (!event.is_zero()) add_roots(event);
    }
    return times;
  }

  bool contains_origin(RealRoot& t) const {
    if (t.sign_of(volume_) != 0) return false;
    const auto is_zero = [&](const PolynomialVector& v) {
      return std::all_of(v.begin(), v.end(), [&](const Polynomial& p) { return t.sign_of(p) == 0; });
    };
    if (!is_zero(normal_))
      return std::all_of(sides_.begin(), sides_.end(),
                         [&](const Side& side) { return t.sign_of(dot(side.cross, normal_)) >= 0; });
    return std::any_of(sides_.begin(), sides_.end(),
                       [&](const Side& side) { return is_zero(side.cross) && t.sign_of(side.dot) <= 0; });
  }

 private:
  PolynomialVector normal_;
  Polynomial volume_;
  std::vector<Side> sides_;
};

}  // namespace

std::optional<RealRoot> first_contact(const StencilMotion& motion, PairKind kind) {
  const Patch patch(motion, kind);
  std::optional<RealRoot> first;
  for (RealRoot& t : patch.candidates())
    if ((!first || RealRoot::less(t, *first)) && patch.contains_origin(t)) first = t;
  return first;
}

}  // namespace keydrape::test
