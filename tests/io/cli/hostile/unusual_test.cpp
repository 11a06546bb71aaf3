// What can be meant, but hardly is: warned of, and gone on with.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

using CliHostileUnusualTest = CliHostileTest;

TEST_F(CliHostileUnusualTest, AreWarnedOf) {
  warned({
      {"tolerance = 0.02", "tolerance = 1e-12", "8:1", "expected metres: 0.005 for 5 mm"},
      {"tolerance = 0.02", "tolerance = 0.2", "8:1", "so much asks for hardly anything; expected metres"},
      {"mesh = \"key.obj\"", "mesh = \"key.obj\"\ngroup = \"top\"", "10:8",
       "choose others by group or weights, or release the pin"},
      {"substeps = 2", "meters_per_unit = 100", "5:8",
       "set meters_per_unit in [shot] (0.01 for a mesh in centimetres, 0.001 in millimetres)"},
      {"substeps = 2", "gravity = [0, -981, 0]", "3:15", "metres, not centimetres: [0, -9.81, 0]"},
      {"substeps = 2", "gravity = [0, 9.81, 0]", "1:1",
       "expected a negative number there, or up_axis = \"Z\""},
      {"substeps = 2", "gravity = [0, 0, -9.81]", "1:1",
       "expected a negative number there, or up_axis = \"Z\""},
      {"substeps = 2", "fps = 24000", "3:7", "frames in a second, not seconds of a frame"},
      {"substeps = 2", "fps = 0.0416", "3:7", "frames in a second, not seconds of a frame"},
      {"mesh = \"key.obj\"", "landmarks = [[35, 5, 0, 0]]", "10:13", "choose nearer places"},
      {"mesh = \"key.obj\"", "landmarks = [[35, 25, -25, 0]]", "10:13",
       "choose nearer places (in metres in the scene, in the meshes' unit in a landmark file)"},
      {"", "[cloth.material]\ndensity = 480\n", "13:11", "kg, not grams: a cotton of 104 g/m^2 has 0.104"},
      {"", "[cloth.material]\ndensity = 0.0001\n", "13:11", "kg, not grams: a cotton of 104 g/m^2 has 0.104"},
      {"", "[cloth.material]\nthickness = 1\n", "13:13", "metres: 0.0002 for 0.2 mm"},
      {"", "[cloth.material]\nstretch = 0.001\n", "13:11", "clothing has 500 to 10000"},
      {"", "[cloth.material]\nstretch = 1e12\n", "13:11", "clothing has 500 to 10000"},
      {"", "[cloth.material]\nbend = 1e3\n", "13:8", "clothing has 1e-6 to 1e-4"},
      {"", "[cloth.material]\ndamping = 100\n", "13:11", "seconds: 0.01 is much"},
      {"", "[cloth.material]\nstretch_scale = 10\n", "13:17",
       "a share of the rest length: 0.9 shrinks it by 10 %"},
      {"", "[solver]\nmemory_gb = 1e9\n", "13:13", "GB, not MB"},
      {"", "[wind]\nvelocity = [1e6, 0, 0]\n", "13:13", "a hurricane blows at 60"},
      {"", "[wind]\nvelocity = [500, 0, 0]\n", "13:13", "a hurricane blows at 60"},
      {"", "[contact]\nfriction = 50\n", "13:12", "cotton on cotton has 0.5"},
      {"", "[control]\nmax_acceleration = 1e9\n", "13:20", "in g: without it there is no limit"},
      {"", "[control]\nmax_acceleration = 1e-9\n", "13:20", "in g: without it there is no limit"},
      {"", "[control]\neffort = 1e9\n", "13:10", "a larger one forbids to push"},
      {"", "[control]\nsmooth_time = 1e9\n", "13:15", "it is a multiple of effort: begin with 1"},
      {"", "[control]\nmax_forward_simulations = 1\n", "13:27",
       "the first runs are the beginning that a search gains on"},
      {"", "[control]\nmax_forward_simulations = 1000000\n", "13:27",
       "the first runs are the beginning that a search gains on"},
      {"", "[control]\nknots_every = 1000\n", "12:1",
       "[control] knots_every: found 1000 frames, and the shot has 5: forces can hardly change in it"},
      {"", "[[keyframe]]\nframe = 1006\nmesh = \"rest.obj\"\ntolerance = 0.02\n", "14:8",
       "leave one out, part them by group or weights, or by frames"},
      {"", "[[keyframe]]\nframe = 1006\nmesh = \"key.obj\"\ntolerance = 0.02\n", "12:1", "leave one out"},
      {"", "[wind]\nvelocity = [[1, [0, 0, 0]], [24, [1, 0, 0]]]\n", "13:12",
       "expected frames as the shot counts them"},
      {"",
       "[[collider]]\nsphere = {center = [0, -1, 0], radius = 0.1}\ntranslate = [[1, [0, 0, 0]], [6, [0, "
       "0.3, 0]]]\n",
       "14:13", "expected frames as the shot counts them"},
      {"", "[[collider]]\nsphere = {center = [0, -100, 0], radius = 1}\n", "12:1", "is it in metres?"},
      {"", "[[collider]]\nsphere = {center = [0, -1, 0], radius = 1e-6}\n", "12:1", "is it in metres?"},
      {"", "[[collider]]\nsphere = {center = [0, -30, 0], radius = 20}\n", "12:1",
       "numbers in this file are metres"},
      {"[[keyframe]]\nframe = 1006", "[control]\nmax_acceleration = 0.5\n[[keyframe]]\nframe = 1002", "12:8",
       "the rest would have to come from pins, bodies or wind"},
      {"",
       "[[collider]]\nsphere = {center = [0.125, 0.06, 0], radius = 0.05}\ntranslate = [[1001, [0, 0, 0]], "
       "[1006, [0, "
       "0.3, 0]]]\n",
       "12:1",
       "this body is 0.3 m from where it began by frame 1006, and the [[pin]] of line 6, whose vertices are "
       "at "
       "it then, stays where it is: give the pin a motion that goes along"},
      {"", "[cloth.material]\nstrain_limit = 5\n", "13:16", "a share: 0.05 for 5 %"},
      {"", "[[pin]]\nvertices = [35]\nstiffness = 1e-9\n", "14:13", "without stiffness a pin is hard"},
  });
}

// A body that turns where it is, that shifts a little, or goes where no pins are, leaves none.
TEST_F(CliHostileUnusualTest, BodiesThatLeaveNoPins) {
  const std::string sphere = "[[collider]]\nsphere = {center = [0.125, 0.06, 0], radius = 0.05}\n";
  const std::string away = "[[collider]]\nsphere = {center = [0.125, -0.25, 0.3], radius = 0.05}\n";
  for (const std::string& body : {sphere + "rotate = [[1001, [0, 0, 0]], [1006, [0, 170, 0]]]\n",
                                  sphere + "translate = [[1001, [0, 0, 0]], [1006, [0, 0.05, 0]]]\n",
                                  away + "translate = [[1001, [0, 0, 0]], [1006, [0, 0, 0.3]]]\n"}) {
    folder_.write("scene.toml", scene() + body);
    EXPECT_EQ(run({"solve", "scene.toml", "--dry-run", "--quiet"}).err, "") << body;
  }
}

}  // namespace
}  // namespace keydrape
