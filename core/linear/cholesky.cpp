#include "core/linear/cholesky.h"

#include <cholmod.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/linear/factor_packing.h"
#include "core/linear/multifrontal.h"

namespace keydrape {

namespace {

// Below this many vertices approximate minimum degree fills less than nested dissection, above it is
// the other way.
constexpr int kNestedDissectionFromVertices = 4000;

// Of a task of the triangular solves: 10 to 30 us, so that waking a thread does not show.
constexpr size_t kTaskValues = 50000;

// Supernodes of so many columns are merged where no more than such a share of them becomes
// zeros (CHOLMOD's relaxation).
struct Relaxation {
  size_t columns[3];
  double zeros[3];
};
// Wide ones: 25 to 30 % faster for as much more memory
// (core/decisions/0005-packed-factors.md; at 1,024 to 10,000 vertices).
constexpr Relaxation kFactorized{{16, 48, 128}, {0.8, 0.3, 0.1}};
// Of factors that are kept: a quarter smaller.
constexpr Relaxation kPacked{{12, 24, 48}, {0.3, 0.05, 0.02}};

// Floating-point rate of factorize_single() over that of the triangular solves. Small factors stay in the
// cache, where solves are fast and narrow supernodes slow the factorisation down; large ones make solves wait
// for memory. Measured on one thread at 1,024 vertices (18 solves), 2,500 (24) and 10,000 (7.5), on two 20,
// 24 and 8; only the order of magnitude matters.
constexpr double kCacheBytes = 16e6;
constexpr double kRateInCache = 1.2, kRateBeyond = 6.0;

// To be asked after each call that allocates: it has made nothing then, or left a factor as that of a matrix
// which is not positive definite. What does not fit its integers is larger than memory, too.
void refuse_out_of_memory(int status) {
  if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE) throw std::bad_alloc();
}

}  // namespace

// What CHOLMOD needs in every call: its settings, and the work space of factorisations and solves.
struct CholmodSession {
  cholmod_common common;
  cholmod_dense* solution = nullptr;
  cholmod_dense *work_y = nullptr, *work_e = nullptr;

  CholmodSession() {
    cholmod_start(&common);
    common.print = 0;  // CHOLMOD warns on stdout, which belongs to data
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.final_ll = 1;
    common.quick_return_if_not_posdef = 1;
  }
  CholmodSession(const CholmodSession&) = delete;
  CholmodSession& operator=(const CholmodSession&) = delete;
  ~CholmodSession() {
    cholmod_free_dense(&solution, &common);
    cholmod_free_dense(&work_y, &common);
    cholmod_free_dense(&work_e, &common);
    cholmod_finish(&common);
  }
};

struct CholeskyWorkspace::Impl {
  CholmodSession session;
  std::vector<double> matrix;    // values of H in CHOLMOD's format
  PageVector<float> spare;       // for the next factor that is made in single precision
  PageVector<double> unrounded;  // of a factor that is packed
};

CholeskyWorkspace::CholeskyWorkspace() : impl_(std::make_unique<Impl>()) {}
CholeskyWorkspace::~CholeskyWorkspace() = default;
CholeskyWorkspace::CholeskyWorkspace(CholeskyWorkspace&&) noexcept = default;
CholeskyWorkspace& CholeskyWorkspace::operator=(CholeskyWorkspace&&) noexcept = default;

void CholeskyWorkspace::recycle(std::unique_ptr<SingleFactor> factor) {
  if (factor) impl_->spare = std::move(*factor).release_values();
}

struct CholeskySolver::Impl {
  const BlockPattern& pattern;
  CholmodSession session;  // of the analysis
  cholmod_common& common = session.common;
  cholmod_sparse* matrix = nullptr;  // the pattern of the upper triangle, by columns
  cholmod_factor* symbolic = nullptr;
  std::vector<int> order;                          // of the matrix's rows, before CHOLMOD's postordering
  std::shared_ptr<const SupernodalLayout> layout;  // of `symbolic`
  std::unique_ptr<const Multifrontal> multifrontal;
  std::once_flag packing_is_made;
  std::unique_ptr<const FactorPacking> packing;  // made when first asked for
  double flops = 0.0, factor_nonzeros = 0.0;

  explicit Impl(const BlockPattern& p) : pattern(p) {}

  ~Impl() {
    cholmod_free_factor(&symbolic, &common);
    cholmod_free_sparse(&matrix, &common);
  }

  // METIS draws from the one generator that all threads share: one at a time.
  int dissect(cholmod_sparse* graph, std::vector<int>& found) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    return cholmod_metis(graph, nullptr, 0, 1, found.data(), &common);
  }

  std::vector<int> order_vertices() {
    const int n = pattern.rows();
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += pattern.diagonal_slot(i) - pattern.row_begin(i) + 1;
    std::vector<int> found(n);
    cholmod_sparse* graph = cholmod_allocate_sparse(n, n, count, 1, 1, 1, CHOLMOD_PATTERN, &common);
    refuse_out_of_memory(common.status);
    auto* begin = static_cast<int*>(graph->p);
    auto* row = static_cast<int*>(graph->i);
    int at = 0;
    for (int j = 0; j < n; ++j) {
      begin[j] = at;
      for (int s = pattern.row_begin(j); s <= pattern.diagonal_slot(j); ++s) row[at++] = pattern.column(s);
    }
    begin[n] = at;
    const int ok = n < kNestedDissectionFromVertices ? cholmod_amd(graph, nullptr, 0, found.data(), &common)
                                                     : dissect(graph, found);
    const int status = common.status;
    cholmod_free_sparse(&graph, &common);
    refuse_out_of_memory(status);
    if (!ok) throw std::runtime_error("CHOLMOD could not order the vertices");
    return found;
  }

  void analyze() {
    const int n = pattern.rows();
    size_t count = 0;
    for (int i = 0; i < n; ++i) count += 9 * (pattern.diagonal_slot(i) - pattern.row_begin(i)) + 6;
    matrix = cholmod_allocate_sparse(3 * n, 3 * n, count, 1, 1, 1, CHOLMOD_PATTERN, &common);
    refuse_out_of_memory(common.status);
    auto* begin = static_cast<int*>(matrix->p);
    auto* row = static_cast<int*>(matrix->i);
    int at = 0;
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < 3; ++c) {
        begin[3 * j + c] = at;
        for (int s = pattern.row_begin(j); s < pattern.diagonal_slot(j); ++s)
          for (int r = 0; r < 3; ++r) row[at++] = 3 * pattern.column(s) + r;
        for (int r = 0; r <= c; ++r) row[at++] = 3 * j + r;
      }
    begin[3 * n] = at;

    const std::vector<int> of_vertices = order_vertices();
    order.resize(3 * n);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c) order[3 * i + c] = 3 * of_vertices[i] + c;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    common.postorder = 1;
    symbolic = analyze_supernodes(kFactorized);
    flops = common.fl;
    factor_nonzeros = static_cast<double>(symbolic->xsize);
    layout = std::make_shared<const SupernodalLayout>(layout_of(*symbolic));
    multifrontal = std::make_unique<const Multifrontal>(pattern, layout);
  }

  cholmod_factor* analyze_supernodes(const Relaxation& relaxation) {
    std::copy_n(relaxation.columns, 3, common.nrelax);
    std::copy_n(relaxation.zeros, 3, common.zrelax);
    cholmod_factor* found = cholmod_analyze_p(matrix, order.data(), nullptr, 0, &common);
    refuse_out_of_memory(common.status);
    if (!found) throw std::runtime_error("CHOLMOD could not analyse the matrix");
    return found;
  }

  const FactorPacking& packing_of_kept() {
    std::call_once(packing_is_made, [this] {
      cholmod_factor* narrow = analyze_supernodes(kPacked);
      auto packed = std::make_shared<const SupernodalLayout>(layout_of(*narrow));
      cholmod_free_factor(&narrow, &common);
      packing = std::make_unique<const FactorPacking>(*layout, std::move(packed));
    });
    return *packing;
  }

  static SupernodalLayout layout_of(const cholmod_factor& f) {
    const auto copy = [](const void* from, size_t count) {
      const int* p = static_cast<const int*>(from);
      return std::vector<int>(p, p + count);
    };
    SupernodalLayout l;
    l.first_column = copy(f.super, f.nsuper + 1);
    l.rows_begin = copy(f.pi, f.nsuper + 1);
    l.rows = copy(f.s, f.ssize);
    l.order = copy(f.Perm, f.n);
    const std::vector<int> begin = copy(f.px, f.nsuper + 1);
    l.values_begin.assign(begin.begin(), begin.end());
    l.tasks = EliminationTasks(l, kTaskValues);
    return l;
  }

  // Fills `values` with H in CHOLMOD's format. The view that is returned must not outlive them.
  cholmod_sparse view_of(const BlockMatrix& H, std::vector<double>& values) const {
    values.resize(matrix->nzmax);
    double* value = values.data();
    for (int j = 0; j < pattern.rows(); ++j)
      for (int c = 0; c < 3; ++c) {
        for (int s = pattern.row_begin(j); s < pattern.diagonal_slot(j); ++s) {
          // (j, i) with i < j: its row c is column 3 j + c of the upper triangle.
          const auto block = H.block(s);
          for (int r = 0; r < 3; ++r) *value++ = block(c, r);
        }
        const auto diagonal = H.block(pattern.diagonal_slot(j));
        for (int r = 0; r <= c; ++r) *value++ = diagonal(c, r);
      }
    cholmod_sparse view = *matrix;
    view.x = values.data();
    view.xtype = CHOLMOD_REAL;
    return view;
  }
};

struct CholeskyFactor::Impl {
  cholmod_factor* factor;

  explicit Impl(cholmod_factor* f) : factor(f) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  // Any session may free it: all that it knows is a count.
  ~Impl() {
    CholmodSession session;
    cholmod_free_factor(&factor, &session.common);
  }
};

CholeskySolver::CholeskySolver(const BlockPattern& pattern) : impl_(std::make_unique<Impl>(pattern)) {
  impl_->analyze();
}

CholeskySolver::~CholeskySolver() = default;

std::unique_ptr<CholeskyFactor> CholeskySolver::factorize(const BlockMatrix& H,
                                                          CholeskyWorkspace& work) const {
  assert(&H.pattern() == &impl_->pattern);
  if (!H.all_finite()) return nullptr;  // CHOLMOD calls a matrix with NaNs positive definite
  cholmod_common& common = work.impl_->session.common;
  cholmod_factor* factor = cholmod_copy_factor(impl_->symbolic, &common);
  refuse_out_of_memory(common.status);
  auto owner = std::make_unique<CholeskyFactor::Impl>(factor);
  cholmod_sparse matrix = impl_->view_of(H, work.impl_->matrix);
  cholmod_factorize(&matrix, factor, &common);
  refuse_out_of_memory(common.status);
  if (common.status != CHOLMOD_OK || factor->minor != factor->n) return nullptr;
  return std::make_unique<CholeskyFactor>(std::move(owner));
}

std::unique_ptr<SingleFactor> CholeskySolver::factorize_rounded(const BlockMatrix& H,
                                                                CholeskyWorkspace& work) const {
  assert(&H.pattern() == &impl_->pattern);
  if (!H.all_finite()) return nullptr;
  PageVector<double>& values = work.impl_->unrounded;
  if (impl_->multifrontal->factorize(H, values) != Multifrontal::End::kDone) return nullptr;
  return std::make_unique<SingleFactor>(impl_->packing_of_kept().round(values.data()));
}

std::unique_ptr<SingleFactor> CholeskySolver::factorize_single(const BlockMatrix& H,
                                                               CholeskyWorkspace& work) const {
  assert(&H.pattern() == &impl_->pattern);
  if (!H.all_finite()) return nullptr;
  PageVector<float>& values = work.impl_->spare;
  switch (impl_->multifrontal->factorize(H, values)) {
    case Multifrontal::End::kDone:
      return std::make_unique<SingleFactor>(impl_->layout, std::exchange(values, {}));
    case Multifrontal::End::kUnsure:
      return factorize_rounded(H, work);
    case Multifrontal::End::kIndefinite:
      break;
  }
  return nullptr;
}

size_t CholeskySolver::factor_bytes() const {
  return static_cast<size_t>(impl_->factor_nonzeros) * sizeof(double) +
         3 * sizeof(int) * 3 * impl_->pattern.rows();
}

size_t CholeskySolver::kept_factor_bytes() const {
  return impl_->packing_of_kept().packed()->values_begin.back() * sizeof(float);
}

size_t CholeskySolver::single_factor_bytes() const {
  return impl_->layout->values_begin.back() * sizeof(float);
}

size_t CholeskySolver::memory_bytes() const {
  const size_t symbolic = impl_->symbolic->ssize * sizeof(int) + 5 * impl_->symbolic->n * sizeof(int);
  const size_t matrix = impl_->matrix->nzmax * (sizeof(double) + sizeof(int));
  // A layout is a copy of the symbolic factor, and its tasks list the rows again.
  const size_t packing = impl_->packing ? 2 * symbolic + impl_->packing->memory_bytes() : 0;
  return matrix + 3 * symbolic + impl_->order.size() * sizeof(int) + impl_->multifrontal->memory_bytes() +
         packing;
}

double CholeskySolver::solves_per_factorization() const {
  const double rate = sizeof(float) * impl_->factor_nonzeros < kCacheBytes ? kRateInCache : kRateBeyond;
  return std::max(1.0, impl_->flops / (4.0 * impl_->factor_nonzeros) / rate);
}

CholeskyFactor::CholeskyFactor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CholeskyFactor::CholeskyFactor(CholeskyFactor&&) noexcept = default;
CholeskyFactor& CholeskyFactor::operator=(CholeskyFactor&&) noexcept = default;
CholeskyFactor::~CholeskyFactor() = default;

void CholeskyFactor::solve(const VecX& b, VecX& x, CholeskyWorkspace& work) const {
  const size_t n = impl_->factor->n;
  assert(b.size() == static_cast<Eigen::Index>(n));
  cholmod_dense view{};
  view.nrow = view.nzmax = view.d = n;
  view.ncol = 1;
  view.x = const_cast<double*>(b.data());
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  CholmodSession& session = work.impl_->session;
  cholmod_solve2(CHOLMOD_A, impl_->factor, &view, nullptr, &session.solution, nullptr, &session.work_y,
                 &session.work_e, &session.common);
  refuse_out_of_memory(session.common.status);
  x = Eigen::Map<const VecX>(static_cast<const double*>(session.solution->x), static_cast<Eigen::Index>(n));
}

size_t CholeskyFactor::memory_bytes() const {
  const cholmod_factor& f = *impl_->factor;
  return f.xsize * sizeof(double) + f.ssize * sizeof(int) + 3 * f.nsuper * sizeof(int) +
         2 * f.n * sizeof(int);
}

}  // namespace keydrape
