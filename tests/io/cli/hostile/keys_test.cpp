// Keys and tables that there are not, that are missing, or exclude each other.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

using CliHostileKeysTest = CliHostileTest;

TEST_F(CliHostileKeysTest, AreRefused) {
  refused({
      {"substeps = 2", "substep = 2", "3:1", "did you mean substeps?"},
      {"substeps = 2", "Substeps = 2", "3:1", "did you mean substeps?"},
      {"substeps = 2", "substeps = 2\ntolerance = 1", "4:1", "tolerance is a key of [[keyframe]], [[track]]"},
      {"[[keyframe]]", "[[keyframes]]", "8:3", "did you mean keyframe?"},
      {"[[pin]]", "[[pins]]", "6:3", "did you mean pin?"},
      {"[[pin]]", "[pin]", "6:1", "expected [[pin]], once for each"},
      {"", "[physics]\ng = 9.81\n", "12:2",
       "expected one of shot, cloth, wind, moving_frame, pin, spring, crease, collider, contact, keyframe, "
       "track, control,"},
      {"rest = \"rest.obj\"", "mesh = \"rest.obj\"", "5:1", "did you mean rest?"},
      {"[[keyframe]]", "[keyframe]", "8:1", "expected [[keyframe]], once for each"},
      {"", "[[shot]]\nframes = \"1-2\"\n", "12:1",
       "a table that stands more than once has two brackets each time: [[pin]]"},
      {"rest = \"rest.obj\"", "", "4:1", "expected name of an existing file relative to the scene file"},
      {"frames = \"1001-1006\"", "", "1:1", "expected \"first-last\" with first < last"},
      {"frame = 1006", "", "8:1", "expected integer, inside the shot's frames"},
      {"mesh = \"key.obj\"", "", "8:1", "expected exactly one of them"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "", "6:1", "expected exactly one of them"},
      {"", "[[collider]]\nfriction = 1\n", "12:1", "expected exactly one of them"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\ngroup = \"top\"", "8:9",
       "expected exactly one of vertices, group, weights"},
      {"rest = \"rest.obj\"", "rest = {file = \"rest.obj\"}", "5:8",
       "expected name of an existing file relative to the scene file"},
  });
}

}  // namespace
}  // namespace keydrape
