#include "io/report/contacts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace keydrape {
namespace {

using Json = nlohmann::json;
using With = TouchingPair::With;

constexpr int kBits = 16, kColumns = 7;

double distance(const TouchingPair& pair) { return (pair.on_cloth - pair.opposite).norm(); }

// The largest number of pairs a frame, at least 1, with which no more than kMostReportedContacts are
// kept in all.
std::size_t limit_of(const std::vector<std::vector<TouchingPair>>& frames) {
  std::size_t low = 1, high = kMostReportedContacts;
  while (low < high) {
    const std::size_t limit = (low + high + 1) / 2;
    std::size_t sum = 0;
    for (const auto& pairs : frames) sum += std::min(pairs.size(), limit);
    if (sum <= kMostReportedContacts)
      low = limit;
    else
      high = limit - 1;
  }
  return low;
}

// The nearest pairs, `limit` at most; of these layers first, otherwise in the order that they had.
std::vector<TouchingPair> kept(std::vector<TouchingPair> pairs, std::size_t limit) {
  if (pairs.size() > limit) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto& a, const auto& b) { return distance(a) < distance(b); });
    pairs.resize(limit);
  }
  std::stable_partition(pairs.begin(), pairs.end(),
                        [](const auto& pair) { return pair.with == With::kLayer; });
  return pairs;
}

std::ptrdiff_t layer_count(const std::vector<TouchingPair>& pairs) {
  return std::count_if(pairs.begin(), pairs.end(),
                       [](const auto& pair) { return pair.with == With::kLayer; });
}

// Both points of every pair (3 each), for a grid that holds them.
VecX stacked_points(const std::vector<TouchingPair>& pairs) {
  VecX points(6 * static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t k = 0; k < pairs.size(); ++k)
    points.segment<6>(6 * static_cast<Eigen::Index>(k)) << pairs[k].on_cloth, pairs[k].opposite;
  return points;
}

void append_columns(const std::vector<TouchingPair>& pairs, const Quantisation& grid, double distance_step,
                    std::vector<std::uint16_t>& values) {
  for (int c = 0; c < kColumns; ++c)
    for (const TouchingPair& pair : pairs) {
      const Vec3& point = c < 3 ? pair.on_cloth : pair.opposite;
      const double q =
          c < 6 ? (point[c % 3] - grid.low[c % 3]) / grid.step[c % 3] : distance(pair) / distance_step;
      values.push_back(static_cast<std::uint16_t>(std::round(q)));
    }
}

Json list(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

Json contacts_json(const std::vector<std::vector<TouchingPair>>& frames, ReportBuffer& buffer) {
  Json layers = Json::array(), bodies = Json::array(), all_layers = Json::array(), all_bodies = Json::array();
  std::vector<std::vector<TouchingPair>> shown;
  std::vector<VecX> points;
  double largest = 0.0;
  const std::size_t limit = limit_of(frames);
  for (const std::vector<TouchingPair>& pairs : frames) {
    shown.push_back(kept(pairs, limit));
    points.push_back(stacked_points(shown.back()));
    for (const TouchingPair& pair : shown.back()) largest = std::max(largest, distance(pair));
    all_layers.push_back(layer_count(pairs));
    all_bodies.push_back(static_cast<std::ptrdiff_t>(pairs.size()) - layer_count(pairs));
    layers.push_back(layer_count(shown.back()));
    bodies.push_back(static_cast<std::ptrdiff_t>(shown.back().size()) - layer_count(shown.back()));
  }
  const Quantisation grid = fit_quantisation({&points}, kBits);
  const double distance_step = largest > 0.0 ? largest / ((1 << kBits) - 1) : 1.0;
  std::vector<std::uint16_t> values;
  for (const std::vector<TouchingPair>& pairs : shown) append_columns(pairs, grid, distance_step, values);
  return {{"layers", layers},
          {"bodies", bodies},
          {"all_layers", all_layers},
          {"all_bodies", all_bodies},
          {"low", list(grid.low)},
          {"step", list(grid.step)},
          {"distance_step", distance_step},
          {"values", buffer.add_shorts(values)}};
}

}  // namespace keydrape
