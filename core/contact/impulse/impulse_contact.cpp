#include "core/contact/impulse/impulse_contact.h"

#include <algorithm>
#include <cassert>

#include "core/contact/impulse/impact_zones.h"

namespace keydrape {

namespace {

constexpr double kRestored = 0.1;  // of what is missing to the thickness, a step (Bridson et al. 2002)

}  // namespace

int ImpulseContact::apply(const FilteredStep& step, VecX& y) const {
  Work work;
  return apply(step, y, work);
}

int ImpulseContact::apply(const FilteredStep& step, VecX& y, Work& work) const {
  assert(y.size() == step.x.size() && y.allFinite());
  VecX v = (y - step.x) / step.dt;
  const VecX proposed = v;
  const std::optional<VecX> end =
      advance(step, {step.begin_time(), step.end_time, 0}, step.x, step.v, v, work);
  if (!end) return 1;
  if (v != proposed) y = *end;  // else to the bits of the integrator
  return 0;
}

// (Z2) to (Z4)
void ImpulseContact::repel(const ImpactSearch& search, const Mobility& mobility, double step_time,
                           const VecX& before, VecX& v, Work& work) const {
  const double h = search.duration();
  for (const ImpactPoint& point : search.near()) {
    ++work.near;
    if (point.normal_speed(v) < 0.0)
      push_apart(point, mobility, parting_speed(point, options_.restitution, v, before), v);
    const double missing = point.thickness - point.distance;
    push_apart(point, mobility, kRestored * missing / step_time, v, h * options_.repulsion * missing);
  }
}

std::optional<VecX> ImpulseContact::advance(const FilteredStep& step, const Piece& piece, const VecX& x,
                                            const VecX& before, VecX& v, Work& work) const {
  const ImpactSearch search(surfaces_.get(), volumes_, x, piece.begin, piece.end);
  const Mobility mobility(step, search.vertex_count());
  const VecX v_start = search.velocities(before);
  VecX v_all = search.velocities(v);
  const double h = search.duration();
  const auto end_of_way = [&](const VecX& velocities) -> VecX {
    VecX y = x + h * velocities.head(x.size());
    if (piece.end == step.end_time) step.constraints.impose(y);
    return y;
  };
  repel(search, mobility, step.dt, v_start, v_all, work);
  std::vector<ImpactPoint> hits;
  for (int sweep = 0; sweep <= options_.max_sweeps; ++sweep) {
    VecX y = end_of_way(v_all);
    hits = search.hits(search.with_bodies(y));
    if (hits.empty()) {
      v = v_all.head(x.size());
      return y;
    }
    if (sweep == options_.max_sweeps) break;
    ++work.sweeps;
    for (const ImpactPoint& hit : hits)
      if (hit.normal_speed(v_all) < 0.0)
        push_apart(hit, mobility, parting_speed(hit, options_.restitution, v_all, v_start), v_all);
  }
  if (std::optional<VecX> y = move_in_zones(step, search, hits, v_all, work)) {
    v = (*y - x) / h;
    return y;
  }
  if (piece.halvings == kMaxHalvings) return std::nullopt;
  const double middle = 0.5 * (piece.begin + piece.end);
  ++work.pieces;
  const std::optional<VecX> x_middle =
      advance(step, {piece.begin, middle, piece.halvings + 1}, x, before, v, work);
  if (!x_middle) return std::nullopt;
  const VecX v_middle = v;
  std::optional<VecX> y =
      advance(step, {middle, piece.end, piece.halvings + 1}, *x_middle, v_middle, v, work);
  if (y) v = (*y - x) / h;
  return y;
}

// Zones grow as long as anything hits: at worst they are one. None where one is led several ways.  (Z7)
std::optional<VecX> ImpulseContact::move_in_zones(const FilteredStep& step, const ImpactSearch& search,
                                                  const std::vector<ImpactPoint>& hits, const VecX& v,
                                                  Work& work) const {
  const int node_count = search.vertex_count() + search.volume_count();
  ImpactZones zones(node_count);
  std::vector<ImpactPoint> left = hits;
  for (int round = 0; round <= node_count; ++round) {
    bool has_grown = false;
    for (const ImpactPoint& hit : left) {
      const std::vector<int> nodes = search.nodes(hit);
      for (size_t k = 1; k < nodes.size(); ++k) has_grown |= zones.unite(nodes[0], nodes[k]);
    }
    if (!has_grown) return std::nullopt;  // a zone that bodies bend meets itself
    const std::vector<std::vector<int>> united = zones.zones();
    ZoneMoves moves = move_zones(search, step, united, v);
    if (moves.conflicts > 0) return std::nullopt;
    VecX y = moves.y.head(step.x.size());
    if (search.end() == step.end_time) step.constraints.impose(y);
    left = search.hits(search.with_bodies(y), [&](const std::array<int, 4>& pair) {
      const int zone = moves.rigid_zone[pair[0]];
      return zone >= 0 &&
             std::all_of(pair.begin(), pair.end(), [&](int i) { return moves.rigid_zone[i] == zone; });
    });
    if (!left.empty()) continue;
    for (const std::vector<int>& zone : united)
      work.zoned += static_cast<int>(
          std::count_if(zone.begin(), zone.end(), [&](int i) { return i < search.cloth_count(); }));
    return y;
  }
  return std::nullopt;
}

}  // namespace keydrape
