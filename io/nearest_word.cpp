#include "io/nearest_word.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace keydrape {

int edit_distance(std::string_view a, std::string_view b) {
  // row[j]: distance between the first i + 1 characters of a and the first j of b; the rows before it
  // likewise.
  std::vector<int> before_last(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, last[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  return row.back();
}

std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> candidates) {
  int to_beat = 2 + static_cast<int>(word.size()) / 4;
  std::optional<std::string_view> nearest;
  for (const std::string_view candidate : candidates) {
    const long length_gap = std::labs(static_cast<long>(candidate.size()) - static_cast<long>(word.size()));
    if (length_gap >= to_beat) continue;  // also bounds the work when `word` is a megabyte long
    const int distance = edit_distance(word, candidate);
    if (distance >= to_beat) continue;
    to_beat = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace keydrape
