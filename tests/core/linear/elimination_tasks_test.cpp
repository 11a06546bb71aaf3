// Tasks of triangular solves: each column in one, in an order that respects the elimination tree, and the
// same solution however finely the tree is cut and on however many threads.

#include "core/linear/elimination_tasks.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/linear/cholesky.h"
#include "core/linear/single_factor.h"
#include "tests/support/meshes.h"

namespace keydrape {
namespace {

using namespace test;

constexpr size_t kWhole = size_t{1} << 60;

// A Laplacian plus a multiple of the identity on the edges of two meshes that do not touch.
struct TwoSheets {
  static std::vector<Edge> edges() {
    std::vector<Edge> edges;
    int first = 0;
    for (const int cells : {30, 12}) {
      const TriangleMesh mesh = square(cells, 1.0);
      for (const auto& [i, j] : edges_of(mesh)) edges.push_back({first + i, first + j});
      first += mesh.vertex_count();
    }
    return edges;
  }

  TwoSheets() : pattern(31 * 31 + 13 * 13, edges()), H(pattern), solver(pattern) {
    H.set_zero();
    for (int i = 0; i < pattern.rows(); ++i)
      for (int s = pattern.row_begin(i); s < pattern.row_end(i); ++s)
        H.block(s) = pattern.column(s) == i ? Mat3(10.0 * Mat3::Identity()) : Mat3(-Mat3::Identity());
  }

  // The factor with its tree cut at so many values.
  SingleFactor cut(size_t grain) const {
    CholeskyWorkspace work;
    const auto factor = solver.factorize_single(H, work);
    auto layout = std::make_shared<SupernodalLayout>(*factor->layout());
    layout->tasks = EliminationTasks(*layout, grain);
    return {layout, factor->values()};
  }

  BlockPattern pattern;
  BlockMatrix H;
  CholeskySolver solver;
};

VecX right_hand_side(int size) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  return VecX::NullaryExpr(size, [&] { return number(random); });
}

TEST(EliminationTasks, EveryColumnIsInOneTaskAfterThoseItNeeds) {
  const TwoSheets sheets;
  for (const size_t grain : {size_t{1}, size_t{500}, size_t{5000}, kWhole}) {
    const SingleFactor factor = sheets.cut(grain);
    const SupernodalLayout& layout = *factor.layout();
    const EliminationTasks& tasks = layout.tasks;
    std::vector<int> task_of(layout.supernode_count(), -1), parent(tasks.root() + 1, -1);
    for (int t = 0; t <= tasks.root(); ++t) {
      for (const int child : tasks[t].children) {
        EXPECT_LT(child, t);
        EXPECT_EQ(parent[child], -1);
        parent[child] = t;
      }
      EXPECT_TRUE(std::is_sorted(tasks[t].supernodes.begin(), tasks[t].supernodes.end()));
      for (const int k : tasks[t].supernodes) {
        EXPECT_EQ(task_of[k], -1);
        task_of[k] = t;
      }
    }
    EXPECT_EQ(std::count(task_of.begin(), task_of.end(), -1), 0);
    EXPECT_EQ(std::count(parent.begin(), parent.end(), -1), 1) << "the root alone";
    // Supernode k changes the rows below it: they belong to its task, later, or to one above.
    const std::vector<int> supernode_of = layout.supernode_of_columns();
    for (int k = 0; k < layout.supernode_count(); ++k) {
      std::set<int> above;
      for (int t = task_of[k]; t >= 0; t = parent[t]) above.insert(t);
      for (const int row : layout.rows_below(k)) {
        const int other = supernode_of[row];
        EXPECT_GT(other, k);
        EXPECT_TRUE(above.count(task_of[other])) << "supernode " << k << ", row " << row;
      }
    }
    std::printf("grain %zu: %d tasks of %d supernodes\n", std::min(grain, size_t{999999}), tasks.root() + 1,
                layout.supernode_count());
    if (grain == kWhole)
      EXPECT_EQ(tasks.root(), 0);
    else
      EXPECT_GT(tasks.root(), 3);
  }
}

TEST(EliminationTasks, TheSolutionDoesNotDependOnWhereTheTreeIsCut) {
  const TwoSheets sheets;
  const VecX b = right_hand_side(3 * sheets.pattern.rows());
  VecX whole, x, residual;
  sheets.cut(kWhole).solve(b, whole);
  sheets.H.multiply(whole, residual);
  EXPECT_LT((residual - b).norm(), 1e-5 * b.norm());
  for (const size_t grain : {1, 300, 1000, 3000, 10000}) {
    sheets.cut(grain).solve(b, x);
    EXPECT_LT((x - whole).norm(), 1e-6 * whole.norm()) << grain;
  }
}

TEST(EliminationTasks, TheBitsDoNotDependOnTheNumberOfThreads) {
  const TwoSheets sheets;
  const SingleFactor factor = sheets.cut(300);
  const VecX b = right_hand_side(3 * sheets.pattern.rows());
  VecX first, x;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    factor.solve(b, first);
  }
  for (const int threads : {2, 4, 8}) {
    const tbb::global_control some(tbb::global_control::max_allowed_parallelism, threads);
    for (int run = 0; run < 20; ++run) {
      factor.solve(b, x);
      ASSERT_EQ(x, first) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace keydrape
