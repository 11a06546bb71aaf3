#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "control/unknowns/control_layout.h"
#include "core/base/types.h"

namespace keydrape {

// What shows of control: single vertices, and single blocks, that are pushed harder than the rest. 1 just
// passes: a peak of 6 times the RMS of all, or a block whose RMS is twice that of a mean one. 0: no forces.
double unevenness(const ControlLayout& layout, const VecX& z);

// What forces that stand out cost beside what all forces do: where one is larger than most its price rises,
// as if it cost its fourth power; so does that of a block.  (E8)
class PeakPrices {
 public:
  // What is remembered from one iteration to the next: prices above 1, ascending.
  struct Memory {
    std::vector<std::pair<int, double>> forces;  // by block * active_count + active vertex
    std::vector<std::pair<int, double>> blocks;
    double unevenness = 0.0;  // of the last run that was uneven; 0: none was
    int vain_rounds = 0;      // in a row
  };

  // Of a layout that has forces, and of none.
  explicit PeakPrices(const ControlLayout& layout);
  PeakPrices() = default;

  // After an accepted run. Whether prices were set anew: where forces are uneven, until that has been in vain
  // a few times. On the way to the targets no round is: forces grow there, and not for the prices' sake.
  enum class Round { kCounts, kOnTheWay };
  bool follow(const ControlLayout& layout, const VecX& z, Round round = Round::kCounts);
  // One a force, block by block; null: all 1.
  const std::shared_ptr<const VecX>& prices() const { return prices_; }

  Memory memory() const;
  // Requires indices in range and prices above 1.
  void remember(const Memory& memory);

 private:
  void combine();

  VecX of_force_, of_block_;
  double unevenness_ = 0.0;
  int vain_rounds_ = 0;
  std::shared_ptr<const VecX> prices_;
};

}  // namespace keydrape
