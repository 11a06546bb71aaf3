#include "core/contact/pairs/exemptions.h"

#include <algorithm>

namespace keydrape {

namespace {

constexpr int kGapHalvings = 20;  // 2^-20, about kOnePlace: nearer pairs are in one place

void sort(std::vector<NearPair>& pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const NearPair& a, const NearPair& b) { return a.vertices < b.vertices; });
}

const NearPair* find(const std::vector<NearPair>& pairs, const std::array<int, 4>& vertices) {
  const auto found =
      std::lower_bound(pairs.begin(), pairs.end(), vertices,
                       [](const NearPair& p, const std::array<int, 4>& v) { return p.vertices < v; });
  return found != pairs.end() && found->vertices == vertices ? &*found : nullptr;
}

// The largest of the gaps that is not above `most`.
std::optional<double> largest_gap(const Barrier& barrier, double most) {
  if (!(most > 0.0)) return std::nullopt;  // no gap at all is too much, too, for what is in one place
  double xi = barrier.thickness;
  for (int j = 0; j <= kGapHalvings; ++j, xi *= 0.5)
    if (xi <= most) return xi;
  return std::nullopt;
}

}  // namespace

Exemptions::Exemptions(std::vector<CrossingParts> crossing, std::vector<NearPair> near_vertex_faces,
                       std::vector<NearPair> near_edge_edges)
    : crossing_(std::move(crossing)),
      near_vertex_faces_(std::move(near_vertex_faces)),
      near_edge_edges_(std::move(near_edge_edges)) {
  sort(near_vertex_faces_);
  sort(near_edge_edges_);
  const auto add = [this](const std::vector<int>& vertices, int side) {
    for (const int v : vertices) {
      if (static_cast<std::size_t>(v) >= sides_.size()) sides_.resize(v + 1);
      sides_[v].push_back(side);
    }
  };
  for (std::size_t k = 0; k < crossing_.size(); ++k) {
    add(crossing_[k].first, static_cast<int>(2 * k));
    add(crossing_[k].second, static_cast<int>(2 * k + 1));
  }
}

bool Exemptions::is_crossing(const std::array<int, 4>& vertices, int first_count) const {
  const auto is_on = [this](int v, int side) {
    return static_cast<std::size_t>(v) < sides_.size() &&
           std::binary_search(sides_[v].begin(), sides_[v].end(), side);
  };
  if (static_cast<std::size_t>(vertices[0]) >= sides_.size()) return false;
  return std::any_of(sides_[vertices[0]].begin(), sides_[vertices[0]].end(), [&](int side) {
    const int other = side ^ 1;
    for (int a = 1; a < 4; ++a)
      if (!is_on(vertices[a], a < first_count ? side : other)) return false;
    return true;
  });
}

std::optional<double> Exemptions::gap(const std::array<int, 4>& vertices, int first_count, double xi) const {
  if (is_crossing(vertices, first_count)) return std::nullopt;
  const NearPair* near = find(first_count == 1 ? near_vertex_faces_ : near_edge_edges_, vertices);
  return near ? near->xi : xi;
}

std::optional<double> first_gap(const Barrier& barrier, double d) {
  return largest_gap(barrier, std::max(0.5 * d, d - barrier.activation));
}

double next_gap(const Barrier& barrier, double xi, double d) {
  return std::max(xi, largest_gap(barrier, d - barrier.activation).value_or(xi));
}

}  // namespace keydrape
