#include "core/step/explicit_step.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.h"

namespace keydrape {

namespace {

// d over h. Shorter, and rounding of positions shows in what is divided by d; longer, and d^2 does.
constexpr double kMoment = 1e-2;
constexpr int kPowerRounds = 30;
constexpr double kMargin = 1.05;  // of what so many rounds find

constexpr double kThird = 1.0 / 3, kSixth = 1.0 / 6;

constexpr ExplicitTable kSymplecticTable{1, {}, {}, {}, {1.0}, {1.0}};
constexpr ExplicitTable kVerletTable{2, {0.0, 1.0}, {{{}, {0.5}}}, {{{}, {1.0}}}, {0.5}, {0.5, 0.5}};
constexpr ExplicitTable kMidpointTable{2, {0.0, 0.5}, {}, {{{}, {0.5}}}, {0.5}, {0.0, 1.0}};
constexpr ExplicitTable kRungeKutta4Table{4,
                                          {0.0, 0.5, 0.5, 1.0},
                                          {{{}, {}, {0.25}, {0.0, 0.5}}},
                                          {{{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}},
                                          {kSixth, kSixth, kSixth},
                                          {kSixth, kThird, kThird, kSixth}};
constexpr ExplicitTable kEulerTable{1, {}, {}, {}, {}, {1.0}};

// x'' = -w2 x - b x' over a step of length 1.
Eigen::Matrix2d amplification(const ExplicitTable& table, double w2, double b) {
  Eigen::Matrix2d ends;
  for (int column = 0; column < 2; ++column) {
    const double x = column == 0, v = column == 1;
    ExplicitTable::Row a{};
    double end_x = x + v, end_v = v;
    for (int i = 0; i < table.stages; ++i) {
      double at_x = x + table.c[i] * v, at_v = v;
      for (int j = 0; j < i; ++j) {
        at_x += table.of_x[i][j] * a[j];
        at_v += table.of_v[i][j] * a[j];
      }
      a[i] = -w2 * at_x - b * at_v;
      end_x += table.end_x[i] * a[i];
      end_v += table.end_v[i] * a[i];
    }
    ends.col(column) << end_x, end_v;
  }
  return ends;
}

// |eigenvalue|, largest, of the symmetric part of M^-1 A over the free directions.
template <class Product>
double largest_rate(const VecX& mass, const StepConstraints& constraints, const Product& multiply) {
  std::mt19937_64 random(1);
  VecX x(mass.size()), image;
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = uniform(random);
  constraints.filter(x);
  double rate = 0.0;
  for (int round = 0; round < kPowerRounds; ++round) {
    const double size = std::sqrt(x.dot(mass.cwiseProduct(x)));
    if (!(size > 0.0)) return 0.0;
    x /= size;
    multiply(x, image);
    image = image.cwiseQuotient(mass).eval();
    constraints.filter(image);
    rate = std::sqrt(image.dot(mass.cwiseProduct(image)));
    x = image;
  }
  return rate;
}

// L over vertices, of a step so long.
Eigen::SparseMatrix<double> bound_of(const Model& model, double dt, double time) {
  StiffnessBound bound(dt, time);
  for (const auto& energy : model.energies()) energy->add_stiffness_bound(bound);
  Eigen::SparseMatrix<double> L(model.vertex_count(), model.vertex_count());
  L.setFromTriplets(bound.entries().begin(), bound.entries().end());
  return L;
}

// out = (A (x) 1) x
void multiply_rows(const Eigen::SparseMatrix<double>& A, const VecX& x, VecX& out) {
  using OfVertices = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  const OfVertices image = A * Eigen::Map<const OfVertices>(x.data(), x.size() / 3, 3);
  out = Eigen::Map<const VecX>(image.data(), image.size());
}

}  // namespace

const ExplicitTable& table_of(ExplicitScheme scheme) {
  switch (scheme) {
    case ExplicitScheme::kSymplectic:
      return kSymplecticTable;
    case ExplicitScheme::kVerlet:
      return kVerletTable;
    case ExplicitScheme::kMidpoint:
      return kMidpointTable;
    case ExplicitScheme::kRungeKutta4:
      return kRungeKutta4Table;
    case ExplicitScheme::kEuler:
      break;
  }
  return kEulerTable;
}

MomentForces::MomentForces(const Model& model, const State& at, double h, double time, StepWorkspace& work)
    : model_(model),
      at_(at),
      d_(kMoment * h),
      time_(time),
      start_(at.x - d_ * at.v),
      before_(at.x - 2.0 * d_ * at.v) {
  for (const auto& energy : model.energies())
    // Explicit steps are refused with these, or asked about without them.
    if (!energy->is_limited() && !energy->is_contact())
      energies_.push_back(energy->begin_step({d_, time, start_, at.v, &work.pairs, &before_, &at.v}));
}

VecX MomentForces::force() const {
  VecX f = VecX::Zero(at_.x.size());
  for (const auto& energy : energies_) energy->add_gradient(at_.x, f);
  const Vec3 g = model_.gravity().at(time_);
  for (int i = 0; i < model_.vertex_count(); ++i)
    f.segment<3>(3 * i) = model_.vertex_mass()(i) * g - f.segment<3>(3 * i);
  return f;
}

void MomentForces::derivatives(BlockMatrix& K, BlockMatrix& B) const {
  BlockMatrix H(model_.pattern());
  for (const auto& energy : energies_) energy->add_hessian(at_.x, {}, H);
  H.mirror_upper();
  K.set_zero();
  B.set_zero();
  BlockMatrix before(model_.pattern());
  for (const auto& energy : energies_) {
    energy->add_start_derivatives(at_.x, K, B);
    energy->add_before_derivatives(at_.x, before, B);
  }
  for (int s = 0; s < model_.pattern().block_count(); ++s) {
    B.block(s) -= d_ * (K.block(s) + 2.0 * before.block(s));
    K.block(s) += H.block(s) + before.block(s);
  }
}

ExplicitStages take_stages(const Model& model, ExplicitScheme scheme, const State& start, double h,
                           double time, const VecX& u, StepWorkspace& work) {
  const ExplicitTable& table = table_of(scheme);
  ExplicitStages stages{StepConstraints(model.pins(), time + h, model.vertex_count()), {}, {}, {}};
  VecX target = start.x;
  stages.constraints.impose(target);
  VecX held = target - start.x;  // the way of what is held
  stages.constraints.filter_out(held);
  const auto hold = [&](double share, State& state) {
    stages.constraints.filter(state.v);
    state.v += held / h;
    const VecX free = state.x - start.x;
    VecX moved = free;
    stages.constraints.filter(moved);
    state.x = start.x + moved + share * held;
  };
  for (int i = 0; i < table.stages; ++i) {
    State at{start.x + table.c[i] * h * start.v, start.v};
    for (int j = 0; j < i; ++j) {
      at.x += h * h * table.of_x[i][j] * stages.a[j];
      at.v += h * table.of_v[i][j] * stages.a[j];
    }
    hold(table.c[i], at);
    VecX a = MomentForces(model, at, h, time + table.c[i] * h, work).force() + u;
    stages.constraints.filter(a);
    stages.a.push_back(a.cwiseQuotient(model.mass()));
    stages.at.push_back(std::move(at));
  }
  State end{start.x + h * start.v, start.v};
  for (int i = 0; i < table.stages; ++i) {
    end.x += h * h * table.end_x[i] * stages.a[i];
    end.v += h * table.end_v[i] * stages.a[i];
  }
  hold(1.0, end);
  stages.constraints.impose(end.x);
  stages.end = std::move(end);
  return stages;
}

FastestMotion fastest_motion(const Model& model, const State& at, double h, double time,
                             StepWorkspace& work) {
  const StepConstraints constraints(model.pins(), time, model.vertex_count());
  const auto rate = [&](const auto& multiply) { return largest_rate(model.mass(), constraints, multiply); };
  BlockMatrix K(model.pattern()), B(model.pattern());
  MomentForces(model, at, h, time, work).derivatives(K, B);
  // What depends on the start by d alone is not in question: both are nearly symmetric.
  const double stiffest = rate([&](const VecX& x, VecX& out) { K.multiply(x, out); });
  const double damping = rate([&](const VecX& x, VecX& out) { B.multiply(x, out); });
  // And as stiff as it may become: a slack that is not taken up yet hides what it is.
  const Eigen::SparseMatrix<double> L = bound_of(model, std::numeric_limits<double>::infinity(), time);
  const Eigen::SparseMatrix<double> dissipating = bound_of(model, 1.0, time) - L;
  const double stiffest_yet = rate([&](const VecX& x, VecX& out) { multiply_rows(L, x, out); });
  const double damping_yet = rate([&](const VecX& x, VecX& out) { multiply_rows(dissipating, x, out); });
  return {std::sqrt(kMargin * std::max(stiffest, stiffest_yet)), kMargin * std::max(damping, damping_yet)};
}

bool stiffens(const Model& model, double from, double to) {
  const double unit = std::log(1.1);
  // Whole tenths, of which a rise that is slower than a step is long passes each but once.
  const auto tenths = [unit](const Eigen::Triplet<double>& entry) {
    return entry.value() != 0.0 ? std::floor(std::log(std::abs(entry.value())) / unit)
                                : -std::numeric_limits<double>::infinity();
  };
  return std::any_of(model.energies().begin(), model.energies().end(), [&](const auto& energy) {
    if (!energy->bound_depends_on_time()) return false;
    StiffnessBound before(to - from, from), after(to - from, to);
    energy->add_stiffness_bound(before);
    energy->add_stiffness_bound(after);
    return !std::equal(before.entries().begin(), before.entries().end(), after.entries().begin(),
                       after.entries().end(),
                       [&](const auto& a, const auto& b) { return tenths(b) <= tenths(a); });
  });
}

double longest_step(ExplicitScheme scheme, const FastestMotion& motion) {
  const ExplicitTable& table = table_of(scheme);
  const double rate = std::max(motion.frequency, motion.damping);
  if (!(rate > 0.0)) return std::numeric_limits<double>::infinity();
  const auto bears = [&](double h) {
    const double w = motion.frequency;
    const Eigen::Vector2cd z = amplification(table, h * h * w * w, h * motion.damping).eigenvalues();
    constexpr double kRounding = 1e-13;  // of what neither grows nor shrinks
    return z.cwiseAbs().maxCoeff() <= std::exp(h) * (1.0 + kRounding);
  };
  // A region of stability has no holes along this way: one step that is too long, then what is between.
  double low = 0.0, high = 1e-9 / rate;
  for (int k = 0; k < 100 && bears(high); ++k) {
    low = high;
    high *= 1.25;
  }
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (bears(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace keydrape
