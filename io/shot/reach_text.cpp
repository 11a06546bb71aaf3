#include "io/shot/reach_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/task/force_figures.h"
#include "core/base/error.h"
#include "core/inspect/overlap.h"
#include "io/file/counted.h"
#include "io/file/short_number.h"
#include "io/shot/overlap_text.h"

namespace keydrape {
namespace {

// Length of all edges in a pose over that at the first frame; outside of this range it is in another unit, or
// it is scaled by mistake.
constexpr double kLeastLength = 0.5, kMostLength = 1.5;
// Outside of this one no fabric could be meant.
constexpr double kNoClothBelow = 0.2, kNoClothAbove = 5.0;
// A pose that a quarter of a turn about x brings so many times nearer to the start, and that is farther than
// this share of the cloth's size from it, has probably another axis up.
constexpr double kNearerTurned = 4.0, kFarAsItIs = 0.2;
// Single points that are to go farther than so many sizes of the cloth, and than it falls by then, are likely
// to be in another unit.
constexpr double kFarSizes = 3.0;
// What single frames of shots that were called whips took, 20 to 60 g: beyond it the way is told to be steep.
constexpr double kSteepAcceleration = 20.0;  // [g_0]
// Less than this is none that anybody would ask about.
constexpr double kTold = 0.05;  // [g_0]

std::string place(const Vec3& p) {
  return fmt::format("({}, {}, {}) m", short_number(p.x()), short_number(p.y()), short_number(p.z()));
}

double percent(double share) { return 1e2 * share; }

constexpr std::string_view kOutcome =
    "; no cloth can take this shape, and the solve settles for the nearest that it can";

// Of all triangles' sides [m].
double side_length(const std::vector<Triangle>& triangles, const VecX& x) {
  double length = 0.0;
  for (const Triangle& t : triangles)
    for (int c = 0; c < 3; ++c) length += (x.segment<3>(3 * t[c]) - x.segment<3>(3 * t[(c + 1) % 3])).norm();
  return length;
}

// Warns of one target after the other.
class ReachWarnings {
 public:
  ReachWarnings(const Scene& scene, Shot& shot)
      : scene_(scene), shot_(shot), cloth_(shot.task().cloth), length_(shot.task().length()) {}

  void of(std::size_t k) {
    keyframe_ = &shot_.keyframes[k];
    const TargetReach& reach = shot_.reach[k];
    if (!keyframe_->keyframe.has_weight()) return;
    if (!of_axes()) of_pins(reach);
    if (!reach.has_shape || keyframe_->keyframe.weight == 0.0) return;
    if (!of_size()) of_strain(reach);
    moment_ = moment_in_words(reach);
    const bool is_taut = of_taut(reach.taut);
    of_shape(reach);
    moment_.clear();
    if (!is_taut) of_way(reach);
  }

 private:
  // Of a keyframe that may slide, the moment at which least is in its way.
  std::string moment_in_words(const TargetReach& reach) const {
    const std::size_t count = keyframe_->keyframe.candidates.size();
    if (count == 0) return "";
    const auto asked = static_cast<std::size_t>(reach.moments_asked);
    return fmt::format(
        " (at best, at frame {}{})", shot_.clock.frames.first + reach.state / shot_.clock.substeps,
        asked < count ? fmt::format("; {} of its window were looked at", asked) : " of its window");
  }

  // What is in its way. Where it may slide to moments that nobody looked at, they may be free of it.
  void of_shape(const TargetReach& reach) {
    const bool is_sure =
        static_cast<std::size_t>(reach.moments_asked) == keyframe_->keyframe.candidates.size();
    outcome_ = is_sure ? kOutcome : "";
    of_bodies(reach);
    if (reach.itself) of_itself(*reach.itself);
    of_surfaces(reach);
    if (const Overstretched& stretched = reach.overstretched; stretched.count > 0)
      warn(
          " stretches {} to the strain limit of {} or beyond it, triangle {}, counted from 0, "
          "by {}{}",
          counted(stretched.count, "triangle"), short_number(*cloth_.material.strain_limit),
          stretched.triangle, short_number(stretched.stretch - 1), outcome_);
  }

  template <class... Values>
  void warn(fmt::format_string<Values...> text, Values&&... values) {
    shot_.warnings.push_back(fmt::format("{}: the target at frame {}{}{}", keyframe_->source.where(),
                                         keyframe_->frame, moment_,
                                         fmt::format(text, std::forward<Values>(values)...)));
  }

  std::string named(int vertex) const { return vertex_in_words(shot_.rest(), vertex); }

  void of_pins(const TargetReach& reach) {
    if (const HeldElsewhere& held = reach.held; held.count > 0 && keyframe_->keyframe.weight > 0.0)
      warn(
          ": pins hold {} of its vertices elsewhere, {} even {} m away, so that it cannot be reached "
          "there; pose them where the pins are, or {}",
          held.count, named(held.vertex), short_number(held.farthest),
          keyframe_->is_landmarks ? "take them out of landmarks" : "leave them out by group or weights");
    const HeldElsewhere& velocity = reach.held_velocity;
    if (keyframe_->velocity_tolerance && velocity.rms > *keyframe_->velocity_tolerance)
      warn(
          ": pins move {} of its vertices at another velocity, {} by {} m/s; that alone leaves {} "
          "m/s RMS, and velocity_tolerance is {}; ask for the velocities of the pins there, or leave "
          "these vertices out by velocity_weights",
          velocity.count, named(velocity.vertex), short_number(velocity.farthest), short_number(velocity.rms),
          short_number(*keyframe_->velocity_tolerance));
    if (reach.free_count == 0 && !shot_.channels())
      warn(
          " asks for nothing that can move: pins hold all of its vertices; choose others{}, or release the "
          "pin",
          keyframe_->is_landmarks ? "" : " by group or weights");
  }

  // What the target does not ask for may lie anywhere in its mesh.
  bool is_asked(int vertex) const { return keyframe_->keyframe.vertex_weight[vertex] > 0.0; }

  // Whether the pose is of another size, in the triangles that it asks for; then its strain says no more.
  bool of_size() {
    if (!keyframe_->is_pose) return false;
    std::vector<Triangle> asked;
    for (const Triangle& t : shot_.rest().triangles)
      if (is_asked(t[0]) && is_asked(t[1]) && is_asked(t[2])) asked.push_back(t);
    if (asked.empty()) return false;
    const double share = edge_share(asked, keyframe_->keyframe.target, shot_.prepared.start().x);
    if (share >= kLeastLength && share <= kMostLength) return false;
    refuse_another_size(
        fmt::format("{}: the target at frame {}", keyframe_->source.where(), keyframe_->frame), share);
    warn(
        ": its edges are {} times as long as the cloth's, which can hardly be stretched or shrunk; is "
        "the pose in another unit than the rest mesh, or scaled?",
        short_number(share));
    return true;
  }

  // Whether it is told: of all that it asks for, or of those alone that pins hold, whose places are known.
  bool of_axes() {
    if (!keyframe_->is_pose || keyframe_->keyframe.weight == 0.0) return false;
    const std::vector<char> held = held_vertices(cloth_, shot_.clock.time_of_frame(keyframe_->frame));
    return is_nearer_turned(std::vector<char>(held.size(), 1), "") ||
           is_nearer_turned(held, " with the vertices that pins hold");
  }

  bool is_nearer_turned(const std::vector<char>& counts, std::string_view which) {
    const VecX &pose = keyframe_->keyframe.target, &start = shot_.prepared.start().x;
    double as_it_is = 0.0, up = 0.0, down = 0.0;
    int count = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (!counts[k] || !is_asked(static_cast<int>(k))) continue;
      const auto i = 3 * static_cast<Eigen::Index>(k);
      const Vec3 p = pose.segment<3>(i), x = start.segment<3>(i);
      ++count;
      as_it_is += (p - x).squaredNorm();
      up += (Vec3(p.x(), -p.z(), p.y()) - x).squaredNorm();
      down += (Vec3(p.x(), p.z(), -p.y()) - x).squaredNorm();
    }
    const double rms = std::sqrt(as_it_is / std::max(count, 1)),
                 nearer = std::sqrt(std::min(up, down) / std::max(count, 1));
    if (rms <= kFarAsItIs * length_ || rms <= kNearerTurned * nearer) return false;
    warn(
        " lies {} m RMS from where the cloth begins{}, and {} m if it is turned by 90 degrees about x; was "
        "it exported with another axis up than the rest mesh?",
        short_number(rms), which, short_number(nearer));
    return true;
  }

  void of_strain(const TargetReach& reach) {
    if (!is_strained(reach)) return;
    warn(
        " strains {}, which this fabric hardly goes beyond: {}; keydrape "
        "relax makes it the nearest pose that the cloth can take",
        area_in_words(reach.strain), strain_in_words(shot_.rest(), reach.strain));
  }

  // Whether it is told.
  bool of_taut(const TautPair& taut) {
    if (taut.vertex < 0 || taut.excess <= keyframe_->tolerance.value_or(0.0)) return false;
    warn(
        " wants {} {} m away from {}{}, but the cloth between them is {} m long; choose nearer "
        "places{}",
        named(taut.vertex), short_number(taut.distance), named(taut.other),
        taut.is_held ? ", which a pin holds" : "", short_number(taut.length),
        taut.distance > kFarSizes * length_ ? unit_of_landmarks() : "");
    return true;
  }

  std::string_view unit_of_landmarks() const {
    return keyframe_->is_landmarks ? " (in metres in the scene, in the meshes' unit in a landmark file)" : "";
  }

  void of_way(const TargetReach& reach) {
    const TargetWay& way = reach.way;
    const std::string from = way.from < 0
                                 ? "the first frame"
                                 : fmt::format("the target at frame {}", shot_.keyframes[way.from].frame);
    if (way.acceleration.value_or(0.0) > kImplausiblePeak)
      return warn(
          " takes {} g on the straight way from {}, {} m within {} s, and more on any other: "
          "more than a shot can mean; give it more time, or is it in another unit?",
          short_number(*way.acceleration, 2), from, short_number(way.rms), short_number(way.time));
    const auto& limit = scene_.control.max_acceleration;
    if (limit && way.acceleration && *way.acceleration > *limit)
      warn(
          " takes at least {} g from {}, and max_acceleration allows forces of {} g: the rest would have to "
          "come from pins, bodies or wind; allow more, or give it more time",
          short_number(*way.acceleration, 2), from, short_number(*limit));
    else if (way.acceleration.value_or(0.0) > kSteepAcceleration)
      warn(
          " takes at least {} g on the straight way from {}, {} m within {} s: cloth will look "
          "snatched into it; give it more frames, or a pose nearer to where the cloth is by then",
          short_number(*way.acceleration, 2), from, short_number(way.rms), short_number(way.time));
    if (way.is_carried) return;  // as far as a frame or pins go
    const double fall = 0.5 * strongest_gravity(shot_.task(), way.time) * way.time * way.time;
    const double farthest = way.fastest * way.time;
    if (reach.strain.area == 0.0 && way.from < 0 && farthest > kFarSizes * length_ + fall)
      warn(
          " lies {} m from where {} begins, {} times the cloth's size of {} m; is it in another "
          "unit?{}",
          short_number(farthest), named(way.fastest_vertex), short_number(farthest / length_, 2),
          short_number(length_), unit_of_landmarks());
  }

  void of_bodies(const TargetReach& reach) {
    for (const BodyOverlap& overlap : reach.bodies)
      warn(
          " lies within the [[collider]] of line {}, or too near to it, with {} of its vertices and {} "
          "points between them, deepest by {} m {}{} at {}{}",
          line_of(cloth_.bodies[overlap.body].number), overlap.vertex_count, overlap.between_count,
          short_number(overlap.depth), overlap.deepest.count == 1 ? "at " : "near ",
          named(overlap.deepest.vertices[0]), place(overlap.deepest.position(keyframe_->keyframe.target)),
          outcome_);
  }

  void of_itself(const SelfOverlap& overlap) {
    if (const auto& first = overlap.through.first)
      warn(
          " goes through itself in {}, the first where the edge of vertices {} and {} passes through "
          "triangle {}, counted from 0, at {}{}",
          counted(overlap.through.count, "place"), first->edge[0], first->edge[1], first->face,
          place(0.5 * (at(first->edge[0]) + at(first->edge[1]))), outcome_);
    if (overlap.close.count > 0)
      warn(" has layers no farther apart than {} m, the thickness, in {}, {}, at {}{}",
           short_number(surface_contact_law(cloth_).barrier.thickness), counted(overlap.close.count, "place"),
           nearest_text(overlap.close, cloth_.mesh.vertex_count()),
           place(at(overlap.close.nearest->vertices[0])), outcome_);
  }

  void of_surfaces(const TargetReach& reach) {
    for (const SurfaceOverlap& overlap : reach.surfaces) {
      const int line = line_of(cloth_.surfaces[overlap.surface].number);
      if (overlap.cut_count > 0)
        warn(
            " goes through the [[collider]] of line {} in {}, the first near {}, counted from 0, at "
            "{}{}",
            line, counted(overlap.cut_count, "place"), named(overlap.cut_vertex),
            place(at(overlap.cut_vertex)), outcome_);
      else
        warn(" is nearer than {} m to the [[collider]] of line {} in {}, {}{}",
             short_number(body_contact_law(cloth_).barrier.thickness), line,
             counted(overlap.close.count, "place"), nearest_text(overlap.close, cloth_.mesh.vertex_count()),
             outcome_);
    }
  }

  int line_of(int body) const { return scene_.colliders[body].source.line; }
  Vec3 at(int v) const { return keyframe_->keyframe.target.segment<3>(3 * v); }

  const Scene& scene_;
  Shot& shot_;
  const ClothDescription& cloth_;
  const double length_;  // the cloth's size [m]
  const ShotKeyframe* keyframe_ = nullptr;
  std::string moment_;  // of what is told, where the keyframe may slide
  std::string_view outcome_ = kOutcome;
};

// Of a track the frame that is strained most, or else takes the fastest way; of others themselves.
std::vector<std::size_t> told_targets(const Shot& shot) {
  std::vector<std::size_t> told;
  const auto rank = [&](std::size_t k) {
    return std::pair(shot.reach[k].strain.beyond, shot.reach[k].way.speed);
  };
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    const bool is_next =
        !told.empty() && shot.keyframes[k].track && shot.keyframes[told.back()].track &&
        shot.keyframes[told.back()].keyframe.target_id == shot.keyframes[k].keyframe.target_id;
    if (!is_next)
      told.push_back(k);
    else if (rank(k) > rank(told.back()))
      told.back() = k;
  }
  return told;
}

std::string overlap_words(const TargetReach& reach) {
  const int in_bodies = reach.body_places();
  std::string text = in_bodies > 0 ? fmt::format(", {} in bodies", counted(in_bodies, "place")) : "";
  if (reach.itself && !reach.itself->is_clean())
    text += fmt::format(", {} through or too near to itself",
                        reach.itself->through.count + reach.itself->close.count);
  return text;
}

std::string way_words(const Shot& shot, std::size_t k) {
  const TargetWay& way = shot.reach[k].way;
  std::string text =
      fmt::format("; {} m/s RMS from {}", short_number(way.speed, 2),
                  way.from < 0 ? "the first frame" : fmt::format("frame {}", shot.keyframes[way.from].frame));
  if (const int to = shot.clock.frame_of_step(way.to_state); to != shot.keyframes[k].frame)
    text += fmt::format(" to {}, the last of its window", to);
  if (way.acceleration.value_or(0.0) >= kTold)
    text += fmt::format(", at least {} g", short_number(*way.acceleration, 2));
  return text;
}

std::string reach_row(const Shot& shot, std::size_t k) {
  const TargetReach& reach = shot.reach[k];
  std::string text = fmt::format("frame {}: ", shot.keyframes[k].frame);
  if (!reach.has_shape)
    text += shot.keyframes[k].keyframe.surface ? "a surface, whose shape the cloth need not have"
                                               : "the shape of the first frame";
  else if (reach.strain.area > 0.0)
    text += fmt::format("{}; {} as the fabric feels it", strain_in_words(shot.rest(), reach.strain),
                        area_in_words(reach.strain));
  else
    text += "single vertices";
  if (reach.has_shape && reach.way.fastest_vertex >= 0) text += way_words(shot, k);
  if (reach.held.count > 0)
    text += fmt::format("; pins hold {} elsewhere", counted(reach.held.count, "vertex", "vertices"));
  if (reach.held_velocity.count > 0)
    text += fmt::format("; pins move {} otherwise", counted(reach.held_velocity.count, "vertex", "vertices"));
  return text + overlap_words(reach);
}

}  // namespace

double edge_share(const std::vector<Triangle>& triangles, const VecX& pose, const VecX& start) {
  return side_length(triangles, pose) / side_length(triangles, start);
}

void refuse_another_size(const std::string& what, double edge_share) {
  if (edge_share > kNoClothBelow && edge_share < kNoClothAbove) return;
  throw InputError(fmt::format(
      "{}: its edges are {} times as long as the cloth's; expected the rest mesh in another pose; "
      "export both in one unit, and without scale",
      what, short_number(edge_share)));
}

std::string area_in_words(const StrainFigures& strain) {
  const double beyond = percent(strain.beyond);
  return fmt::format("{} % of its area beyond {} %",
                     beyond < 1.0 ? short_number(beyond, 1) : fmt::format("{:.0f}", beyond),
                     short_number(percent(strain.limit), 2));
}

std::string strain_in_words(const TriangleMesh& rest, const StrainFigures& strain) {
  const auto most = [&](std::string_view what, const StrainPlace& where, double most_of_it) {
    std::string text = fmt::format("{} {:.1f} %", what, percent(where.strain));
    if (where.strain > strain.limit)
      text += fmt::format(" near {}", vertex_in_words(rest, rest.triangles[where.triangle][0]));
    return fmt::format("{}, 99 % of it within {:.1f} %; ", text, percent(most_of_it));
  };
  return fmt::format("{}{}warp {:+.1f} %, weft {:+.1f} %, shear {} degrees",
                     most("stretch", strain.stretch, strain.stretch_99),
                     most("squeeze", strain.squeeze, strain.squeeze_99), percent(strain.warp.strain),
                     percent(strain.weft.strain), std::lround(strain.shear.strain * 180.0 / EIGEN_PI));
}

std::vector<std::string> reach_table(const Shot& shot) {
  std::vector<std::string> rows;
  for (const std::size_t k : told_targets(shot)) rows.push_back(reach_row(shot, k));
  return rows;
}

void warn_of_reach(const Scene& scene, Shot& shot) {
  ReachWarnings warnings(scene, shot);
  int warned = -1;  // one frame of a track is enough
  for (std::size_t k = 0; k < shot.keyframes.size(); ++k) {
    if (shot.keyframes[k].track && shot.keyframes[k].keyframe.target_id == warned) continue;
    const std::size_t before = shot.warnings.size();
    warnings.of(k);
    if (shot.warnings.size() > before) warned = shot.keyframes[k].keyframe.target_id;
  }
}

}  // namespace keydrape
