// Continuous collision detection against exact truth: every kind of difficulty at every size and place.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "tests/oracles/ccd/query_families.h"

namespace keydrape::test {
namespace {

constexpr int kQueries = 500;  // of each family in each setting

struct Tally {
  int queries = 0, contacts = 0, misses = 0, late = 0;
  int moving_contacts = 0;  // whose true time is after 0
  int early = 0;            // of these: found before half of the true time
  int false_alarms = 0, cut_steps_not_free = 0;
  double time_s = 0;

  void add(const Tally& t) {
    queries += t.queries, contacts += t.contacts, misses += t.misses, late += t.late;
    moving_contacts += t.moving_contacts, early += t.early;
    false_alarms += t.false_alarms, cut_steps_not_free += t.cut_steps_not_free, time_s += t.time_s;
  }
  void print(const char* name) const {
    std::printf(
        "%-24s %6d queries %6d contacts %d missed %d late %4d/%d early %4d false %d not free %6.2f us\n",
        name, queries, contacts, misses, late, early, moving_contacts, false_alarms, cut_steps_not_free,
        1e6 * time_s / queries);
  }
};

double find(const StencilMotion& motion, PairKind kind) {
  return kind == PairKind::kVertexFace ? vertex_face_time_of_impact(motion)
                                       : edge_edge_time_of_impact(motion);
}

void judge(const StencilMotion& motion, PairKind kind, Tally& tally) {
  const auto before = std::chrono::steady_clock::now();
  const double found = find(motion, kind);
  tally.time_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  ++tally.queries;
  std::optional<RealRoot> truth = first_contact(motion, kind);
  if (truth) {
    ++tally.contacts;
    if (found > 1) {
      ++tally.misses;
      return;
    }
    tally.late += truth->compare(mpq_class(found)) < 0;
    if (truth->compare(0) > 0) {
      ++tally.moving_contacts;
      tally.early += truth->compare(2 * mpq_class(found)) > 0;
    }
  } else {
    tally.false_alarms += found <= 1;
  }
  if (found > 1 || found == 0) return;
  for (double share : {1.0, 0.75, 0.1}) {
    const StencilMotion cut{motion.start, motion.start + share * found * (motion.end - motion.start)};
    tally.cut_steps_not_free += find(cut, kind) <= 1;
  }
}

Tally judge_families(PairKind kind, Setting setting) {
  Tally all;
  for (const QueryFamily& family : query_families()) {
    Rng rng(2021);
    Tally tally;
    for (int i = 0; i < kQueries; ++i) judge(placed(rng, family.make(rng, kind), setting), kind, tally);
    EXPECT_GT(tally.contacts, kQueries / 50) << family.name;
    tally.print(family.name.data());
    all.add(tally);
  }
  return all;
}

class TimeOfImpact : public ::testing::TestWithParam<std::tuple<PairKind, Setting>> {};

TEST_P(TimeOfImpact, NeverMissesAndIsNeverLate) {
  const auto [kind, setting] = GetParam();
  const Tally all = judge_families(kind, setting);
  all.print("all");
  EXPECT_EQ(all.misses, 0);
  EXPECT_EQ(all.late, 0);
  EXPECT_EQ(all.cut_steps_not_free, 0);
  EXPECT_LT(all.early, 0.01 * all.moving_contacts);
  // Near misses by 2^-40 are told from touches, unless the query is 4,096 times as large or rounded to a grid
  // that is coarser.
  EXPECT_LT(all.false_alarms, 0.03 * (all.queries - all.contacts));
}

INSTANTIATE_TEST_SUITE_P(All, TimeOfImpact,
                         ::testing::Combine(::testing::Values(PairKind::kVertexFace, PairKind::kEdgeEdge),
                                            ::testing::ValuesIn(kSettings)));

}  // namespace
}  // namespace keydrape::test
