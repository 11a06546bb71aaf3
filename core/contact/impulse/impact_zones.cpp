#include "core/contact/impulse/impact_zones.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <numeric>
#include <optional>

namespace keydrape {

namespace {

// A zone goes one way where all that lead it agree within this [m]: keys and pins are that exact.
constexpr double kSameWay = 1e-9;
constexpr double kNoInertia = 1e-12;  // of the largest moment of inertia, below which there is none

// Where a body that does not bend has got to that was at x at the begin.
Vec3 carried(const MovingMesh& mesh, double begin, double end, const Vec3& x) {
  return mesh.motion().pose(end).to_world(mesh.motion().pose(begin).to_body(x));
}

// The nodes of one zone by their kinds.
struct ZoneMembers {
  std::vector<int> cloth, of_meshes, volumes;
  std::vector<int> held;     // of the cloth, in all directions
  std::vector<int> sliding;  // of the cloth, held in some

  bool is_free() const { return of_meshes.empty() && volumes.empty() && held.empty() && sliding.empty(); }
};

// By vertex of the cloth: whether a pin has a hold on it, and what of its way that decides, I - S.
class HeldWays {
 public:
  HeldWays(const StepConstraints& constraints, int cloth_count) : row_(cloth_count, -1) {
    for (const StepConstraints::Row& row : constraints.rows()) {
      row_[row.vertex] = static_cast<int>(decided_.size());
      decided_.push_back(Mat3::Identity() - row.S);
    }
  }
  bool is_constrained(int i) const { return row_[i] >= 0; }
  bool is_held(int i) const { return is_constrained(i) && decided_[row_[i]].isIdentity(0.0); }
  const Mat3& decided(int i) const { return decided_[row_[i]]; }

 private:
  std::vector<int> row_;
  std::vector<Mat3> decided_;
};

ZoneMembers members_of(const std::vector<int>& zone, const ImpactSearch& search, const HeldWays& pins) {
  ZoneMembers members;
  for (const int node : zone) {
    if (node >= search.vertex_count())
      members.volumes.push_back(node - search.vertex_count());
    else if (node >= search.cloth_count())
      members.of_meshes.push_back(node);
    else
      members.cloth.push_back(node);
    if (node < search.cloth_count() && pins.is_constrained(node))
      (pins.is_held(node) ? members.held : members.sliding).push_back(node);
  }
  return members;
}

// The shift nearest to the mean of the cloth's own that goes along with what pins decide of the way of
// vertices that slide: sum_i D_i t = sum_i D_i d_i, D_i = I - S_i, d_i where each would go.  (Z8)
Vec3 shift_of_sliding(const ImpactSearch& search, const ZoneMembers& members, const HeldWays& pins,
                      const VecX& vertex_mass, const VecX& straight) {
  const auto way = [&](int i) -> Vec3 { return straight.segment<3>(3 * i) - search.x().segment<3>(3 * i); };
  Vec3 mean = Vec3::Zero();
  double mass = 0.0;
  for (const int i : members.cloth) {
    mean += vertex_mass(i) * way(i);
    mass += vertex_mass(i);
  }
  mean /= mass;
  Mat3 decided = Mat3::Zero();
  Vec3 missing = Vec3::Zero();
  for (const int i : members.sliding) {
    decided += pins.decided(i);
    missing += pins.decided(i) * (way(i) - mean);
  }
  return mean + decided.completeOrthogonalDecomposition().solve(missing);
}

// Where the bodies and the held vertices of a zone lead it.
class LedWay {
 public:
  LedWay(const ImpactSearch& search, const ZoneMembers& members, const HeldWays& pins,
         const VecX& vertex_mass, const VecX& straight)
      : search_(search), pins_(pins), begin_(search.end() - search.duration()) {
    if (!members.volumes.empty()) volume_ = search.volume(members.volumes.front()).cloth->collider.get();
    for (const int j : members.of_meshes) {
      const MovingMesh& mesh = *search.surfaces()->bodies()[search.surfaces()->body_of(j)].mesh;
      if (!mesh.deforms() && !mesh_) mesh_ = &mesh;
    }
    const int any = !members.of_meshes.empty() ? members.of_meshes.front()
                    : !members.held.empty()    ? members.held.front()
                                               : -1;
    if (any >= 0)
      shift_ = straight.segment<3>(3 * any) - search.x().segment<3>(3 * any);
    else if (!members.sliding.empty())
      shift_ = shift_of_sliding(search, members, pins, vertex_mass, straight);
  }

  Vec3 to(const Vec3& x) const {
    if (volume_) return volume_->carry(begin_, search_.end(), x).position;
    return mesh_ ? carried(*mesh_, begin_, search_.end(), x) : Vec3(x + shift_);
  }

  // Whether all that lead go that way.
  bool suits(const ZoneMembers& members, const VecX& straight) const {
    const auto off = [&](int i) -> Vec3 {
      return to(search_.x().segment<3>(3 * i)) - straight.segment<3>(3 * i);
    };
    const auto goes_there = [&](int i) { return off(i).norm() <= kSameWay; };
    const auto slides_there = [&](int i) { return (pins_.decided(i) * off(i)).norm() <= kSameWay; };
    if (!std::all_of(members.sliding.begin(), members.sliding.end(), slides_there)) return false;
    if (!std::all_of(members.of_meshes.begin(), members.of_meshes.end(), goes_there)) return false;
    if (!std::all_of(members.held.begin(), members.held.end(), goes_there)) return false;
    for (size_t b = volume_ ? 1 : 0; b < members.volumes.size(); ++b) {
      const Collider& other = *search_.volume(members.volumes[b]).cloth->collider;
      for (const int i : members.cloth) {
        const Vec3 x = search_.x().segment<3>(3 * i);
        if ((to(x) - other.carry(begin_, search_.end(), x).position).norm() > kSameWay) return false;
      }
    }
    return true;
  }

 private:
  const ImpactSearch& search_;
  const HeldWays& pins_;
  double begin_;
  const Collider* volume_ = nullptr;
  const MovingMesh* mesh_ = nullptr;
  Vec3 shift_ = Vec3::Zero();
};

}  // namespace

ImpactZones::ImpactZones(int node_count) : parent_(node_count) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

int ImpactZones::root(int node) const {
  while (parent_[node] != node) node = parent_[node];
  return node;
}

bool ImpactZones::unite(int a, int b) {
  const int first = std::min(root(a), root(b)), second = std::max(root(a), root(b));
  parent_[second] = first;
  parent_[a] = parent_[b] = first;
  return first != second;
}

std::vector<std::vector<int>> ImpactZones::zones() const {
  std::map<int, std::vector<int>> by_root;
  for (int node = 0; node < static_cast<int>(parent_.size()); ++node) by_root[root(node)].push_back(node);
  std::vector<std::vector<int>> zones;
  for (auto& [first, nodes] : by_root)
    if (nodes.size() > 1) zones.push_back(std::move(nodes));
  return zones;
}

RigidVelocities rigid_velocities(const std::vector<int>& vertices, const VecX& vertex_mass, const VecX& x,
                                 const VecX& v) {
  double mass = 0.0;
  RigidVelocities rigid{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  for (const int i : vertices) {
    mass += vertex_mass(i);
    rigid.center += vertex_mass(i) * x.segment<3>(3 * i);
    rigid.linear += vertex_mass(i) * v.segment<3>(3 * i);
  }
  rigid.center /= mass;
  rigid.linear /= mass;
  Vec3 momentum = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  for (const int i : vertices) {
    const Vec3 r = x.segment<3>(3 * i) - rigid.center;
    momentum += vertex_mass(i) * r.cross(v.segment<3>(3 * i));
    inertia += vertex_mass(i) * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(inertia);
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = axes.eigenvectors().col(k);
    if (axes.eigenvalues()[k] > kNoInertia * axes.eigenvalues()[2])
      rigid.angular += axis.dot(momentum) / axes.eigenvalues()[k] * axis;
  }
  return rigid;
}

ZoneMoves move_zones(const ImpactSearch& search, const FilteredStep& step,
                     const std::vector<std::vector<int>>& zones, const VecX& v) {
  const HeldWays pins(step.constraints, search.cloth_count());
  ZoneMoves moves;
  moves.y = search.x() + search.duration() * v;
  moves.y.tail(search.bodies_end().size()) = search.bodies_end();
  moves.rigid_zone.assign(search.vertex_count() + search.volume_count(), -1);
  const VecX straight = moves.y;
  for (size_t z = 0; z < zones.size(); ++z) {
    const ZoneMembers members = members_of(zones[z], search, pins);
    bool is_rigid = true;
    if (members.is_free()) {
      const RigidVelocities rigid = rigid_velocities(members.cloth, step.vertex_mass, search.x(), v);
      for (const int i : members.cloth) {
        const Vec3 x = search.x().segment<3>(3 * i);
        moves.y.segment<3>(3 * i) = x + search.duration() * rigid.at(x);
      }
    } else {
      const LedWay way(search, members, pins, step.vertex_mass, straight);
      moves.conflicts += !way.suits(members, straight);
      std::optional<Vec3> shift;
      for (const int i : members.cloth) {
        const Vec3 x = search.x().segment<3>(3 * i), there = way.to(x);
        if (!pins.is_held(i)) moves.y.segment<3>(3 * i) = there;
        if (!shift) shift = there - x;
        is_rigid = is_rigid && (there - x - *shift).norm() <= kSameWay * 1e-6;
      }
    }
    if (is_rigid)
      for (const int node : zones[z]) moves.rigid_zone[node] = static_cast<int>(z);
  }
  return moves;
}

}  // namespace keydrape
