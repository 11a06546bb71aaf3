#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scene_folder.h"

// What read_scene says about each kind of mistake, word by word: the messages are the interface here.

namespace keydrape {
namespace {

struct Case {
  std::string text;     // appended to the smallest scene: from line 5 on, at first inside of [cloth]
  std::string message;  // from the line number on
};

class SceneRefusalTest : public SceneFolder {
 protected:
  void expect(const std::vector<Case>& cases) const {
    ASSERT_NO_THROW(read(kSmallestScene));
    for (const Case& each : cases) EXPECT_EQ(refusal(kSmallestScene + each.text), each.message) << each.text;
  }
};

const std::string kClothKeys =
    "one of rest, initial, rest_shape, meters_per_uv, warp, bending, model, pressure, material";
const std::string kCaches = "\"pc2\" | \"mdd\" | \"obj\" | \"ply\" | \"npy\" | \"usda\" | \"glb\" | \"vtp\"";
const std::string kFabrics =
    R"("cotton" | "silk" | "denim" | "wool" | "jersey" | "jeans" | "leather" | "rubber")";
const std::string kGroup = "name of a vertex group of the rest mesh";
const std::string kFile = "name of an existing file relative to the scene file";

TEST_F(SceneRefusalTest, UnknownKeysAndTables) {
  expect({
      {"wrap = [1, 0, 0]",
       "5:1: [cloth] wrap: found an unknown key; expected " + kClothKeys + "; did you mean warp?"},
      {"fps = 24",
       "5:1: [cloth] fps: found an unknown key; expected " + kClothKeys + "; fps is a key of [shot]"},
      {"xyz = 1\nabc = 2", "5:1: [cloth] xyz: found an unknown key; expected " + kClothKeys},
      {"\"a\\nb\" = 2", "5:1: [cloth] 'a\\x0ab': found an unknown key; expected " + kClothKeys},
      {"[cloht]\n[wnid]",
       "5:2: cloht: found an unknown table; expected one of shot, cloth, wind, moving_frame, pin, spring, "
       "crease, collider, contact, "
       "keyframe, track, control, solver, output; did you mean cloth?"},
      {"[cloth.material]\nstiffness_x = 1",
       "6:1: [cloth.material] stiffness_x: found an unknown key; expected one of preset, density, stretch, "
       "shear, bend, damping, thickness, strain_limit, coupling, stretch_scale, warp_curve, weft_curve, "
       "shear_curve, "
       "shear_hysteresis, bend_hysteresis, kes, model, young, poisson, compression, fold_length"},
      {"[[collider]]\nplane = {point = [0, 0, 0], norml = [0, 1, 0]}",
       "6:29: [collider.plane] norml: found an unknown key; expected one of point, normal; did you mean "
       "normal?"},
  });
}

TEST_F(SceneRefusalTest, FabricsThatContradictThemselves) {
  folder_.write("warp.csv", "0 0\n0.01 3\n");
  const std::string material = "[cloth.material]\n";
  expect({
      {material + "compression = 1\nfold_length = 0.02",
       "7:15: [cloth.material] fold_length: found 0.02, which has no effect; expected it only with "
       "compression = \"buckling\""},
      {material + "compression = 1.5",
       "6:15: [cloth.material] compression: found 1.5; expected number or \"buckling\", > 0 and <= 1"},
      {material + "compression = \"soft\"",
       "6:15: [cloth.material] compression: found 'soft'; expected number or \"buckling\", > 0 and <= 1"},
      {material + "warp_curve = \"warp.csv\"",
       "5:1: [cloth.material] weft_curve: found nothing, but it is required; expected the curve of the other "
       "direction; the same file will do"},
      {material + "stretch = [9, 9]\nwarp_curve = \"warp.csv\"\nweft_curve = \"warp.csv\"",
       "7:14: [cloth.material] warp_curve: found stretch and warp_curve; expected at most one of stretch, "
       "warp_curve"},
      {material + "shear = 9\nkes = {g = 0.7}",
       "6:9: [cloth.material] shear: found 9, which has no effect; expected it only without g of "
       "[cloth.material.kes]"},
      {material + "kes = {emt = [5, 5], lt = 0.6, initial = 0.7}",
       "6:42: [cloth.material.kes] initial: found 0.7; expected at most 0.5909, with lt = 0.6: nearer to lt "
       "the curve would fall before its end"},
      {material + "kes = {lt = 0.6}",
       "6:13: [cloth.material.kes] lt: found 0.6, which has no effect; expected it only together with emt"},
      {material + "young = 1e6",
       "6:9: [cloth.material] young: found 1000000.0, which has no effect; expected it only with model = "
       "\"isotropic\""},
      {material + "model = \"isotropic\"\nyoung = 1e6",
       "5:1: [cloth.material] poisson: found nothing, but it is required; expected a number, with model = "
       "\"isotropic\""},
      {material + "model = \"isotropic\"\nyoung = 1e6\npoisson = 0.5",
       "8:11: [cloth.material] poisson: found 0.5; expected number, >= 0 and <= 0.499"},
      {material + "model = \"isotropic\"\nyoung = 1e6\npoisson = 0.3\nshear = 10",
       "9:9: [cloth.material] shear: found 10, which has no effect; expected it only with model = \"woven\""},
  });
}

TEST_F(SceneRefusalTest, WrongTypes) {
  expect({
      {"[solver]\nmemory_gb = \"4\"",
       "6:13: [solver] memory_gb: found '4' between quotes, which make it text; expected number, > 0, in GB"},
      {"[solver]\nmax_newton_iterations = 50.0",
       "6:25: [solver] max_newton_iterations: found 50.0; expected integer, >= 1"},
      {"[output]\nevery_step = 1", "6:14: [output] every_step: found 1; expected true or false"},
      {"[output]\nevery_step = 1979-05-27",
       "6:14: [output] every_step: found a date or time; expected true or false"},
      {"[output]\ndir = true",
       "6:7: [output] dir: found true; expected name of a folder relative to the scene file"},
      {"[output]\ncaches = \"pc2\"", "6:10: [output] caches: found 'pc2'; expected list of " + kCaches},
      {"[wind]\nvelocity = [1, 2]",
       "6:12: [wind] velocity: found a list of 2; expected [x, y, z], or [[frame, [x, y, z]], ...] with "
       "ascending "
       "frames, in m/s"},
      {"warp = [0, \"up\", 0]", "5:12: [cloth] warp: found 'up'; expected [x, y, z], not zero"},
      {"material = 3", "5:12: [cloth] material: found 3; expected a table [cloth.material]"},
      {"[[pin]]\nvertices = 3",
       "6:12: [[pin]] vertices: found 3; expected list of different vertex numbers, >= 0"},
      {"[[pin]]\ngroup = [\"a\"]", "6:9: [[pin]] group: found a list of 1; expected " + kGroup},
      {"[pin]\nvertices = [1]", "5:1: pin: found a table; expected [[pin]], once for each"},
      {"[moving_frame]\nair = 0",
       "5:1: [moving_frame] collider: found nothing, but it is required; expected the number of a "
       "[[collider]], counted from 0, or translate or rotate"},
      {"[moving_frame]\ntranslate = [1, 0, 0]\nair = 0",
       "7:7: [moving_frame] air: found 0, which has no effect; expected it only with [wind]"},
      {"[moving_frame]\ntranslate = [1, 0, 0]\npivot = [0, 0, 0]",
       "7:9: [moving_frame] pivot: found a list of 3, which has no effect; expected it only together with "
       "rotate"},
      {"[moving_frame]\ncollider = 0\nrotate = [1, 0, 0]",
       "7:10: [moving_frame] rotate: found collider and rotate; expected at most one of collider, rotate"},
      {"[[crease]]\nangle = 90", "5:1: [[crease]]: found none of edges, group; expected exactly one of them"},
      {"[[crease]]\ngroup = \"g\"\nangle = 180",
       "7:9: [[crease]] angle: found 180; expected number, or [[frame, number], ...] with ascending frames, "
       ">= -179 and <= 179, in degrees"},
      {"[[crease]]\ngroup = \"g\"",
       "5:1: [[crease]] angle: found nothing, but it is required; expected number, or [[frame, number], ...] "
       "with ascending frames, >= -179 and <= 179, in degrees"},
      {"[[wind]]\nlift = 1", "5:1: wind: found a list of 1; expected a table [wind]"},
      {"[[collider]]\nsphere = 1", "6:10: [[collider]] sphere: found 1; expected a table [collider.sphere]"},
  });
}

TEST_F(SceneRefusalTest, NumbersOutOfRange) {
  expect({
      {"[solver]\nmax_newton_iterations = 0",
       "6:25: [solver] max_newton_iterations: found 0; expected integer, >= 1"},
      {"[control]\nknots_every = 2147483647",
       "6:15: [control] knots_every: found 2147483647; expected integer, >= 1 and <= 1000000, in frames"},
      {"[control]\nwindows = {length = 2147483647, overlap = 0}",
       "6:21: [control.windows] length: found 2147483647; expected integer, >= 1 and <= 1000000, in frames"},
      {"[solver]\nmax_newton_iterations = 4294967297",
       "6:25: [solver] max_newton_iterations: found 4294967297, beyond 2147483647; expected integer, >= 1"},
      {"[cloth.material]\ndensity = 0",
       "6:11: [cloth.material] density: found 0; expected number, > 0, in kg/m^2"},
      {"[cloth.material]\nstretch = [1, -2]",
       "6:15: [cloth.material] stretch: found -2; expected [warp, weft] or one number for both, > 0, in N/m"},
      {"[control]\neffort = 0\nsmooth_time = 1",
       "7:15: [control] smooth_time: found 1, which has no effect; expected it only with an effort above "
       "0, of which it is a multiple"},
      {"[control]\nsmooth_time = nan", "6:15: [control] smooth_time: found nan; expected number, >= 0"},
      {"[control]\nmax_acceleration = inf",
       "6:20: [control] max_acceleration: found inf; expected number, > 0, in g"},
      {"[[collider]]\nplane = {point = [0, -inf, 0], normal = [0, 1, 0]}",
       "6:22: [collider.plane] point: found -inf; expected [x, y, z], in m"},
      {"warp = [0, 0.0, 0]", "5:8: [cloth] warp: found [0, 0, 0]; expected [x, y, z], not zero"},
      {"[[pin]]\nvertices = [1, -2]",
       "6:16: [[pin]] vertices: found -2; expected list of different vertex numbers, >= 0"},
  });
}

// Finite all the same, so that somewhere inside they would have become infinite.
TEST_F(SceneRefusalTest, NumbersThatNoShotCanMean) {
  const std::string large = ", beyond 1e+30, which no shot can mean",
                    small = ", below 1e-30, which no shot can mean";
  expect({
      {"[cloth.material]\ndensity = 1e300",
       "6:11: [cloth.material] density: found 1.e+300" + large + "; expected number, > 0, in kg/m^2"},
      {"[cloth.material]\ndensity = 1e-300",
       "6:11: [cloth.material] density: found 1.e-300" + small + "; expected number, > 0, in kg/m^2"},
      {"[[collider]]\nplane = {point = [0, -1e200, 0], normal = [0, 1, 0]}",
       "6:22: [collider.plane] point: found -1.e+200" + large + "; expected [x, y, z], in m"},
      {"warp = [0, 1e-200, 0]",
       "5:8: [cloth] warp: found a direction shorter than 1e-30; expected [x, y, z], not zero"},
      {"[control]\nstrength = 0",
       "6:12: [control] strength: found 0; expected number, or [[frame, number], ...] with ascending frames, "
       "> 0 "
       "and <= 1"},
      {"[solver]\nintegrator = \"bdf\"",
       "6:14: [solver] integrator: found 'bdf'; expected \"newton\" | \"bdf2\" | "
       "\"linearized\" | \"prefactored\" | \"predictor\" | \"descent\" | \"explicit\"; did you mean "
       "\"bdf2\"?"},
      {"[solver]\nrounds = 5",
       "6:10: [solver] rounds: found 5, which has no effect; expected it only with integrator = "
       "\"prefactored\" or \"descent\""},
      {"[solver]\nintegrator = \"descent\"\nrounds_memory = 5",
       "7:17: [solver] rounds_memory: found 5, which has no effect; expected it only with integrator = "
       "\"prefactored\""},
      {"[solver]\nintegrator = \"predictor\"\nscheme = \"rk4\"",
       "7:10: [solver] scheme: found 'rk4', which has no effect; expected it only with integrator = "
       "\"explicit\""},
      {"[contact]\n[solver]\nintegrator = \"descent\"",
       "7:14: [solver] integrator: found 'descent' together with [contact], of which its steps know "
       "nothing; expected \"newton\", \"bdf2\" or \"linearized\", or no [[collider]] and self = false in "
       "[contact]; or method = "
       "\"impulses\" there, or \"penalty\""},
      {"[cloth.material]\nstrain_limit = 0.1\n[solver]\nintegrator = \"explicit\"",
       "8:14: [solver] integrator: found 'explicit' together with a strain_limit, which its steps would go "
       "past unawares; expected \"newton\", \"bdf2\" or \"linearized\", or no strain_limit in "
       "[cloth.material]"},
      {"[control]\ngradient = \"swapped\"\n[solver]\nintegrator = \"bdf2\"",
       "6:12: [control] gradient: found \"swapped\"; expected another one, or [solver] integrator = "
       "\"linearized\", whose steps it takes"},
      {"[control]\ngradient = \"frozen-contact\"\n[solver]\nintegrator = \"linearized\"",
       "6:12: [control] gradient: found \"frozen-contact\"; expected exact or swapped, or another [solver] "
       "integrator than \"linearized\""},
      {"[solver]\nnewton_tolerance = 2",
       "6:20: [solver] newton_tolerance: found 2; expected number, > 0 and <= 0.1"},
  });
  EXPECT_NO_THROW(read(kSmallestScene + "warp = [1, 3.7e-33, 0]\n"));  // what rotations leave behind
}

TEST_F(SceneRefusalTest, Words) {
  expect({
      {"material = \"coton\"",
       "5:12: [cloth] material: found 'coton'; expected " + kFabrics + "; did you mean \"cotton\"?"},
      {"[cloth.material]\npreset = \"lycra\"",
       "6:10: [cloth.material] preset: found 'lycra'; expected " + kFabrics},
      {"[solver]\nlinear = \"pgc\"",
       "6:10: [solver] linear: found 'pgc'; expected \"auto\" | \"direct\" | \"pcg\"; did you mean \"pcg\"?"},
      {"[control]\neffort = \"atuo\"",
       "6:10: [control] effort: found 'atuo'; expected number or \"auto\", >= 0"},
      {"[output]\ncaches = [\"pc2\", \"abc\"]",
       "6:18: [output] caches: found 'abc'; expected list of " + kCaches},
      {"[output]\ncaches = [\"pc2\", \"pc2\"]",
       "6:18: [output] caches: found 'pc2' twice; expected list of " + kCaches},
      {"[[pin]]\ngroup = \"\"", "6:9: [[pin]] group: found an empty text; expected " + kGroup},
      {"[[pin]]\ngroup = \"a\\u0000b\"",
       "6:9: [[pin]] group: found 'a\\x00b', which holds a control character; expected " + kGroup},
  });
}

TEST_F(SceneRefusalTest, Files) {
  expect({
      {"initial = \"gone.obj\"", "5:11: [cloth] initial: found 'gone.obj', but there is no file " +
                                     (folder_ / "gone.obj").string() + "; expected " + kFile +
                                     ", or \"drape\""},
      {"initial = \".\"",
       "5:11: [cloth] initial: found '.', which is a folder; expected " + kFile + ", or \"drape\""},
      {"[[keyframe]]\nframe = 1060\nmesh = \"key.obj\"\nvelocity_weight = 1\nvelocity = \"gone.npy\"",
       "9:12: [[keyframe]] velocity: found 'gone.npy', but there is no file " +
           (folder_ / "gone.npy").string() + "; expected [x, y, z], or " + kFile + ", in m/s"},
  });
}

TEST_F(SceneRefusalTest, FramesAndKeys) {
  const std::string range = "expected \"first-last\" with first < last, inside the shot's frames";
  const std::string digits = ", both from 0 to 9999999 and in digits alone";
  const std::string drag = "expected number, or [[frame, number], ...] with ascending frames, >= 0";
  expect({
      {"[[keyframe]]\nframe = 1061\nmesh = \"key.obj\"",
       "6:9: [[keyframe]] frame: found 1061, outside of 1001-1060; expected integer, inside the shot's "
       "frames"},
      {"[[pin]]\ngroup = \"a\"\nframes = \"1000-1010\"",
       "7:10: [[pin]] frames: found 1000-1010, outside of 1001-1060; " + range},
      {"[control]\nframes = \"1020-1010\"",
       "6:10: [control] frames: found '1020-1010'; " + range + digits + "; did you mean \"1010-1020\"?"},
      {"[control]\nframes = 1020", "6:10: [control] frames: found 1020; " + range},
      {"[wind]\ndrag = [[1002, 1], [1001, 2]]",
       "6:21: [wind] drag: found frame 1001 after frame 1002; " + drag},
      {"[wind]\ndrag = [[1001, 1], [1001, 2]]",
       "6:21: [wind] drag: found frame 1001 after frame 1001; " + drag},
      {"[wind]\ndrag = [[1001, 1], [1002]]", "6:20: [wind] drag: found a list of 1; " + drag},
      {"[wind]\ndrag = [[1001, 1], 2]", "6:20: [wind] drag: found 2; " + drag},
      {"[wind]\ndrag = [[nan, 1]]", "6:10: [wind] drag: found nan; " + drag},
      {"[wind]\ndrag = [[1001, -1]]", "6:16: [wind] drag: found -1; " + drag},
      {"[wind]\ndrag = []", "6:8: [wind] drag: found an empty list; " + drag},
  });
}

TEST_F(SceneRefusalTest, CombinationsInPinsAndSprings) {
  const std::string vertices = "expected list of different vertex numbers, >= 0";
  const std::string pairs = "expected list of [vertex number, another one], >= 0";
  expect({
      {"[[pin]]\nstiffness = 2",
       "5:1: [[pin]]: found none of vertices, group, weights; expected exactly one of them"},
      {"[[pin]]\nvertices = [1]\ngroup = \"a\"",
       "7:9: [[pin]] group: found vertices and group; expected exactly one of vertices, group, weights"},
      {"[[pin]]\ngroup = \"a\"\naxis = [1, 0, 0]\nnormal = [0, 1, 0]",
       "8:10: [[pin]] normal: found axis and normal; expected at most one of axis, normal"},
      {"[[pin]]\ngroup = \"a\"\ndamping = 1",
       "7:11: [[pin]] damping: found 1, which has no effect; expected it only together with stiffness: a "
       "soft pin"},
      {"[[pin]]\ngroup = \"a\"\nstiffness = [[1001, 0], [1010, 0]]",
       "7:13: [[pin]] stiffness: found nothing but 0; expected a number above 0 at some frame, in N/m; or no "
       "such pin"},
      {"[[pin]]\nvertices = []", "6:12: [[pin]] vertices: found an empty list; " + vertices},
      {"[[pin]]\nvertices = [1, 2, 1]", "6:19: [[pin]] vertices: found 1 twice; " + vertices},
      {"[[spring]]\nstiffness = 1",
       "5:1: [[spring]]: found none of pairs, lines; expected exactly one of them"},
      {"[[spring]]\nlines = false\nstiffness = 1",
       "6:9: [[spring]] lines: found false and no pairs; expected lines = true, or pairs"},
      {"[[spring]]\npairs = []\nstiffness = 1", "6:9: [[spring]] pairs: found an empty list; " + pairs},
      {"[[spring]]\npairs = [[1, 1]]\nstiffness = 1",
       "6:10: [[spring]] pairs: found vertex 1 joined to itself; " + pairs},
      {"[[spring]]\npairs = [[1, 2, 3]]\nstiffness = 1",
       "6:10: [[spring]] pairs: found a list of 3; " + pairs},
  });
}

TEST_F(SceneRefusalTest, CombinationsElsewhere) {
  const std::string keyframe = "[[keyframe]]\nframe = 1060\nmesh = \"key.obj\"\n";
  const std::string shapes = "sphere, plane, capsule, box, mesh, vdb";
  expect({
      {"meters_per_uv = 1",
       "5:17: [cloth] meters_per_uv: found 1, which has no effect; expected it only together with rest_shape "
       "= \"uv\""},
      {keyframe + "velocity = [1, 2, 3]",
       "8:12: [[keyframe]] velocity: found a list of 3, which has no effect; expected it only together with "
       "a velocity_weight above 0"},
      {keyframe + "group = \"a\"\nweights = \"map.txt\"",
       "9:11: [[keyframe]] weights: found group and weights; expected at most one of group, weights"},
      {keyframe + "window = \"1040-1050\"",
       "8:10: [[keyframe]] window: found 1040-1050; expected a range that holds frame 1060"},
      {"[control]\ngroup = \"a\"\nweights = \"map.txt\"",
       "7:11: [control] weights: found group and weights; expected at most one of group, weights"},
      {"[[collider]]\nfriction = 1",
       "5:1: [[collider]]: found none of " + shapes + "; expected exactly one of them"},
      {"[[collider]]\nmesh = \"key.obj\"\nvdb = \"body.vdb\"",
       "7:7: [[collider]] vdb: found mesh and vdb; expected exactly one of " + shapes},
      {"[[collider]]\nbox = {min = [0, 0, 0], max = [1, 0, 1]}",
       "6:31: [collider.box] max: found [1, 0, 1]; expected a corner greater than min in x, y and z, in m"},
  });
}

TEST_F(SceneRefusalTest, MissingKeys) {
  const std::string nothing = "found nothing, but it is required; expected ";
  expect({
      {"[[keyframe]]\nframe = 1060",
       "5:1: [[keyframe]]: found none of mesh, surface, landmarks, loop; expected exactly one of them"},
      {"[[track]]\nevery = 2", "5:1: [[track]] cache: " + nothing + kFile},
      {"[[keyframe]]\nmesh = \"key.obj\"",
       "5:1: [[keyframe]] frame: " + nothing + "integer, inside the shot's frames"},
      {"[[spring]]\nlines = true", "5:1: [[spring]] stiffness: " + nothing + "number, > 0, in N/m"},
      {"[[collider]]\nsphere = {radius = 1}",
       "6:10: [collider.sphere] center: " + nothing + "[x, y, z], in m"},
  });
  EXPECT_EQ(refusal(""), "1:1: shot: " + nothing + "table");
  EXPECT_EQ(refusal("[shot]\nframes = \"1-2\"\n"), "1:1: cloth: " + nothing + "table");
  EXPECT_EQ(refusal("\n[shot]\nfps = 2\n"),
            "2:1: [shot] frames: " + nothing + "\"first-last\" with first < last");
  EXPECT_EQ(refusal("[shot]\nframes = \"1-2\"\n[cloth.material]\ndensity = 1\n"),
            "3:1: [cloth] rest: " + nothing + kFile);
}

TEST_F(SceneRefusalTest, ShotNamesThatAreNoFileNames) {
  EXPECT_EQ(refusal("[shot]\nframes = \"1-2\"\nname = \"a/b\"\n"),
            "3:8: [shot] name: found 'a/b'; expected a text without '/' and '\\', as it names files");
  EXPECT_EQ(refusal("[shot]\nframes = \"1-2\"\nname = \"" + std::string(201, 'a') +
                    "\"\n[cloth]\nrest = \"rest.obj\"\n"),
            "1:1: [shot] name: found 201 bytes; expected at most 200, as it names files; by default it is "
            "the scene file's");
}

TEST_F(SceneRefusalTest, NotToml) {
  expect({
      {"[output]\n[output]",
       "6:1: not TOML: Error while parsing table header: cannot redefine existing table 'output'; each "
       "stands once: put them together, or take one away"},
      {"material = \"cotton\"\n[cloth.material]\ndensity = 1",
       "6:1: not TOML: Error while parsing table header: cannot redefine existing string 'cloth.material' as "
       "table; next to [cloth.material], name the fabric inside of it: preset = \"cotton\""},
  });
  EXPECT_EQ(
      refusal("[shot]\nframes = 1001-1024\n"),
      "2:17: not TOML: Error while parsing date: expected '-', saw '2'; ranges of frames and other text "
      "stand in quotes: frames = \"1001-1024\"");
  folder_.write("rest.obj", "v 0 0 0\n");
  EXPECT_THROW(read_scene(folder_ / "rest.obj"), InputError);
  EXPECT_EQ(refusal(kSmallestScene + "initial = \"\xff\"").substr(0, 16), "5:11: not TOML: ");
  EXPECT_EQ(refusal(kSmallestScene + "warp = " + std::string(100'000, '[')).substr(0, 2), "5:");
}

TEST_F(SceneRefusalTest, SceneFilesThatCannotBeRead) {
  EXPECT_THROW(read_scene(folder_ / "gone.toml"), InputError);
  EXPECT_THROW(read_scene(folder_.path()), InputError);
  EXPECT_THROW(read_scene(""), InputError);

  const std::filesystem::path in_latin_1 = folder_.write("sc\xe8ne.toml", kSmallestScene);
  EXPECT_EQ(message_of<InputError>([&] { read_scene(in_latin_1); }),
            in_latin_1.string() +
                ":1:1: [shot] name: found 'sc\\xe8ne'; expected a text in UTF-8; by default it is the "
                "scene file's");

  folder_.write("huge.toml", "");
  std::filesystem::resize_file(folder_ / "huge.toml", kMaxSceneBytes + 1);
  EXPECT_EQ(message_of<InputError>([&] { read_scene(folder_ / "huge.toml"); }),
            (folder_ / "huge.toml").string() +
                ": found 16777217 bytes; expected a scene file of at most 16777216 bytes");
}

}  // namespace
}  // namespace keydrape
