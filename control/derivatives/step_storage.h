#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/cloth/model.h"
#include "core/linear/cholesky.h"
#include "core/step/simulator.h"

namespace keydrape {

// What is kept of a step's derivatives from one sweep to the next (control/EQUATIONS.md, "Memory").
// What is not kept is made again from the states whenever a sweep comes by; the results are the same
// but for rounding.
enum class StepStorage {
  kNone,      // nothing
  kMatrices,  // H, C and D, in double precision
  kFile,      // what kSingle keeps, in a scratch file (scratch.h)
  kSingle,    // H, C and D, and the factor of H in single precision: solves are refined to the
              // residual of kDouble
  kDouble,    // C, D and the factor in double precision: larger and slower, for what cannot be refined
};
inline constexpr int kStepStorageCount = 5;

// Steps by what is kept of them; index by StepStorage.
using StorageCounts = std::array<int, kStepStorageCount>;

// Memory of a step, and the work that a sweep has with it [ns]: from operation counts, not timed, so that the
// same budget makes the same choice, and the same bits, on every run.
struct StorageCost {
  double bytes = 0.0;
  double work = 0.0;
  double file_bytes = 0.0;  // in the scratch file
};
using StorageCosts = std::array<StorageCost, kStepStorageCount>;

// What derivatives take, or may take [bytes], >= 0.
struct StorageBytes {
  double memory;
  double scratch = 0.0;  // in the scratch file
};

// For a step of this simulator whose H has the pattern that `cholesky` factorises.
StorageCosts storage_costs(const Simulator& simulator, const BlockPattern& pattern,
                           const CholeskySolver& cholesky);
// What a sweep needs for the step that passes by, and with a scratch file for the one that is
// read meanwhile [bytes].
double passing_bytes(const StorageCosts& costs, double scratch_bytes = 0.0);

// Chooses step by step so that all fits the budget and sweeps take the least work. The scratch file takes as
// many steps as memory has no room for the factors of, evenly among the others: while those are solved with,
// the next one is read. Of all mixtures of two ways to keep a step in memory those on the lower convex hull
// of (bytes, work) are best, and on it neighbours are mixed.
class StorageChoice {
 public:
  // `typical`: of a step like most. passing_bytes() are set aside, unless a factor of every step fits.
  StorageChoice(const StorageCosts& typical, int step_count, const StorageBytes& budget);

  int filed_steps() const { return filed_steps_; }  // that are still to come, as far as is known

  // For the next step, whose own costs are these. Steps come in order.
  StepStorage choose(const StorageCosts& costs) const;
  bool fits(double bytes) const { return bytes <= bytes_left_; }
  // The next step takes so much: on to the one after it.
  void take(const StorageBytes& bytes);

 private:
  bool is_filed_next() const;
  double typical_bytes(size_t rank) const { return typical_[static_cast<size_t>(hull_[rank])].bytes; }

  StorageCosts typical_;
  std::vector<StepStorage> hull_;  // ascending in bytes
  int step_count_, steps_left_;
  int all_filed_ = 0, filed_steps_ = 0;
  double bytes_left_, scratch_left_;
};

// What StorageChoice makes of steps that are all alike.
struct StoragePlan {
  StorageCounts counts{};
  double bytes = 0.0;  // of all that is kept, and of the step that passes by
  double file_bytes = 0.0;
};
StoragePlan plan_storage(const StorageCosts& costs, int step_count, const StorageBytes& budget);

}  // namespace keydrape
