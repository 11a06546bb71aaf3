#include "io/wedge/forward_memory.h"

#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {
namespace {

// Measured, io/measurements/farm.md [bytes]: the program with next to no cloth; a vertex with its matrix and
// factor; a vertex that is among many pairs of contact, as of crumpled cloth.
constexpr double kOfProgram = 50e6, kOfVertex = 30e3, kOfVertexInContact = 80e3;
constexpr double kOfVertexAndState = 6 * sizeof(double);  // positions and velocities, kept of every step

}  // namespace

double ForwardMemory::of(const Scene& scene) {
  const auto [known, is_new] = vertex_counts_.try_emplace(scene.cloth.rest.value);
  ShotWarnings told_by_the_run;
  if (is_new) known->second = read_rest_mesh(scene, told_by_the_run).vertex_count();
  const ShotClock clock{scene.shot.frames, scene.shot.fps, scene.shot.substeps};
  const bool is_in_contact = scene.contact && scene.contact->self;
  const double of_vertex =
      (is_in_contact ? kOfVertexInContact : kOfVertex) + kOfVertexAndState * (clock.step_count() + 1);
  return (kOfProgram + of_vertex * known->second) / 1e9;
}

}  // namespace keydrape
