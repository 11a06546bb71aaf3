#pragma once

#include <optional>
#include <vector>

#include "core/constraint/motion_track.h"
#include "io/scene/scene.h"
#include "io/scene/shot_clock.h"
#include "io/shot/input/mesh.h"

namespace keydrape {

// Whose motion is wanted, and for how long.
struct MotionRequest {
  const std::vector<int>& vertices;  // ascending
  int vertex_count;                  // of the cloth
  int last_frame;                    // until which samples are needed, inside the shot
  // From which on they are needed, inside the shot. None: from its first frame on.
  std::optional<int> first_frame{};
  // The same vertices, as a cache of these alone has them. Null: ascending, too.
  const std::vector<int>* listed = nullptr;
  // Of the mesh that moves: a cache that has others brings a warning. Null: whatever a cache has will do.
  const std::vector<Triangle>* triangles = nullptr;
};

// Opens a motion cache of any format that is read (io/formats/format.h): .pc2, .mdd, .npy (metres, of shape
// (frames, points, 3)), .usda, or a sequence name.####.obj or .ply. One sample a frame, the first at the
// shot's first frame, except that sequences and .usda go by their frame numbers; one point for each vertex of
// the cloth, or for each requested vertex as they are listed. The track, in metres, is ascending. Files that
// go by their frame numbers may begin where they are needed: until then the points stay where they begin.
// Throws InputError: another format, another number of points, too few samples.
MotionTrack read_motion(const Scene& scene, const scene::FilePath& file, const ShotClock& clock,
                        const MotionRequest& request, ShotWarnings& warnings);

}  // namespace keydrape
