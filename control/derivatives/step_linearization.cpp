#include "control/derivatives/step_linearization.h"

#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <cassert>
#include <span>
#include <string>
#include <vector>

#include "core/step/refined_solve.h"

namespace keydrape {

namespace {

// A factor in single precision that takes more than this to refine is no cheaper than one in
// double precision.
constexpr int kMaxProbeIterations = 10;
// Other right-hand sides may take a few more; beyond this something is wrong.
constexpr int kMaxRefinements = 100;
// Of the right-hand side. A search asks two or three digits of its model's minimum.
constexpr double kEnoughForModel = 1e-10;

Eigen::SparseMatrix<double> scalar_matrix(const BlockMatrix& H) {
  const BlockPattern& pattern = H.pattern();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * static_cast<size_t>(pattern.block_count()));
  for (int i = 0; i < pattern.rows(); ++i)
    for (int s = pattern.row_begin(i); s < pattern.row_end(i); ++s)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          entries.emplace_back(3 * i + r, 3 * pattern.column(s) + c, H.block(s)(r, c));
  Eigen::SparseMatrix<double> matrix(3 * pattern.rows(), 3 * pattern.rows());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

std::string sentence(const DerivativeFailure& failure) {
  const std::string matrix = "the matrix of time step " + std::to_string(failure.step);
  switch (failure.cause) {
    case DerivativeFailure::Cause::kSingular:
      return matrix + " is singular";
    case DerivativeFailure::Cause::kPassed:
      return "steps that contact or a limit of edges corrects have no derivatives";
    case DerivativeFailure::Cause::kNotSmooth:
      return "linearised steps have no exact derivatives in contact, with a strain limit, of isotropic or "
             "coupled cloth";
    case DerivativeFailure::Cause::kUnrefined:
      break;
  }
  return "a solve with " + matrix + " did not reach double precision";
}

struct StepLinearization::Indefinite {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

StepLinearization::StepLinearization(const Simulator& simulator, int n, const StepFrom& from,
                                     const State& end, StepWorkspace& work)
    : simulator_(&simulator), work_(&work), n_(n), scheme_(simulator.scheme(from)) {
  const Model& model = simulator.model();
  const VecX no_force = VecX::Zero(end.x.size());  // u enters linearly: no second derivative sees it
  StepProblem problem = simulator.problem(n, from, no_force, work);
  if (simulator.options().contact_derivatives == ContactDerivatives::kFrozen) problem.freeze_contact();
  const VecX& y = simulator.is_linearized() ? from.start.x : end.x;
  constraints_ = problem.constraints();

  wide_ = problem.pattern(y, nullptr);
  BlockMatrix H(pattern());
  if (simulator.is_linearized())
    problem.linearized_matrix(y, H, wide_.get());
  else
    problem.hessian(y, VecX(), H, HessianKind::kExact, wide_.get());
  problem.constrain(H);
  H_.emplace(H);
  if (simulator.has_exact_linearized_derivatives()) {
    BlockMatrix D(model.pattern());
    problem.linearized_derivatives(end.x - from.start.x, C_[0].emplace(model.pattern()), D);
    if (model.depends_on_start_v()) D_[0] = std::move(D);
  } else if (model.depends_on_start_x()) {
    for (int level = 0; level < (scheme_.has_before() ? kStepLevels : 1); ++level) {
      BlockMatrix& C = C_[level].emplace(pattern_of_C(level));
      BlockMatrix D(model.pattern());
      if (level == 0)
        problem.start_derivatives(y, C, D, wide_.get());
      else
        problem.before_derivatives(y, C, D);
      if (model.depends_on_start_v()) D_[level] = std::move(D);
    }
  }
}

StepLinearization::~StepLinearization() = default;
StepLinearization::StepLinearization(StepLinearization&&) noexcept = default;
StepLinearization& StepLinearization::operator=(StepLinearization&&) noexcept = default;

const BlockPattern& StepLinearization::pattern() const {
  return wide_ ? wide_->blocks() : simulator_->model().pattern();
}

const BlockPattern& StepLinearization::pattern_of_C(int level) const {
  return level == 0 ? pattern() : simulator_->model().pattern();
}

const CholeskySolver& StepLinearization::cholesky() const {
  return wide_ ? wide_->cholesky() : simulator_->cholesky();
}

bool StepLinearization::factorize(Precision precision) {
  assert(!has_factor() && H_);
  const BlockMatrix H = H_->expanded();
  if (precision != Precision::kDouble) {
    single_factor_ = precision == Precision::kPassing ? cholesky().factorize_single(H, work_->cholesky)
                                                      : cholesky().factorize_rounded(H, work_->cholesky);
    if (single_factor_) {
      VecX probe = VecX::Ones(3 * pattern().rows()), image;
      constraints_.filter(probe);
      if (solve_refined(*H_, *single_factor_, constraints_, probe, kMaxProbeIterations, image).reached)
        return true;
      single_factor_.reset();
    }
  }
  double_factor_ = cholesky().factorize(H, work_->cholesky);
  if (double_factor_) return true;
  auto indefinite = std::make_unique<Indefinite>();
  indefinite->lu.compute(scalar_matrix(H));
  if (indefinite->lu.info() != Eigen::Success) return false;
  indefinite_ = std::move(indefinite);
  return true;
}

void StepLinearization::release_factor() {
  assert(H_);
  double_factor_.reset();
  single_factor_.reset();
  indefinite_.reset();
}

void StepLinearization::release_matrix() {
  assert(has_factor());
  if (!single_factor_) H_.reset();
}

void StepLinearization::move_to(ScratchFile& file) {
  assert(is_single() && !filed_);
  filed_ = Filed{};
  const auto append = [&](const auto& values) {
    filed_->size += std::span(values).size_bytes();
    return file.append(std::as_bytes(std::span(values)));
  };
  filed_->H_count = H_->values().size();
  filed_->layout = single_factor_->layout();
  filed_->H = append(H_->values());
  for (int level = 0; level < kStepLevels; ++level) {
    filed_->has_C[level] = C_[level].has_value();
    filed_->has_D[level] = D_[level].has_value();
    if (C_[level]) filed_->C[level] = append(C_[level]->values());
    if (D_[level]) filed_->D[level] = append(D_[level]->values());
  }
  filed_->factor = append(single_factor_->values());
  FetchedValues memory;
  drop_fetched(memory);
}

void StepLinearization::fetch(const ScratchFile& file, FetchedValues& memory) {
  assert(is_filed() && !has_factor());
  const auto read = [&](std::uint64_t begin, size_t count, auto& values) {
    values.resize(count);
    file.read(begin, std::as_writable_bytes(std::span(values)));
    return std::move(values);
  };
  const auto count = [](const BlockPattern& pattern) {
    return 9 * static_cast<size_t>(pattern.block_count());
  };
  H_.emplace(pattern(), read(filed_->H, filed_->H_count, memory.H));
  for (int level = 0; level < kStepLevels; ++level) {
    const BlockPattern &of_C = pattern_of_C(level), &of_D = simulator_->model().pattern();
    if (filed_->has_C[level]) C_[level].emplace(of_C, read(filed_->C[level], count(of_C), memory.C[level]));
    if (filed_->has_D[level]) D_[level].emplace(of_D, read(filed_->D[level], count(of_D), memory.D[level]));
  }
  single_factor_ = std::make_unique<SingleFactor>(
      filed_->layout, read(filed_->factor, filed_->layout->values_begin.back(), memory.factor));
}

void StepLinearization::drop_fetched(FetchedValues& memory) {
  assert(is_filed() && H_ && single_factor_);
  memory.H = std::move(*H_).release_values();
  for (int level = 0; level < kStepLevels; ++level) {
    if (C_[level]) memory.C[level] = std::move(*C_[level]).release_values();
    if (D_[level]) memory.D[level] = std::move(*D_[level]).release_values();
    C_[level].reset();
    D_[level].reset();
  }
  memory.factor = std::move(*single_factor_).release_values();
  H_.reset();
  single_factor_.reset();
}

bool StepLinearization::solve(const VecX& b, VecX& x, SolveAccuracy accuracy) const {
  assert(has_factor());
  VecX free = b;
  constraints_.filter(free);
  if (single_factor_) {
    const double enough = accuracy == SolveAccuracy::kModel ? kEnoughForModel : 0.0;
    if (!solve_refined(*H_, *single_factor_, constraints_, free, kMaxRefinements, x, enough).reached)
      return false;
  } else if (double_factor_) {
    double_factor_->solve(free, x, work_->cholesky);
  } else {
    x = indefinite_->lu.solve(free);
  }
  constraints_.filter(x);
  return true;
}

void StepLinearization::apply_x(StepLevel level, const VecX& dx, VecX& out) const {
  apply(scheme_.beta * scheme_.beta / share(level), C_[static_cast<int>(level)], &BlockMatrix::multiply, dx,
        out);
}

void StepLinearization::apply_v(StepLevel level, const VecX& dv, VecX& out) const {
  apply(scheme_.beta / share(level), D_[static_cast<int>(level)], &BlockMatrix::multiply, dv, out);
}

void StepLinearization::apply_x_transposed(StepLevel level, const VecX& lambda, VecX& out) const {
  apply(scheme_.beta * scheme_.beta / share(level), C_[static_cast<int>(level)],
        &BlockMatrix::multiply_transposed, lambda, out);
}

void StepLinearization::apply_v_transposed(StepLevel level, const VecX& lambda, VecX& out) const {
  apply(scheme_.beta / share(level), D_[static_cast<int>(level)], &BlockMatrix::multiply_transposed, lambda,
        out);
}

// out = M/divisor d - B d, or B^T d as `product` says; without B the first alone.
void StepLinearization::apply(double divisor, const std::optional<BlockMatrix>& B, Product product,
                              const VecX& d, VecX& out) const {
  const VecX& mass = simulator_->model().mass();
  if (!B) {
    out = mass.cwiseProduct(d) / divisor;
    return;
  }
  ((*B).*product)(d, out);
  out = mass.cwiseProduct(d) / divisor - out;
}

size_t StepLinearization::memory_bytes() const {
  size_t bytes = 0;
  if (double_factor_) bytes += double_factor_->memory_bytes();
  if (single_factor_) bytes += single_factor_->memory_bytes();
  if (indefinite_) bytes += 12 * static_cast<size_t>(indefinite_->lu.nnzL() + indefinite_->lu.nnzU());
  if (H_) bytes += H_->memory_bytes();
  for (const auto* matrices : {&C_, &D_})
    for (const std::optional<BlockMatrix>& matrix : *matrices)
      if (matrix) bytes += matrix->memory_bytes();
  if (wide_) bytes += wide_->memory_bytes();
  return bytes;
}

}  // namespace keydrape
