#include "core/step/parameter_derivatives.h"

#include <cassert>

#include "core/energy/attachment.h"
#include "core/energy/element_family.h"
#include "core/energy/hinge_bending.h"
#include "core/energy/quadratic_bending.h"
#include "core/energy/shear.h"
#include "core/energy/strain_limit.h"
#include "core/energy/stretch.h"
#include "core/energy/wind.h"

namespace keydrape {

namespace {

// Calls f(element, its start, its x, its y) for all elements of one kind.
template <class E, class F>
void for_each(const StepSolution& at, const F& f) {
  const State& start = at.problem.start();
  const StepStart step{at.problem.dt(), at.end_time, start.x, start.v};
  for (const auto& energy : at.problem.model().energies()) {
    const auto* family = dynamic_cast<const ElementFamily<E>*>(energy.get());
    if (!family) continue;
    for (const E& e : family->elements()) {
      const auto x = gather<E::kVertices>(start.x, e.vertices), v = gather<E::kVertices>(start.v, e.vertices);
      f(e, family->shared(), step, x, v, gather<E::kVertices>(at.y, e.vertices));
    }
  }
}

template <int K, class Column>
void scatter(const Stencil<K>& g, const std::array<int, K>& vertices, Column&& out) {
  for (int a = 0; a < K; ++a) out.template segment<3>(3 * vertices[a]) += g.col(a);
}

// Adds the gradients of the elements that `change` makes of those of a kind: r is linear in what it
// keeps of them.
template <class E, class Change>
void add_gradients(const StepSolution& at, VecX& r, const Change& change) {
  for_each<E>(at,
              [&](E e, const auto& shared, const auto& step, const auto& x, const auto& v, const auto& y) {
                const double factor = change(e);
                scatter<E::kVertices>(factor * e.gradient(y, e.start(shared, step, x, v)), e.vertices, r);
              });
}

// The same for what damping alone adds.
template <class E>
void add_dissipation(const StepSolution& at, double E::*damping, VecX& r) {
  add_gradients<E>(at, r, [](const E&) { return 1.0; });
  add_gradients<E>(at, r, [&](E& e) {
    e.*damping = 0.0;
    return -1.0;
  });
}

// The barrier's stiffness is proportional to k_warp + k_weft (core/EQUATIONS.md (L5)).
void add_strain_limit(const StepSolution& at, double Stretch::*k, VecX& r) {
  double share = 0.0;
  for_each<Stretch>(at, [&](const Stretch& e, const auto&...) { share = e.*k / (e.k_warp + e.k_weft); });
  add_gradients<StrainLimit>(at, r, [&](const StrainLimit&) { return share; });
}

void add_inertia(const StepSolution& at, VecX& r) {
  const double dt = at.problem.dt();
  const State& start = at.problem.start();
  const Vec3 g = at.problem.model().gravity().at(at.end_time);
  VecX d = at.y - start.x - dt * start.v;
  for (Eigen::Index i = 0; i < d.size(); i += 3) d.segment<3>(i) -= dt * dt * g;
  r += at.problem.model().mass().cwiseProduct(d) / (dt * dt);
}

// The combination of a triangle's vertices that moves w_u alone, by one: a . u = 1, a . v = 0.
Vec3 dual(const Vec3& u, const Vec3& v) {
  return (u * v.squaredNorm() - v * u.dot(v)) / (u.squaredNorm() * v.squaredNorm() - u.dot(v) * u.dot(v));
}

// W of the strain limit depends on w_u/b_u, so that W(s w_u; s b_u) is the same for every s. Differentiated
// by s and w_u:  b_u d(dW/dy)/db_u = -( (dW/dy a) u^T + d2W/dy2 (w_u a^T) ) ,  a = dual(u, v).
Stencil<3> by_scale(const Stencil<3>& g, const StencilHessian<3>& H, const Vec3& w, const Vec3& u,
                    const Vec3& a, double b) {
  const Stencil<3> along = w * a.transpose();
  const Stencil<3> turned = (H * along.reshaped()).reshaped(3, 3);
  return -(g * a * u.transpose() + turned) / b;
}

}  // namespace

Eigen::MatrixXd residual_by_air(const StepSolution& at) {
  Eigen::MatrixXd r = Eigen::MatrixXd::Zero(at.y.size(), 3);
  for_each<Wind>(at, [&](const Wind& e, const auto& shared, const auto& step, const auto& x, const auto& v,
                         const auto& y) {
    const Wind::Start s = e.start(shared, step, x, v);
    // The flow is air - v_mean; v_mean counts also in where the triangle would drift, with G n n^T. Hence
    // from D, whose blocks are all the same:
    const Mat3 D = e.cross_v(y, x, s).template topLeftCorner<3, 3>();
    const Mat3 by_flow = -3.0 * D - (step.dt * s.G_over_dt / 3.0) * s.normal * s.normal.transpose();
    for (const int i : e.vertices) r.template middleRows<3>(3 * i) += by_flow;
  });
  return r;
}

Eigen::MatrixXd residual_by_stretch_scale(const StepSolution& at) {
  Eigen::MatrixXd r = Eigen::MatrixXd::Zero(at.y.size(), 2);
  // Of (6) only the stored part: growing cloth is not slowed down by its damping (energy/stretch.cpp).
  for_each<Stretch>(at,
                    [&](const Stretch& e, const auto&, const auto&, const auto&, const auto&, const auto& y) {
                      const Vec3 zero = Vec3::Zero();
                      const Vec3 u = (-e.rest.area * e.k_warp) * e.rest.w_u(y).normalized();
                      const Vec3 v = (-e.rest.area * e.k_weft) * e.rest.w_v(y).normalized();
                      scatter<3>(membrane_gradient(e.rest, u, zero), e.vertices, r.col(0));
                      scatter<3>(membrane_gradient(e.rest, zero, v), e.vertices, r.col(1));
                    });
  for_each<StrainLimit>(at, [&](const StrainLimit& e, const auto& shared, const auto& step, const auto& x,
                                const auto& v, const auto& y) {
    const StrainLimit::Start s = e.start(shared, step, x, v);
    const Stencil<3> g = e.gradient(y, s);
    const StencilHessian<3> H = e.hessian(y, s);
    const RestTriangle& t = e.rest;
    scatter<3>(by_scale(g, H, t.w_u(y), t.u, dual(t.u, t.v), s.scale(0)), e.vertices, r.col(0));
    scatter<3>(by_scale(g, H, t.w_v(y), t.v, dual(t.v, t.u), s.scale(1)), e.vertices, r.col(1));
  });
  return r;
}

SoftPinDerivatives residual_by_soft_pin(const StepSolution& at, int pin) {
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(at.y.size(), 3);
  SoftPinDerivatives r{zero, zero};
  const State& start = at.problem.start();
  const StepStart step{at.problem.dt(), at.end_time, start.x, start.v};
  int number = 0;  // build_model makes a family of each, in order
  for (const auto& energy : at.problem.model().energies()) {
    const auto* family = dynamic_cast<const ElementFamily<Attachment>*>(energy.get());
    if (!family || number++ != pin) continue;
    for (const Attachment& e : family->elements()) {
      const Attachment::Start s =
          e.start(family->shared(), step, gather<1>(start.x, e.vertices), gather<1>(start.v, e.vertices));
      r.by_end.middleRows<3>(3 * e.vertices[0]) = -(s.k + s.k_d_over_dt) * s.P;
      r.by_start.middleRows<3>(3 * e.vertices[0]) = s.k_d_over_dt * s.P;
    }
  }
  assert(number > pin);
  return r;
}

double& number_of(Material& material, MaterialNumber number) {
  switch (number) {
    case MaterialNumber::kDensity:
      return material.density;
    case MaterialNumber::kWarp:
      return material.k_warp;
    case MaterialNumber::kWeft:
      return material.k_weft;
    case MaterialNumber::kShear:
      return material.k_shear;
    case MaterialNumber::kBend:
      return material.bend;
    case MaterialNumber::kDamping:
      break;
  }
  return material.damping;
}

std::string_view name_of(MaterialNumber number) {
  switch (number) {
    case MaterialNumber::kDensity:
      return "density";
    case MaterialNumber::kWarp:
      return "warp";
    case MaterialNumber::kWeft:
      return "weft";
    case MaterialNumber::kShear:
      return "shear";
    case MaterialNumber::kBend:
      return "bend";
    case MaterialNumber::kDamping:
      break;
  }
  return "damping";
}

VecX residual_by_log(const StepSolution& at, MaterialNumber number) {
  VecX r = VecX::Zero(at.y.size());
  switch (number) {
    case MaterialNumber::kDensity:
      add_inertia(at, r);
      break;
    case MaterialNumber::kWarp:
      add_gradients<Stretch>(at, r, [](Stretch& e) { return e.k_weft = 0.0, 1.0; });
      add_strain_limit(at, &Stretch::k_warp, r);
      break;
    case MaterialNumber::kWeft:
      add_gradients<Stretch>(at, r, [](Stretch& e) { return e.k_warp = 0.0, 1.0; });
      add_strain_limit(at, &Stretch::k_weft, r);
      break;
    case MaterialNumber::kShear:
      add_gradients<Shear>(at, r, [](const Shear&) { return 1.0; });
      break;
    case MaterialNumber::kBend:
      add_gradients<QuadraticBending>(at, r, [](const QuadraticBending&) { return 1.0; });
      add_gradients<HingeBending>(at, r, [](const HingeBending&) { return 1.0; });
      break;
    case MaterialNumber::kDamping:
      add_dissipation<Stretch>(at, &Stretch::damping, r);
      add_dissipation<Shear>(at, &Shear::damping, r);
      add_dissipation<HingeBending>(at, &HingeBending::k_d, r);
      break;
  }
  return r;
}

}  // namespace keydrape
