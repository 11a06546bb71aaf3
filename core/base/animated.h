#pragma once

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

namespace keydrape {

// A quantity that may change in time: linear between keys, constant before the first and after the last.
template <class Value>
class Animated {
 public:
  Animated(Value constant) : keys_{{0.0, std::move(constant)}} {}  // implicit: a constant is the usual case
  // Requires at least one key, times [s] strictly ascending.
  explicit Animated(std::vector<std::pair<double, Value>> keys) : keys_(std::move(keys)) {
    assert(!keys_.empty());
    assert(std::adjacent_find(keys_.begin(), keys_.end(), [](const auto& a, const auto& b) {
             return a.first >= b.first;
           }) == keys_.end());
  }

  Value at(double time) const {
    if (time <= keys_.front().first) return keys_.front().second;
    if (time >= keys_.back().first) return keys_.back().second;
    const auto next = std::upper_bound(keys_.begin(), keys_.end(), time,
                                       [](double t, const auto& key) { return t < key.first; });
    const auto& [t0, v0] = *(next - 1);
    const auto& [t1, v1] = *next;
    const double s = (time - t0) / (t1 - t0);
    return Value((1 - s) * v0 + s * v1);
  }

  // At any time: between keys a number is between theirs.
  bool is_ever_above(const Value& value) const {
    return std::any_of(keys_.begin(), keys_.end(), [&](const auto& key) { return key.second > value; });
  }
  bool is_constant() const { return keys_.size() == 1; }
  // Times [s], ascending, and what it is then.
  const std::vector<std::pair<double, Value>>& keys() const { return keys_; }

 private:
  std::vector<std::pair<double, Value>> keys_;
};

}  // namespace keydrape
