// Files that are not there, are of another format, are damaged or do not fit: with the line that names them.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

class CliHostileFilesTest : public CliHostileTest {
 protected:
  CliHostileFilesTest() { write_files(); }
};

TEST_F(CliHostileFilesTest, TheMeshAtRest) {
  refused({
      {"rest = \"rest.obj\"", "rest = \"rest.ob\"", "5:8", "did you mean \"rest.obj\"?"},
      {"rest = \"rest.obj\"", "rest = \"Rest.obj\"", "5:8", "did you mean \"rest.obj\"?"},
      {"rest = \"rest.obj\"", "rest = \"rset.obj\"", "5:8", "did you mean \"rest.obj\"?"},
      {"rest = \"rest.obj\"", "rest = \"meshes/rest.obj\"", "5:8", "there is no folder \""},
      {"rest = \"rest.obj\"", "rest = \".\"", "5:8",
       "expected name of an existing file relative to the scene file"},
      {"rest = \"rest.obj\"", "rest = \"a.abc\"", "5:8",
       "import it in Blender, Houdini or Maya, and export motion as .usda or as a sequence"},
      {"rest = \"rest.obj\"", "rest = \"a.fbx\"", "5:8",
       "import it in Blender, Houdini or Maya, and export a mesh as .obj, motion as .usda or as a"},
      {"rest = \"rest.obj\"", "rest = \"a.glb\"", "5:8", "convert the cache that it was made from"},
      {"rest = \"rest.obj\"", "rest = \"a.gltf\"", "5:8",
       "open it in the program that made it, and export a mesh as .obj, motion as .usda or as a"},
      {"rest = \"rest.obj\"", "rest = \"a.blend\"", "5:8",
       "export it in Blender as .obj with vertex groups, or use the add-on"},
      {"rest = \"rest.obj\"", "rest = \"a.usd\"", "5:8",
       "make text of it: usdcat IN -o OUT.usda, or export USD as ASCII"},
      {"rest = \"rest.obj\"", "rest = \"a.usdc\"", "5:8",
       "make text of it: usdcat IN -o OUT.usda, or export USD as ASCII"},
      {"rest = \"rest.obj\"", "rest = \"a.stl\"", "5:8",
       "merge its vertices by distance in a modelling program, and export it as .obj"},
      {"rest = \"rest.obj\"", "rest = \"a.txt\"", "5:8", "export it as one of them"},
      {"rest = \"rest.obj\"", "rest = \"noext\"", "5:8", "export it as one of them"},
      {"rest = \"rest.obj\"", "rest = \"a.vtp\"", "5:8", "convert the cache that it was made from"},
      {"rest = \"rest.obj\"", "rest = \"broken.obj\"", "5:8", "correct this line or export again"},
      {"rest = \"rest.obj\"", "rest = \"empty.obj\"", "5:8",
       "check that the export was complete and that this is an OBJ file"},
      {"rest = \"rest.obj\"", "rest = \"png.obj\"", "5:8",
       "correct the keyword (lower case), or put # in front of the line"},
      {"rest = \"rest.obj\"", "rest = \"points.obj\"", "5:8", "cloth needs at least one"},
      {"rest = \"rest.obj\"", "rest = \"loose.obj\"", "5:8", "delete loose vertices"},
      {"rest = \"rest.obj\"", "rest = \"c.pc2\"", "5:8", "choose it, as in c.pc2@1001"},
      {"rest = \"rest.obj\"", "rest = \"nonmani.obj\"", "5:8", "split the mesh there"},
      {"rest = \"rest.obj\"", "rest = \"flat.obj\"", "5:8", "merge its vertices by distance, or remove it"},
      {"rest = \"rest.obj\"", "rest = \"trunc.npy\"", "5:8", "save it again with numpy.save"},
      {"rest = \"rest.obj\"", "rest = \"scene.toml\"", "5:8", "name the mesh itself"},
      {"rest = \"rest.obj\"", "rest = \"seq.####.obj\"", "5:8", "choose it, as in name.####.obj@1030"},
      {"rest = \"rest.obj\"", "rest = \"\"", "5:8",
       "expected name of an existing file relative to the scene file"},
  });
}

TEST_F(CliHostileFilesTest, PosesAndMotion) {
  refused({
      {"mesh = \"key.obj\"", "mesh = \"kye.obj\"", "10:8", "did you mean \"key.obj\"?"},
      {"mesh = \"key.obj\"", "mesh = \"Key.obj\"", "10:8", "did you mean \"key.obj\"?"},
      {"mesh = \"key.obj\"", "mesh = \"a.abc\"", "10:8",
       "import it in Blender, Houdini or Maya, and export motion as .usda or as a sequence"},
      {"mesh = \"key.obj\"", "mesh = \"a.fbx\"", "10:8",
       "import it in Blender, Houdini or Maya, and export a mesh as .obj, motion as .usda or as a"},
      {"mesh = \"key.obj\"", "mesh = \"broken.obj\"", "10:8", "correct this line or export again"},
      {"mesh = \"key.obj\"", "mesh = \"empty.obj\"", "10:8",
       "check that the export was complete and that this is an OBJ file"},
      {"mesh = \"key.obj\"", "mesh = \"other.obj\"", "10:8",
       "export both from one mesh, without modifiers that add, merge or reorder vertices"},
      {"mesh = \"key.obj\"", "mesh = \"reorder.obj\"", "10:8",
       "export both from one mesh, without modifiers that add, merge or reorder vertices"},
      {"mesh = \"key.obj\"", "mesh = \"cm.obj\"", "10:8", "export both in one unit, and without scale"},
      {"mesh = \"key.obj\"", "mesh = \"c.pc2\"", "10:8", "choose it, as in c.pc2@1001"},
      {"mesh = \"key.obj\"", "mesh = \"c.pc2@1030\"", "10:8", "choose one of them behind the @"},
      {"mesh = \"key.obj\"", "mesh = \"c.pc2@\"", "10:8",
       "expected a frame behind the @, first or last: \"c.pc2@1006\" or \"c.pc2@last\""},
      {"mesh = \"key.obj\"", "mesh = \"cc.pc2@1006\"", "10:8", "did you mean \"c.pc2\"?"},
      {"mesh = \"key.obj\"", "mesh = \"cc.pc2@last\"", "10:8", "did you mean \"c.pc2\"?"},
      {"mesh = \"key.obj\"", "mesh = \"pts.pc2@1006\"", "10:8",
       "export both from one mesh, without modifiers that add, merge or reorder vertices"},
      {"mesh = \"key.obj\"", "mesh = \"cut.pc2@1006\"", "10:8",
       "it was cut off or something was added: export it again"},
      {"mesh = \"key.obj\"", "mesh = \"nope.####.obj\"", "10:8", "choose it, as in name.####.obj@1030"},
      {"mesh = \"key.obj\"", "mesh = \"a.txt\"", "10:8", "export it as one of them"},
      {"mesh = \"key.obj\"", "mesh = \"rest.obj@1006\"", "10:8", "choose one of them behind the @"},
      {"mesh = \"key.obj\"", "mesh = \"trunc.npy\"", "10:8", "save it again with numpy.save"},
      {"mesh = \"key.obj\"", "mesh = \"c.pc2@1006.5\"", "10:8",
       "expected a frame behind the @, first or last: \"c.pc2@1006\" or \"c.pc2@last\""},
      {"mesh = \"key.obj\"", "mesh = \"c.pc2@f1006\"", "10:8",
       "expected a frame behind the @, first or last: \"c.pc2@1006\" or \"c.pc2@last\""},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"few.pc2\"", "8:10",
       "export the whole range"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"pts.pc2\"", "8:10",
       "export it from this very mesh"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"pins.pc2\"", "8:10",
       "did you mean \"pts.pc2\"?"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"cut.pc2\"", "8:10",
       "it was cut off or something was added: export it again"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"rest.obj\"", "8:10",
       "export the whole range"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"c.pc2@1006\"", "8:10",
       "leave out the @ and what follows"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"seq.####.obj\"", "8:10",
       "did you mean \"seq.1001.obj\"?"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2, 3, 4, 5]\nmotion = \"a.abc\"", "8:10",
       "import it in Blender, Houdini or Maya, and export motion as .usda or as a sequence"},
  });
}

TEST_F(CliHostileFilesTest, OtherFiles) {
  refused({
      {"", "[cloth.material]\nwarp_curve = \"w.csv\"\nweft_curve = \"w.csv\"\n", "13:14",
       "expected name of an existing file relative to the scene file"},
      {"", "[cloth.material]\nwarp_curve = \"word.txt\"\nweft_curve = \"word.txt\"\n", "13:14",
       "write one point of the curve in each line"},
      {"", "[control]\nrelative_to = \"forces.npy\"\n", "13:15",
       "expected name of an existing file relative to the scene file"},
      {"", "[control]\nrelative_to = \"trunc.npy\"\n", "13:15", "save it again with numpy.save"},
      {"", "[control]\nrelative_to = \"c.pc2\"\n", "13:15", "save it with numpy.save"},
      {"", "[[collider]]\nmesh = \"bdy.obj\"\n", "13:8", "did you mean \"key.obj\"?"},
      {"", "[[collider]]\nmesh = \"key.obj\"\nas = \"volume\"\n", "12:1", "has no inside"},
      {"", "[[collider]]\nmesh = \"broken.obj\"\n", "13:8", "correct this line or export again"},
      {"", "[[collider]]\nmesh = \"a.fbx\"\n", "12:1",
       "import it in Blender, Houdini or Maya, and export a mesh as .obj, motion as .usda or as a"},
      {"", "[[collider]]\nvdb = \"a.txt\"\n", "12:1", "export or copy it again"},
      {"", "[[collider]]\nvdb = \"b.vdb\"\n", "13:7",
       "expected name of an existing file relative to the scene file"},
      {"", "[[collider]]\nmesh = \"key.obj\"\nmotion = \"pts.pc2\"\n", "14:10",
       "export it from this very mesh"},
      {"", "[[track]]\ncache = \"trck.pc2\"\n", "13:9", "did you mean \"c.pc2\"?"},
      {"", "[[track]]\ncache = \"few.pc2\"\n", "13:9", "export the whole range"},
      {"", "[[keyframe]]\nframe = 1005\nmesh = \"key.obj\"\nvelocity_weight = 1\nvelocity = \"trunc.npy\"\n",
       "16:12", "save it again with numpy.save"},
  });
}

TEST_F(CliHostileFilesTest, AreWarnedOf) {
  warned({
      {"mesh = \"key.obj\"", "mesh = \"st.obj\"", "10:8",
       "pose them where the pins are, or leave them out by group or weights"},
  });
}

}  // namespace
}  // namespace keydrape
