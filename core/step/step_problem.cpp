#include "core/step/step_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

namespace keydrape {

namespace {

constexpr int kPiecesOfMotion[StepProblem::kFirstGuesses] = {1, 1, 4, 16};  // of bodies, by attempt

}  // namespace

StepProblem::StepProblem(const Model& model, const StepFrom& from, double dt, double end_time, const VecX& u,
                         StepWorkspace& work)
    : model_(model),
      start_(from.start),
      before_(from.before),
      dt_(dt),
      end_time_(end_time),
      scheme_(step_scheme(dt, from.before != nullptr)),
      u_(u),
      work_(work),
      pins_(model.pins(), end_time, model.vertex_count()),
      constraints_(pins_),
      constant_hessian_(model.pattern()) {
  [[maybe_unused]] const Eigen::Index size = 3 * static_cast<Eigen::Index>(model.vertex_count());
  assert(start_.x.size() == size && start_.v.size() == size && u.size() == size && dt > 0.0);
  assert(!before_ || (before_->x.size() == size && before_->v.size() == size));
  const VecX* x_before = before_ ? &before_->x : nullptr;
  const VecX* v_before = before_ ? &before_->v : nullptr;
  const double beta = scheme_.beta;
  const Vec3 g = model.gravity().at(end_time);
  x_star_ = scheme_.star(start_.x, x_before);
  x_tilde_ = x_star_ + beta * scheme_.star(start_.v, v_before);
  for (int i = 0; i < model.vertex_count(); ++i) x_tilde_.segment<3>(3 * i) += beta * beta * g;
  for (const auto& energy : model.energies())
    energies_.push_back(energy->begin_step({dt, end_time, start_.x, start_.v, &work.pairs, x_before, v_before,
                                            from.sliding_time, start_.exempt, from.is_linearized}));
  add_inertia(1.0, constant_hessian_);
  for (const auto& energy : energies_)
    if (energy->has_constant_hessian()) energy->add_hessian(start_.x, {}, constant_hessian_);
}

void StepProblem::hold(const std::vector<StepConstraints::Row>& rows) {
  constraints_ = pins_;
  constraints_.add(rows);
}

double StepProblem::value(const VecX& y) const {
  const VecX d = y - x_tilde_;
  double sum = 0.5 / (beta() * beta()) * d.dot(model_.mass().cwiseProduct(d)) - u_.dot(y);
  for (const auto& energy : energies_)
    if (std::isfinite(sum)) sum += energy->value(y);
  return sum;
}

void StepProblem::residual(const VecX& y, VecX& r) const {
  r = model_.mass().cwiseProduct(y - x_tilde_) / (beta() * beta()) - u_;
  for (const auto& energy : energies_) energy->add_gradient(y, r);
}

void StepProblem::hessian(const VecX& y, const VecX& tension, BlockMatrix& H, HessianKind kind,
                          const WidePattern* wide) const {
  if (wide) {
    BlockMatrix base(model_.pattern());
    upper_hessian_of_model(y, tension, base);
    wide->copy(base, H);
  } else {
    upper_hessian_of_model(y, tension, H);
  }
  for (size_t k = 0; k < energies_.size(); ++k)
    if (couples_what_touches(k) && is_differentiated(k)) energies_[k]->add_hessian(y, {{}, kind}, H);
  H.mirror_upper();
}

void StepProblem::linearized_matrix(const VecX& y, BlockMatrix& P, const WidePattern* wide) const {
  VecX tension = tensions(y);
  project_tensions(y, tension);
  hessian(y, tension, P, HessianKind::kPsd, wide);
}

void StepProblem::add_inertia(double share, BlockMatrix& H) const {
  for (int i = 0; i < model_.vertex_count(); ++i)
    H.block(H.pattern().diagonal_slot(i)).diagonal().array() +=
        share * model_.vertex_mass()(i) / (beta() * beta());
}

std::shared_ptr<const WidePattern> StepProblem::pattern(const VecX& y,
                                                        std::shared_ptr<const WidePattern> current) const {
  std::vector<Edge> couplings;
  for (size_t k = 0; k < energies_.size(); ++k)
    if (couples_what_touches(k) && is_differentiated(k))
      energies_[k]->limit()->append_couplings(y, couplings);
  if (current && current->covers(couplings)) return current;
  if (!current && covers(model_.pattern(), couplings)) return nullptr;
  return std::make_shared<WidePattern>(model_.pattern(), couplings);
}

void StepProblem::upper_hessian_of_model(const VecX& y, const VecX& tension, BlockMatrix& H) const {
  assert(tension.size() == 0 || tension.size() == model_.condition_count());
  H.copy_values(constant_hessian_);
  size_t offset = 0;
  for (size_t k = 0; k < energies_.size(); ++k) {
    const size_t count = model_.energies()[k]->condition_count();
    const std::span<const double> all(tension.data(), tension.size());
    if (!energies_[k]->has_constant_hessian() && is_differentiated(k) && !couples_what_touches(k))
      energies_[k]->add_hessian(y, {tension.size() ? all.subspan(offset, count) : all}, H);
    offset += count;
  }
}

void StepProblem::constrain(BlockMatrix& H) const {
  const BlockPattern& pattern = H.pattern();
  for (const StepConstraints::Row& row : constraints_.rows()) {
    const int i = row.vertex;
    for (int s = pattern.row_begin(i); s < pattern.row_end(i); ++s) {
      H.block(s) = (row.S * H.block(s)).eval();
      const int mirrored = pattern.transpose_slot(s);
      H.block(mirrored) = (H.block(mirrored) * row.S).eval();
    }
    H.block(pattern.diagonal_slot(i)) +=
        (model_.vertex_mass()(i) / (beta() * beta())) * (Mat3::Identity() - row.S);
  }
}

template <class F>
void StepProblem::for_each_tensions(VecX& tension, const F& f) const {
  size_t offset = 0;
  for (size_t k = 0; k < energies_.size(); ++k) {
    const auto count = static_cast<size_t>(model_.energies()[k]->condition_count());
    if (const Tensions* tensions = energies_[k]->tensions())
      f(*tensions, std::span<double>(tension.data() + offset, count));
    offset += count;
  }
}

VecX StepProblem::tensions(const VecX& y) const {
  VecX tension(model_.condition_count());
  for_each_tensions(tension, [&](const Tensions& tensions, auto part) { tensions.at(y, part); });
  return tension;
}

void StepProblem::predict_tensions(const VecX& y, const VecX& dy, VecX& tension) const {
  tension.resize(model_.condition_count());
  for_each_tensions(tension, [&](const Tensions& tensions, auto part) { tensions.predict(y, dy, part); });
}

void StepProblem::project_tensions(const VecX& y, VecX& tension) const {
  for_each_tensions(tension, [&](const Tensions& tensions, auto part) { tensions.project(y, part); });
}

template <class F>
void StepProblem::for_each_limit(const F& f) const {
  for (const auto& energy : energies_)
    if (const Limit* limit = energy->limit()) f(*limit);
}

bool StepProblem::has_limits() const {
  return std::any_of(energies_.begin(), energies_.end(), [](const auto& energy) { return energy->limit(); });
}

double StepProblem::step_bound(const VecX& y, const VecX& dy) const {
  double bound = 1.0;
  for_each_limit([&](const Limit& limit) {
    if (bound > 0.0) bound = limit.step_bound(y, dy, bound);
  });
  return bound;
}

StepProblem::FirstGuess StepProblem::first_guess(int attempt) const {
  assert(0 <= attempt && attempt < kFirstGuesses);
  VecX way = start_.x;
  for_each_limit([&](const Limit& limit) { limit.leave(way, kPiecesOfMotion[attempt]); });
  if (attempt > 0) constraints_.impose(way);
  for_each_limit([&](const Limit& limit) { limit.clear_way(way); });
  way -= start_.x;
  if (way.isZero(0.0)) return {start_.x, count_met(start_.x)};
  const auto guess = [&](VecX y) {
    const int violations = count_violations(y);
    const int blocked = violations > 0 ? violations : count_met(y);
    return FirstGuess{std::move(y), blocked};
  };
  // What moves with a body must neither pass through other cloth nor tear away from it: then it
  // goes less far.
  for (const double share : {1.0, 0.5, 0.25, 0.125})
    if (FirstGuess taken = guess(start_.x + share * way); taken.blocked == 0) return taken;
  return guess(start_.x);
}

int StepProblem::count_violations(const VecX& y) const {
  int count = 0;
  for_each_limit([&](const Limit& limit) { count += limit.count_violations(y); });
  return count;
}

int StepProblem::count_met(const VecX& y) const {
  int count = 0;
  for_each_limit([&](const Limit& limit) { count += limit.count_met(y); });
  return count;
}

State StepProblem::end_state(VecX y) const {
  VecX v = scheme_.end_velocity(y, x_star_);
  auto exempt = model_.exemptions_after(start_.exempt, y);
  return {std::move(y), std::move(v), std::move(exempt)};
}

double StepProblem::search_seconds() const { return work_.pairs.seconds; }

void StepProblem::start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D,
                                    const WidePattern* wide) const {
  C.set_zero();
  D.set_zero();
  const auto add = [&](bool what_touches, BlockMatrix& to) {
    for (size_t k = 0; k < energies_.size(); ++k)
      if (couples_what_touches(k) == what_touches && is_differentiated(k))
        energies_[k]->add_start_derivatives(y, to, D);
  };
  if (wide) {
    BlockMatrix base(model_.pattern());
    add(false, base);
    wide->copy(base, C);
  } else {
    add(false, C);
  }
  add(true, C);
}

void StepProblem::linearized_derivatives(const VecX& d, BlockMatrix& C, BlockMatrix& D) const {
  assert(model_.has_linearized_derivatives() && !before_);
  C.set_zero();
  D.set_zero();
  for (const auto& energy : energies_) energy->add_linearized_derivatives(d, C, D);
}

void StepProblem::before_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const {
  assert(before_);
  C.set_zero();
  D.set_zero();
  for (size_t k = 0; k < energies_.size(); ++k)
    if (is_differentiated(k)) energies_[k]->add_before_derivatives(y, C, D);
}

}  // namespace keydrape
