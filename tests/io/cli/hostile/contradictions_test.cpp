// Keys that contradict each other, or the mesh.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

class CliHostileContradictionsTest : public CliHostileTest {
 protected:
  CliHostileContradictionsTest() { write_files(); }
};

TEST_F(CliHostileContradictionsTest, AreRefused) {
  refused({
      {"", "[output]\ndir = \"afile\"\n", "13:7", "expected the name of a folder, or one that may be made"},
      {"", "[output]\ndir = \"afile/x\"\n", "13:7", "expected the name of a folder, or one that may be made"},
      {"tolerance = 0.02", "tolerance = 5", "8:1",
       "is 35.4 cm large; expected metres, less than that: 0.005 for 5 mm"},
      {"tolerance = 0.02", "tolerance = 1e4", "8:1",
       "is 35.4 cm large; expected metres, less than that: 0.005"},
      {"tolerance = 0.02", "tolerance = 0.02\nweight = 0", "8:1",
       "to measure the distances alone, use keydrape simulate"},
      {"tolerance = 0.02", "tolerance = 0.02\nweight = -1", "12:10", "expected number, >= 0"},
      {"substeps = 2", "meters_per_unit = 0.001", "8:1", "expected metres, less than that"},
      {"mesh = \"key.obj\"", "mesh = \"key.obj\"\nlandmarks = [[35, 0, 0, 0]]", "11:13",
       "expected exactly one of mesh, surface, landmarks, loop"},
      {"tolerance = 0.02", "tolerance = 0.02\ntolerance_max = 0.01", "12:17",
       "expected 0.02, as tolerance is, or more: no mean is above the largest"},
      {"", "[contact]\nthickness = 2\n", "12:1",
       "make thickness under [contact] smaller than that, or the triangles larger"},
      {"", "[cloth.material]\nstretch_scale = 0\n", "13:17",
       "expected [warp, weft] or one number for both, or [[frame, [warp, weft] or one number for"},
      {"", "[control]\nmodes = 100000\n", "12:1",
       "expected at most 30, the number of vertices that forces may act on"},
      {"", "[control]\nwindow = \"1001-1003\"\n", "12:1",
       "expected a window that holds one of them after its first frame"},
      {"", "[control]\nframes = \"1006-1006\"\n", "13:10",
       "expected \"first-last\" with first < last, inside the shot's frames, both from 0 to 9999999 and"},
      {"", "[[collider]]\nsphere = {center = [0.1, -0.1, 0], radius = 0.5}\n", "12:1",
       "move the cloth ([cloth] initial) or the body, or set repair = true under [contact]"},
      {"", "[[pin]]\nvertices = [9]\nframes = \"1006-1006\"\n", "14:10",
       "expected \"first-last\" with first < last, inside the shot's frames, both from 0 to 9999999 and"},
      {"", "[[control.channel]]\nkind = \"wind\"\n", "12:1",
       "add one, with a first guess of the velocity: 0.2 m/s will do, 0 will not, since still air"},
      {"", "[[control.channel]]\nkind = \"gust\"\n", "13:8",
       "expected \"initial-velocity\" | \"wind\" | \"pin\" | \"stretch-scale\" | \"material\""},
      {"", "[control]\nforces = false\n", "13:10", "expected true, or a channel to choose instead"},
      {"", "[control]\nforces = false\nhold = \"step\"\n[[control.channel]]\nkind = \"initial-velocity\"\n",
       "14:8", "which has no effect; expected it only without forces = false"},
      {"", "[control]\nwindow = \"1001-1006\"\nframes = \"1001-1006\"\n", "13:10",
       "expected at most one of frames, window, windows"},
      {"", "[[spring]]\npairs = [[0, 35]]\n", "12:1", "expected number, > 0, in N/m"},
      {"", "[solver]\nscratch_gb = 1\nscratch_dir = \"afile\"\n", "14:15",
       "expected the name of a folder, or one that may be made"},
      {"", "[[keyframe]]\nframe = 1005\nloop = false\n", "14:8",
       "expected true, or mesh, surface or landmarks"},
  });
}

}  // namespace
}  // namespace keydrape
