// Groups, vertices and weights that the mesh has not.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

class CliHostileSelectionsTest : public CliHostileTest {
 protected:
  CliHostileSelectionsTest() { write_files(); }
};

TEST_F(CliHostileSelectionsTest, AreRefused) {
  refused({
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [36]", "7:12", "count vertices from 0"},
      {"", "[control]\ngroup = \"sleeve\"\n", "13:9",
       "Blender exports vertex groups with Geometry: Vertex Groups, and painted weights need none"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"short.txt\"", "7:11", "use one form for the whole file"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"zero.txt\"", "7:11",
       "paint the vertices that are meant"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"high.txt\"", "7:11", "scale or clamp the weights"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"word.txt\"", "7:11",
       "correct this line or export again"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"neg.txt\"", "7:11", "scale or clamp the weights"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"wieghts.txt\"", "7:11",
       "expected name of an existing file relative to the scene file"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"trunc.npy\"", "7:11", "save it again with numpy.save"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"rest.obj\"", "7:11",
       "correct this line or export again"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "weights = \"png.obj\"", "7:11", "correct this line or export again"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "group = \"tpo\"", "7:9", "did you mean 'top'?"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "group = \"Top\"", "7:9", "did you mean 'top'?"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "group = \"\"", "7:9",
       "expected name of a vertex group of the rest mesh"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "group = \"waist\"", "7:9",
       "Blender exports vertex groups with Geometry: Vertex Groups, and painted weights need none"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "group = \"top \"", "7:9", "did you mean 'top'?"},
      {"mesh = \"key.obj\"", "landmarks = [[36, 0, 0, 0]]", "10:13", "expected 0 to 35, counted from 0"},
      {"mesh = \"key.obj\"", "landmarks = [[35, 0, 0, 0], [35, 1, 0, 0]]", "10:13",
       "expected each vertex once"},
      {"", "[[keyframe]]\nframe = 1005\nmesh = \"key.obj\"\ngroup = \"hme\"\n", "15:9",
       "did you mean 'hem'?"},
      {"", "[[control.channel]]\nkind = \"pin\"\npin = 5\n", "14:7",
       "the scene has 1 [[pin]], counted from 0"},
      {"", "[[spring]]\npairs = [[0, 99]]\nstiffness = 1\n", "13:9", "count vertices from 0"},
      {"", "[[spring]]\nlines = true\nstiffness = 1\n", "12:1", "draw them, or give pairs"},
      {"rest = \"rest.obj\"", "rest = \"rest.obj\"\nrest_shape = \"uv\"", "4:1",
       "export UVs, or use the mesh itself as rest shape"},
  });
}

}  // namespace
}  // namespace keydrape
