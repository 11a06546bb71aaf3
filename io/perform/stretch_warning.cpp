#include "io/perform/stretch_warning.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/inspect/strain.h"
#include "core/mesh/rest_shape.h"
#include "core/mesh/topology.h"
#include "core/pass/edge_limit.h"
#include "io/file/short_number.h"
#include "io/run/run_cache.h"
#include "io/shot/doubt/vertex_words.h"
#include "io/shot/reach_text.h"

namespace keydrape {
namespace {

// Beyond the first a stretch shows, whatever the fabric, where more gives too much than a triangle beside a
// pin; beyond the second it shows of a single one, too.
constexpr double kSeenStretch = 0.1, kFarStretch = 0.2;

// An edge's beyond what the scene lets it have, of its length at rest.
constexpr double kSeenBeyondLimit = 0.01;

bool is_stretch_seen(const StrainMeter& meter, const StrainPlace& longest, const VecX& x, double time) {
  if (longest.strain <= std::max(kSeenStretch, meter.limit())) return false;
  const std::vector<char> none(static_cast<std::size_t>(x.size() / 3), 0);
  return longest.strain > kFarStretch || meter.at(x, time, none).beyond > kStrainedShare;
}

// Nothing that the scene would be refused with.
std::string fabric_advice(const Task& task) {
  const ClothDescription& cloth = task.cloth;
  const Material& fabric = cloth.material;
  const StepMethod method = task.simulator.method;
  const bool may_be_limited = cloth.model == ClothModel::kSheet && !cloth.edge_limit &&
                              !is_pass(cloth.contact.method) &&
                              (is_solved(method) || method == StepMethod::kLinearized);
  return fmt::format("{}{}",
                     fabric.isotropic                         ? "raise young in [cloth.material]"
                     : fabric.warp_curve || fabric.weft_curve ? "take a stiffer fabric"
                                                              : "raise stretch in [cloth.material]",
                     may_be_limited && !fabric.strain_limit ? ", or forbid it by strain_limit" : "");
}

// Why cloth is stretched at a frame, and what helps.
std::string cause_and_remedy(const Task& task, const std::vector<PinJump>& jumps, int frame) {
  for (const PinJump& jump : jumps)
    if (jump.frame <= frame)
      return fmt::format(
          "the [[pin]] of line {} has brought cloth {} m in one step, at frame {}: mend that, and leave the "
          "fabric as it is",
          jump.pin.line, short_number(jump.distance), jump.frame);
  return "pins, bodies or forces pull hard there; " + fabric_advice(task);
}

}  // namespace

std::optional<std::string> stretch_warning(const Shot& shot, const Trajectory& trajectory,
                                           const std::vector<PinJump>& jumps) {
  if (shot.variant && shot.variant->model) return std::nullopt;
  const ClothDescription& cloth = shot.task().cloth;
  const StrainMeter meter(cloth);
  StrainPlace largest;
  int frame = 0;
  for (int f = 0; f < complete_frame_count(shot, trajectory); ++f) {
    const int at = shot.clock.frames.first + f;
    const VecX& x = trajectory.states[f * shot.clock.substeps].x;
    const double time = shot.clock.time_of_frame(at);
    const StrainPlace longest = meter.longest_thread(x, time);
    if (longest.strain <= largest.strain || !is_stretch_seen(meter, longest, x, time)) continue;
    largest = longest;
    frame = at;
  }
  if (largest.triangle < 0) return std::nullopt;
  return fmt::format(
      "at frame {} {} {} % longer than at rest near {}, and this fabric hardly goes beyond {} %: {}", frame,
      cloth.material.isotropic ? "the cloth is" : "a thread is", short_number(1e2 * largest.strain),
      vertex_in_words(cloth.mesh, cloth.mesh.triangles[largest.triangle][0]),
      short_number(1e2 * meter.limit(), 2), cause_and_remedy(shot.task(), jumps, frame));
}

std::optional<std::string> edge_stretch_warning(const Shot& shot, const Trajectory& trajectory) {
  const ClothDescription& cloth = shot.task().cloth;
  if (!cloth.edge_limit || (shot.variant && shot.variant->model)) return std::nullopt;
  const Topology topology = build_topology(cloth.mesh.triangles, cloth.mesh.vertex_count());
  const std::vector<LimitedEdge> edges =
      limited_edges(cloth.mesh, build_rest_shape(cloth.mesh, topology, cloth.rest));
  LongEdge longest{{}, *cloth.edge_limit + kSeenBeyondLimit};
  int frame = 0;
  for (int f = 0; f < complete_frame_count(shot, trajectory); ++f) {
    const int at = shot.clock.frames.first + f;
    const LongEdge here = longest_edge(edges, cloth.stretch_scale.at(shot.clock.time_of_frame(at)),
                                       trajectory.states[f * shot.clock.substeps].x);
    if (!(here.stretch > longest.stretch)) continue;
    longest = here;
    frame = at;
  }
  if (longest.vertices[0] == longest.vertices[1]) return std::nullopt;
  return fmt::format(
      "at frame {} the edge of vertices {} and {} is {} % longer than at rest, and max_edge_stretch lets {} "
      "%: "
      "that is more than a step draws together; give it more substeps or a stiffer fabric, unless pins or "
      "the "
      "first frame have it so",
      frame, longest.vertices[0], longest.vertices[1], short_number(1e2 * longest.stretch),
      short_number(1e2 * *cloth.edge_limit));
}

}  // namespace keydrape
