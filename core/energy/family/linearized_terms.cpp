#include "core/energy/family/linearized_terms.h"

#include <algorithm>

namespace keydrape {

// Of one condition c, with g = grad c, G = d2c, w'' its stiffness with dissipation, k that without, tau the
// tension (at the start c = c*, so that nothing dissipates), d the way, sigma what is left of the tension:
// max(tau, 0) where it stiffens, 0 where it does not:  (J4)
//   (tau - sigma + w'' g.d) G + w'' g (G d)^T + (k - w'' + w''' g.d) g g^T
//     + [sigma > 0] (k (G d) g^T + sigma d3c[d])

namespace {

struct LinearizedNumbers {
  double scale;      // rest area, or 1
  double tension;    // tau
  double k;          // dtau/dc
  double stiffness;  // w''
  double slope;      // w''', by the start
  bool stiffens;     // whether tension is in P where it is positive
};

LinearizedNumbers numbers_of(const ConditionLaw& law, double c, double scale, bool stiffens) {
  return {scale,
          law.stored_tension(c),
          law.stored_stiffness(c),
          law.stiffness(c),
          law.stiffness_slope_at_start(),
          stiffens};
}

// All but d3c[d], and G d.
template <int N>
Eigen::Matrix<double, N, N> linearized_condition(const LinearizedNumbers& n,
                                                 const Eigen::Matrix<double, N, 1>& g,
                                                 const Eigen::Matrix<double, N, N>& G,
                                                 const Eigen::Matrix<double, N, 1>& d) {
  const Eigen::Matrix<double, N, 1> Gd = G * d;
  const bool kept = n.stiffens && n.tension > 0.0;
  const double sigma = kept ? n.tension : 0.0;
  Eigen::Matrix<double, N, N> h = (n.tension - sigma + n.stiffness * g.dot(d)) * G;
  h.noalias() +=
      n.stiffness * g * Gd.transpose() + (n.k - n.stiffness + n.slope * g.dot(d)) * g * g.transpose();
  if (kept) h.noalias() += n.k * Gd * g.transpose();
  return n.scale * h;
}

// Of a length l = sqrt(|w|^2 + eps^2), over w:  g = w/l , G = (I - g g^T)/l ,
//   d3c[d] = -((G d) g^T + g (G d)^T)/l - (g.d) G/l
Mat3 linearized_length(const LinearizedNumbers& n, const Vec3& w, double l, const Vec3& d) {
  const Vec3 g = w / l;
  const Mat3 G = (Mat3::Identity() - g * g.transpose()) / l;
  Mat3 h = linearized_condition<3>(n, g, G, d);
  if (n.tension > 0.0) {
    const Vec3 Gd = G * d;
    h -= n.scale * n.tension / l * (Gd * g.transpose() + g * Gd.transpose() + g.dot(d) * G);
  }
  return h;
}

}  // namespace

StencilHessian<3> linearized_cross_x(const Stretch& e, const Stencil<3>& x, const Stencil<3>& d,
                                     const Stretch::Start& s) {
  const auto over = [&](const ConditionLaw& law, const Vec3& w, double scale, const Vec3& dw) {
    const double l = w.norm();
    return linearized_length(numbers_of(law, l - scale, e.rest.area, Stretch::kTensionStiffens), w, l, dw);
  };
  const Mat3 uu = over(s.warp, e.rest.w_u(x), s.scale(0), e.rest.w_u(d));
  const Mat3 vv = over(s.weft, e.rest.w_v(x), s.scale(1), e.rest.w_v(d));
  return membrane_hessian(e.rest, uu, Mat3::Zero(), vv);
}

StencilHessian<3> linearized_cross_x(const Shear& e, const Stencil<3>& x, const Stencil<3>& d,
                                     const Shear::Start& s) {
  using Pair = Eigen::Matrix<double, 6, 1>;  // over (w_u, w_v)
  const Vec3 wu = e.rest.w_u(x), wv = e.rest.w_v(x);
  Pair g, way;
  g << wv, wu;
  way << e.rest.w_u(d), e.rest.w_v(d);
  Eigen::Matrix<double, 6, 6> G = Eigen::Matrix<double, 6, 6>::Zero();
  G.topRightCorner<3, 3>().setIdentity();
  G.bottomLeftCorner<3, 3>().setIdentity();
  const Eigen::Matrix<double, 6, 6> h =
      linearized_condition<6>(numbers_of(s.law, wu.dot(wv), e.rest.area, false), g, G, way);
  // Not symmetric where there is dissipation: membrane_hessian, which mirrors, would not do.
  StencilHessian<3> H;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      H.block<3, 3>(3 * a, 3 * b) = (e.rest.u(a) * e.rest.u(b)) * h.topLeftCorner<3, 3>() +
                                    (e.rest.u(a) * e.rest.v(b)) * h.topRightCorner<3, 3>() +
                                    (e.rest.v(a) * e.rest.u(b)) * h.bottomLeftCorner<3, 3>() +
                                    (e.rest.v(a) * e.rest.v(b)) * h.bottomRightCorner<3, 3>();
  return H;
}

StencilHessian<2> linearized_cross_x(const Spring& e, const Stencil<2>& x, const Stencil<2>& d,
                                     const Spring::Start& s) {
  const double l = e.length(x);
  LinearizedNumbers n = numbers_of(s.law, e.condition(x), 1.0, Spring::kTensionStiffens);
  n.tension /= e.g;  // by the length instead
  n.k /= e.g * e.g;
  n.stiffness /= e.g * e.g;
  n.slope /= e.g * e.g * e.g;
  const Mat3 h = linearized_length(n, x.col(1) - x.col(0), l, d.col(1) - d.col(0));
  StencilHessian<2> H;
  H << h, -h, -h, h;
  return H;
}

StencilHessian<4> linearized_cross_x(const HingeBending& e, const Stencil<4>& x, const Stencil<4>& d,
                                     const HingeBending::Start& s) {
  const HingeBending::Start bare{{}, s.theta, s.theta_rest};
  const StencilHessian<4> G = e.hessian_with_tension(x, bare, {1.0});
  return linearized_condition<12>(numbers_of(s.law, e.condition(x, s), 1.0, false),
                                  e.condition_gradient(x, s).reshaped(), G, d.reshaped());
}

}  // namespace keydrape
