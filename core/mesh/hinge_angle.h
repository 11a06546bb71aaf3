#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/types.h"

namespace keydrape {

// One of the two triangles of a hinge, in the orthonormal frame of the edge x0 -> x1 and the vertex
// opposite to it.
template <class S>
struct HingeWing {
  Vec3Of<S> across;  // unit vector in the triangle, from the edge to the opposite vertex
  Vec3Of<S> normal;  // unit normal
  S height;          // of the opposite vertex over the edge [m]
  S foot;            // its foot is x0 + foot (x1 - x0)
};

// The signed angle between the normals of the two triangles of a hinge (vertices as in `Hinge`,
// core/mesh/topology.h), with exact derivatives in closed form (Tamstorf & Grinspun 2013, "Discrete bending
// forces and their Jacobians", in the shape derived below).
//
//   theta = atan2((n_a x n_b) . e, n_a . n_b)  in (-pi, pi]   (atan2, since acos loses digits near flat)
//
// 0: flat. Positive: a ridge, seen from the side that the normals point to; negative: a valley.
// Requires an edge and two triangles without zero length or area. Jumps by 2 pi where the triangles fold
// onto each other.
//
// One wing, with edge e = x1 - x0, length l, height h, foot f, unit frame (e, b, n) = (edge, across, normal).
// Over its vertices (x0, x1, opposite) let
//   D = (-1, 1, 0)         so that   d(x1 - x0) = sum_j D_j dx_j
//   w = (f - 1, -f, 1)     and       s = sum_j w_j dx_j    (how the opposite vertex moves against its foot)
// Then   dn = -e (n . de)/l - b (n . s)/h ,   dh = b . s ,   df = (e . s)/l + h (b . de)/l^2 .
// A wing adds -w_i n/h to the gradient by x_i; differentiating it gives
//   H_ij = D_i w_j A + w_i D_j A^T + D_i D_j n b^T / l^2 + w_i w_j (b n^T + n b^T) / h^2 ,
//   A = n e^T / (l h) .
// The antisymmetric part of n b^T is that of the other wing with the opposite sign: both drop out of the sum.
template <class S>
class HingeAngleOf {
 public:
  explicit HingeAngleOf(const StencilOf<S, 4>& x) {
    using std::sqrt;
    const Vec3Of<S> e = x.col(1) - x.col(0);
    length_ = sqrt(e.squaredNorm());
    edge_ = e / length_;
    a_ = wing(x.col(2) - x.col(0), S(1.0));
    b_ = wing(x.col(3) - x.col(0), S(-1.0));
  }

  S area_a() const { return S(0.5) * length_ * a_.height; }  // of the two triangles [m^2]
  S area_b() const { return S(0.5) * length_ * b_.height; }

  S sine() const { return a_.normal.cross(b_.normal).dot(edge_); }  // of theta
  S cosine() const { return a_.normal.dot(b_.normal); }
  S theta() const {  // [rad]
    using std::atan2;
    return atan2(sine(), cosine());
  }

  StencilOf<S, 4> gradient() const {  // [rad/m]
    const Vec3Of<S> p = a_.normal / a_.height, q = b_.normal / b_.height;
    StencilOf<S, 4> g;
    g.col(0) = (S(1.0) - a_.foot) * p + (S(1.0) - b_.foot) * q;
    g.col(1) = a_.foot * p + b_.foot * q;
    g.col(2) = -p;
    g.col(3) = -q;
    return g;
  }

  // Adds share times the Hessian [rad/m^2], exact: the blocks on the diagonal and above it.
  void add_hessian(const S& share, StencilHessianOf<S, 4>& h) const {
    add_wing(a_, share, 2, h);
    add_wing(b_, share, 3, h);
  }

  StencilHessianOf<S, 4> hessian() const {
    StencilHessianOf<S, 4> h = StencilHessianOf<S, 4>::Constant(S(0.0));
    add_hessian(S(1.0), h);
    mirror_blocks(h);
    return h;
  }

 private:
  HingeWing<S> wing(const Vec3Of<S>& opposite, const S& side) const {  // opposite: from x0
    using std::sqrt;
    const S along = opposite.dot(edge_);
    const Vec3Of<S> rejection = opposite - along * edge_;
    const S height = sqrt(rejection.squaredNorm());
    const Vec3Of<S> across = rejection / height;
    return {across, side * edge_.cross(across), height, along / length_};
  }

  // `slot` says where the opposite vertex stands in the hinge.
  void add_wing(const HingeWing<S>& wing, const S& share, int slot, StencilHessianOf<S, 4>& h) const {
    const S inverse_l = S(1.0) / length_, inverse_h = S(1.0) / wing.height;
    const Mat3Of<S> A = (share * inverse_l * inverse_h * wing.normal) * edge_.transpose();
    const Mat3Of<S> nb = (share * wing.normal) * wing.across.transpose();
    const Mat3Of<S> both = nb + nb.transpose();
    const Mat3Of<S> DD = (S(0.5) * inverse_l * inverse_l) * both;
    const Mat3Of<S> ww = (inverse_h * inverse_h) * both;
    const Mat3Of<S> turned = A + A.transpose();
    const S w0 = wing.foot - S(1.0), w1 = -wing.foot;
    const int s = 3 * slot;
    h.template block<3, 3>(0, 0) += DD - w0 * turned + (w0 * w0) * ww;
    h.template block<3, 3>(0, 3) += w0 * A.transpose() - w1 * A - DD + (w0 * w1) * ww;
    h.template block<3, 3>(3, 3) += DD + w1 * turned + (w1 * w1) * ww;
    h.template block<3, 3>(0, s) += w0 * ww - A;
    h.template block<3, 3>(3, s) += w1 * ww + A;
    h.template block<3, 3>(s, s) += ww;
  }

  Vec3Of<S> edge_;  // unit
  S length_;        // [m]
  HingeWing<S> a_, b_;
};

using HingeAngle = HingeAngleOf<double>;

}  // namespace keydrape
