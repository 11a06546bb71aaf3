// CHOLMOD whose memory ends somewhere on its way: that is what is said, and nothing about the matrix.

#include <SuiteSparse_config.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "core/linear/cholesky.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

using namespace test;

// How many more allocations CHOLMOD gets.
std::atomic<int> granted{std::numeric_limits<int>::max()};

void* granted_malloc(size_t size) { return granted-- > 0 ? std::malloc(size) : nullptr; }
void* granted_calloc(size_t count, size_t size) { return granted-- > 0 ? std::calloc(count, size) : nullptr; }
void* granted_realloc(void* block, size_t size) {
  return granted-- > 0 ? std::realloc(block, size) : nullptr;
}

struct Functions {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
};

void let_cholmod_use(const Functions& functions) {
#if SUITESPARSE_MAIN_VERSION >= 6
  SuiteSparse_config_malloc_func_set(functions.malloc);
  SuiteSparse_config_calloc_func_set(functions.calloc);
  SuiteSparse_config_realloc_func_set(functions.realloc);
#else
  SuiteSparse_config.malloc_func = functions.malloc;
  SuiteSparse_config.calloc_func = functions.calloc;
  SuiteSparse_config.realloc_func = functions.realloc;
#endif
}

VecX solved(const BlockPattern& pattern, const BlockMatrix& H, const VecX& b) {
  const CholeskySolver solver(pattern);
  CholeskyWorkspace work;
  const auto factor = solver.factorize(H, work);
  EXPECT_TRUE(factor) << "taken for a matrix that is not positive definite";
  EXPECT_TRUE(solver.factorize_rounded(H, work));
  VecX x = VecX::Zero(b.size());
  if (factor) factor->solve(b, x, work);
  return x;
}

TEST(CholeskyMemory, IsSaidToEndWhereverItEnds) {
  constexpr int kCells = 6, kMost = 10000;
  const BlockPattern pattern((kCells + 1) * (kCells + 1), edges_of(square(kCells, 1.0)));
  BlockMatrix H(pattern);
  for (int i = 0; i < pattern.rows(); ++i)
    for (int s = pattern.row_begin(i); s < pattern.row_end(i); ++s)
      H.block(s) = (pattern.column(s) == i ? 10.0 : -1.0) * Mat3::Identity();
  const VecX b = VecX::LinSpaced(3 * pattern.rows(), -1.0, 1.0), expected = solved(pattern, H, b);
  let_cholmod_use({&granted_malloc, &granted_calloc, &granted_realloc});
  int refused = 0;
  VecX x;
  for (; refused < kMost && x.size() == 0; ++refused) {
    granted = refused;
    try {
      x = solved(pattern, H, b);
    } catch (const std::bad_alloc&) {
    }
  }
  let_cholmod_use({&std::malloc, &std::calloc, &std::realloc});
  EXPECT_GT(refused, 20) << "else this tests nothing";
  ASSERT_EQ(x.size(), expected.size()) << "it never got enough";
  EXPECT_LT((x - expected).norm(), 1e-12 * expected.norm());
}

}  // namespace
}  // namespace keydrape
