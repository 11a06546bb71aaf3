#include "control/goal/change_prices.h"

#include <algorithm>
#include <cassert>

namespace keydrape {
namespace {

// At once. With 100 forces fell less evenly with their price, on two of four sheets.
constexpr double kRaise = 10.0;
// Where changes cost so many times as much as the forces, no price makes them fewer: the rest comes at once.
constexpr double kNothingElse = 10.0;

}  // namespace

void ChangePrices::begin(double price) {
  assert(price >= 0.0);
  now_ = {.share = 1.0 / std::max(1.0, price), .rise = 1.0};
}

double ChangePrices::raise(const ObjectiveTerms& cost) {
  assert(!all_count());
  const bool nothing_else = cost.smoothness > kNothingElse * cost.effort;
  const double share = nothing_else ? 1.0 : std::min(1.0, kRaise * now_.share);
  const double before = cost.effort + cost.smoothness,
               after = cost.effort + share / now_.share * cost.smoothness;
  const double rise = before > 0.0 ? after / before : 1.0;
  now_ = {share, rise * now_.rise};
  // Weights follow what misses cost: where changes can still be made fewer that does not rise as they do.
  return nothing_else ? rise : 1.0;
}

}  // namespace keydrape
