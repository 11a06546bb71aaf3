// Values of another type than a key has, or beyond its range.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

using CliHostileValuesTest = CliHostileTest;

TEST_F(CliHostileValuesTest, OfAnotherType) {
  refused({
      {"substeps = 2", "substeps = \"2\"", "3:12", "expected integer, >= 1"},
      {"substeps = 2", "substeps = 2.5", "3:12", "expected integer, >= 1"},
      {"tolerance = 0.02", "tolerance = true", "11:13", "expected number, > 0, in m"},
      {"tolerance = 0.02", "tolerance = [0.02]", "11:13", "expected number, > 0, in m"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = \"0-5\"", "7:12",
       "expected list of different vertex numbers, >= 0"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0.0, 1.0]", "7:13",
       "expected list of different vertex numbers, >= 0"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = 3", "7:12",
       "expected list of different vertex numbers, >= 0"},
      {"substeps = 2", "gravity = -9.81", "3:11",
       "expected [x, y, z], or [[frame, [x, y, z]], ...] with ascending frames, in m/s^2"},
      {"substeps = 2", "gravity = [0, -9.81]", "3:11",
       "expected [x, y, z], or [[frame, [x, y, z]], ...] with ascending frames, in m/s^2"},
      {"frame = 1006", "frame = \"1006\"", "9:9", "expected integer, inside the shot's frames"},
      {"frame = 1006", "frame = \"1004-1006\"", "9:9", "expected integer, inside the shot's frames"},
      {"frames = \"1001-1006\"", "frames = \"1006\"", "2:10",
       "expected \"first-last\" with first < last, both from 0 to 9999999 and in digits alone"},
      {"frames = \"1001-1006\"", "frames = [1001, 1006]", "2:10",
       "expected \"first-last\" with first < last"},
      {"frames = \"1001-1006\"", "frames = \"1001..1006\"", "2:10", "did you mean \"1001-1006\"?"},
      {"frames = \"1001-1006\"", "frames = \"1001 to 1006\"", "2:10", "did you mean \"1001-1006\"?"},
      {"frames = \"1001-1006\"", "frames = \"1006-1001\"", "2:10", "did you mean \"1001-1006\"?"},
      {"frames = \"1001-1006\"", "frames = \"1001-1001\"", "2:10",
       "expected \"first-last\" with first < last, both from 0 to 9999999 and in digits alone"},
      {"frames = \"1001-1006\"", "frames = \"-10-20\"", "2:10", "number the frames so that none is below 0"},
      {"frames = \"1001-1006\"", "frames = \"1001.0-1006.0\"", "2:10", "did you mean \"1001-1006\"?"},
      {"frames = \"1001-1006\"", "frames = \"1001–1006\"", "2:10", "did you mean \"1001-1006\"?"},
  });
}

TEST_F(CliHostileValuesTest, BeyondTheirRange) {
  refused({
      {"substeps = 2", "substeps = 0", "3:12", "expected integer, >= 1"},
      {"substeps = 2", "substeps = -1", "3:12", "expected integer, >= 1"},
      {"substeps = 2", "fps = 0", "3:7", "expected number, > 0, in frames/s"},
      {"substeps = 2", "fps = -24", "3:7", "expected number, > 0, in frames/s"},
      {"substeps = 2", "fps = inf", "3:7", "expected number, > 0, in frames/s"},
      {"substeps = 2", "meters_per_unit = 0", "3:19", "expected number, > 0, in m"},
      {"tolerance = 0.02", "tolerance = 0", "11:13", "expected number, > 0, in m"},
      {"tolerance = 0.02", "tolerance = -0.02", "11:13", "expected number, > 0, in m"},
      {"tolerance = 0.02", "tolerance = nan", "11:13", "expected number, > 0, in m"},
      {"frame = 1006", "frame = 1060", "9:9", "expected integer, inside the shot's frames"},
      {"frame = 1006", "frame = 1001", "8:1", "set the pose as [cloth] initial"},
      {"frame = 1006", "frame = 6", "9:9", "expected integer, inside the shot's frames"},
      {"substeps = 2", "up_axis = \"X\"", "3:11", "did you mean \"Y\"?"},
      {"substeps = 2", "up_axis = \"z\"", "3:11", "did you mean \"Y\"?"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [-1]", "7:13",
       "expected list of different vertex numbers, >= 0"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [1,1]", "7:15",
       "expected list of different vertex numbers, >= 0"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = []", "7:12",
       "expected list of different vertex numbers, >= 0"},
      {"frames = \"1001-1006\"", "frames = \"1-9999999\"", "1:1", "split the shot"},
      {"frames = \"1001-1006\"", "frames = \"1-99999999\"", "2:10", "both from 0 to 9999999"},
      {"substeps = 2", "substeps = 1000000000", "1:1", "split the shot"},
      {"substeps = 2", "substeps = 99999999999999999999", "3:32", "no key takes a number of this size"},
      {"", "[control]\neffort = -1\n", "13:10", "expected number or \"auto\", >= 0"},
      {"", "[control]\nmax_acceleration = 0\n", "13:20", "expected number, > 0, in g"},
      {"", "[control]\nmax_forward_simulations = 0\n", "13:27", "expected integer, >= 1"},
      {"", "[control]\nmethod = \"newton\"\n", "13:10", "expected \"gauss-newton\" | \"lbfgs\""},
      {"", "[cloth.material]\ndensity = 0\n", "13:11", "expected number, > 0, in kg/m^2"},
      {"", "[cloth.material]\npreset = \"coton\"\n", "13:10", "did you mean \"cotton\"?"},
      {"", "[contact]\nfriction = -1\n", "13:12", "ascending frames, >= 0"},
      {"", "[[collider]]\nsphere = {center = [0, -1, 0], radius = 0}\n", "13:41",
       "expected number, > 0, in m"},
      {"", "[[collider]]\nbox = {min = [1, 1, 1], max = [0, 0, 0]}\n", "13:31",
       "expected a corner greater than min in x, y and z, in m"},
      {"", "[[collider]]\nplane = {point = [0, 0, 0], normal = [0, 0, 0]}\n", "13:38",
       "expected [x, y, z], not zero"},
      {"", "[control]\nframes = \"900-1006\"\n", "13:10",
       "expected \"first-last\" with first < last, inside the shot's frames"},
      {"", "[solver]\nnewton_tolerance = 1\n", "13:20", "expected number, > 0 and <= 0.1"},
      {"", "[solver]\nlinear = \"cg\"\n", "13:10", "did you mean \"pcg\"?"},
      {"", "[output]\ncaches = [\"abc\"]\n", "13:11",
       "expected list of \"pc2\" | \"mdd\" | \"obj\" | \"ply\" | \"npy\" | \"usda\" | \"glb\" | \"vtp\""},
      {"", "[output]\ncaches = \"pc2\"\n", "13:10",
       "expected list of \"pc2\" | \"mdd\" | \"obj\" | \"ply\" | \"npy\" | \"usda\" | \"glb\" | \"vtp\""},
  });
}

}  // namespace
}  // namespace keydrape
