#include "io/file/nearest_word.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <vector>

namespace keydrape {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

int edit_distance(std::string_view a, std::string_view b) {
  // row[j]: distance between the first i + 1 characters of a and the first j of b; the rows
  // before it likewise.
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

namespace {

// More than a quarter of the word plus one character to change: another word.
int first_hopeless_distance(std::string_view word) { return 2 + static_cast<int>(word.size()) / 4; }

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> candidates) {
  int to_beat = first_hopeless_distance(word);
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

std::vector<std::string> nearest_words(std::string_view word, std::span<const std::string> candidates,
                                       std::size_t count) {
  constexpr std::size_t kShortestPart = 3;  // of two letters half the list would be found
  constexpr std::size_t kLongestWord = 100;
  if (word.size() > kLongestWord) return {};
  std::vector<std::tuple<int, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const std::size_t at = word.size() < kShortestPart ? std::string::npos : candidate.find(word);
    const int distance = edit_distance(word, candidate);
    if (at != std::string::npos) {
      ranked.emplace_back(at == 0 ? 0 : 1, candidate);
    } else if (distance < first_hopeless_distance(word)) {
      ranked.emplace_back(distance, candidate);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (const auto& [distance, candidate] : ranked) {
    if (nearest.size() < count) nearest.push_back(candidate);
  }
  return nearest;
}

}  // namespace keydrape
