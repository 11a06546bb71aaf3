#include "io/play/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/mesh/topology.h"

namespace keydrape {
namespace {

// A hand takes hold of what lies within this part of the cloth's size around it.
constexpr double kReach = 0.035;
// It hangs back by this part of the cloth's size where it carries the whole cloth: firm, and no nail.
constexpr double kSag = 0.01;

Scene with_options(Scene scene, const StageOptions& options) {
  if (options.substeps) scene.shot.substeps = *options.substeps;
  if (options.last_frame) {
    if (*options.last_frame < scene.shot.frames.last)
      throw InputError(fmt::format("--last: found {}; expected {}, the scene's last frame, or later",
                                   *options.last_frame, scene.shot.frames.last));
    scene.shot.frames.last = *options.last_frame;
  }
  return scene;
}

}  // namespace

Stage::Stage(Scene scene, const StageOptions& options)
    : scene_(with_options(std::move(scene), options)), shot_(open_shot(scene_, options.quality)) {
  const TriangleMesh& rest = shot_.rest();
  neighbours_.resize(static_cast<std::size_t>(rest.vertex_count()));
  for (const Edge& edge : build_topology(rest.triangles, rest.vertex_count()).edges)
    for (const int side : {0, 1}) neighbours_[static_cast<std::size_t>(edge[side])].push_back(edge[1 - side]);
  const double size = bounding_box_diagonal(rest.positions);
  reach_ = kReach * size;
  grip_force_ = shot_.model().vertex_mass().sum() * kStandardGravity / (kSag * size);
  build();
  reset();
}

void Stage::build() {
  ClothDescription cloth = shot_.task().cloth;
  cloth.grip = grip_;
  if (!has_wind_) cloth.wind.reset();
  if (!has_bodies_) {
    cloth.bodies.clear();
    cloth.surfaces.clear();
  }
  sequence_.reset();
  simulator_.reset();
  model_ = std::make_unique<const Model>(build_model(cloth));
  simulator_ = std::make_unique<const Simulator>(*model_, shot_.simulator().options());
  sequence_ = std::make_unique<StepSequence>(*simulator_);
}

void Stage::reset() {
  held_.reset();
  next_vertex_.reset();
  is_leaving_ = false;
  *grip_ = {};
  drags_.clear();
  was_switched_ = !has_wind_ || !has_bodies_;
  state_ = shot_.start();
  before_.reset();
  played_ = {state_.x};
  sequence_ = std::make_unique<StepSequence>(*simulator_);
}

PlayedFrame Stage::advance() {
  assert(!is_at_end());
  const Stopwatch watch;
  PlayedFrame played;
  const int next = frame() + 1;
  if (held_) hold_at_frame(next);
  const VecX u = VecX::Zero(state_.x.size());
  State state = state_;
  std::optional<State> before = before_;
  const int begin = shot_.clock.state_of_frame(frame());
  for (int n = begin; n < begin + shot_.clock.substeps && played.problem.empty(); ++n) {
    StepResult result = sequence_->step(n, {state, before ? &*before : nullptr}, u);
    played.residual = std::max(played.residual, result.report.residual);
    played.linearizations += result.report.iterations;
    if (!result.report.converged()) played.problem = reason(result.report.end);
    before = std::move(state);
    state = std::move(result.next);
  }
  played.seconds = watch.seconds();
  if (!played.problem.empty()) {
    if (is_leaving_) change_hold();  // else what the step may fail for could not be let go of
    return played;
  }
  state_ = std::move(state);
  before_ = std::move(before);
  played_.push_back(state_.x);
  if (held_) held_->frames.last = next;
  if (is_leaving_) change_hold();
  return played;
}

void Stage::change_hold() {
  end_drag();
  if (const std::optional<int> vertex = std::exchange(next_vertex_, {})) {
    take_hold(*vertex);
    way_ = next_way_;
  }
}

std::vector<int> Stage::around(int vertex) const {
  const Vec3 middle = x().segment<3>(3 * vertex);
  std::vector<int> found = {vertex};
  std::vector<bool> is_seen(neighbours_.size(), false);
  is_seen[static_cast<std::size_t>(vertex)] = true;
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const int next : neighbours_[static_cast<std::size_t>(found[k])]) {
      if (is_seen[static_cast<std::size_t>(next)]) continue;
      is_seen[static_cast<std::size_t>(next)] = true;
      if ((x().segment<3>(3 * next) - middle).norm() <= reach_) found.push_back(next);
    }
  std::sort(found.begin(), found.end());
  return found;
}

void Stage::grab(int vertex) {
  assert(vertex >= 0 && vertex < shot_.rest().vertex_count());
  let_go();
  next_way_.setZero();
  if (is_leaving_)
    next_vertex_ = vertex;
  else
    take_hold(vertex);
}

void Stage::take_hold(int vertex) {
  Drag drag;
  drag.vertices = around(vertex);
  drag.frames = {frame() + 1, frame()};  // until a frame has been played
  drag.stiffness = grip_force_ / static_cast<double>(drag.vertices.size());
  held_from_.resize(3 * static_cast<Eigen::Index>(drag.vertices.size()));
  for (std::size_t k = 0; k < drag.vertices.size(); ++k)
    held_from_.segment<3>(3 * static_cast<Eigen::Index>(k)) = x().segment<3>(3 * drag.vertices[k]);
  drag.samples.assign(played_.size(), held_from_);
  held_ = std::move(drag);
  way_.setZero();
}

void Stage::drag(const Vec3& way) {
  assert(held_ && way.allFinite());
  (next_vertex_ ? next_way_ : way_) = way;
}

void Stage::hold_at_frame(int frame) {
  Drag& drag = *held_;
  drag.samples.resize(static_cast<std::size_t>(frame - shot_.clock.frames.first), held_from_);
  drag.samples.push_back(held_from_ + way_.replicate(static_cast<Eigen::Index>(drag.vertices.size()), 1));
  SoftPin pin;
  pin.vertices = drag.vertices;
  pin.weights.assign(drag.vertices.size(), 1.0);
  pin.motion = {drag.samples, 1.0 / shot_.clock.fps};
  pin.stiffness = drag.stiffness;
  pin.begin_time = shot_.clock.time_of_frame(drag.frames.first);
  pin.end_time = shot_.clock.time_of_frame(frame);
  *grip_ = grip_of(pin);
}

void Stage::let_go() {
  next_vertex_.reset();
  is_leaving_ = held_frames() == 1 && !is_at_end();
  if (!is_leaving_) end_drag();
}

void Stage::end_drag() {
  if (held_frames() > 1) {
    held_->samples.resize(static_cast<std::size_t>(held_->frames.last - shot_.clock.frames.first) + 1);
    drags_.push_back(std::move(*held_));
  }
  held_.reset();
  is_leaving_ = false;
  *grip_ = {};
}

const std::vector<int>& Stage::held_vertices() const {
  static const std::vector<int> none;
  return held_ ? held_->vertices : none;
}

void Stage::switch_wind(bool on) {
  if (on == has_wind_) return;
  has_wind_ = on;
  was_switched_ = true;
  build();
}

void Stage::switch_bodies(bool on) {
  if (on == has_bodies_) return;
  has_bodies_ = on;
  was_switched_ = true;
  build();
}

}  // namespace keydrape
