// Scenes that are not TOML: where, and what was probably meant.

#include "tests/io/cli/hostile/hostile_scene.h"

namespace keydrape {
namespace {

using CliHostileSyntaxTest = CliHostileTest;

TEST_F(CliHostileSyntaxTest, AreRefused) {
  refused({
      {"rest = \"rest.obj\"", "rest = \"rest.obj", "5:8", "end it in the same line: rest = \"..\""},
      {"frames = \"1001-1006\"", "frames = \"1001-1006", "2:10", "end it in the same line: frames = \"..\""},
      {"rest = \"rest.obj\"", "rest = rest.obj\"", "5:8", "the text has no opening quote"},
      {"rest = \"rest.obj\"", "rest = rest.obj", "5:8", "text stands between quotes: \"rest.obj\""},
      {"rest = \"rest.obj\"", "rest = “rest.obj”", "5:8", "text stands between straight quotes: \""},
      {"frames = \"1001-1006\"", "frames = 1001-1006", "2:17",
       "ranges of frames and other text stand in quotes: frames = \"1001-1024\""},
      {"tolerance = 0.02", "tolerance = 0,02", "11:14", "a number has a decimal point, not a comma: 0.02"},
      {"", "[contact]\nself = yes\n", "13:8", "write true"},
      {"", "[contact]\nself = True\n", "13:8", "write true"},
      {"", "[contact]\nself = on\n", "13:8", "write true"},
      {"substeps = 2", "substeps 2", "3:10", "write key = value"},
      {"substeps = 2", "substeps: 2", "3:9", "write key = value, not key: value"},
      {"substeps = 2", "substeps =", "3:11", "give it a value, or put # in front of the line"},
      {"substeps = 2", "substeps = 2;", "3:13", "nothing stands at the end of a line: leave the ; away"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0, 1, 2", "7:12", "end it: [0, 1, 2]"},
      {"[cloth]", "[cloth", "4:7", "close the name of the table: [shot], and [[pin]] with two brackets"},
      {"[[keyframe]]", "[[keyframe]", "8:12",
       "close the name of the table: [shot], and [[pin]] with two brackets"},
      {"substeps = 2", "substeps = 2\nsubsteps = 4", "4:12",
       "each stands once: put them together, or take one away"},
      {"", "[shot]\nfps = 25\n", "12:1", "each stands once: put them together, or take one away"},
      {"rest = \"rest.obj\"", "rest = \"C:\\meshes\\rest.obj\"", "5:12",
       "\\ begins a special character: in names of files write /, or the name between single quotes"},
      {"substeps = 2", "substeps = 2 // two", "3:14", "a comment begins with #"},
      {"tolerance = 0.02", "tolerance = .02", "11:13", "a digit stands before the point: 0.02"},
      {"tolerance = 0.02", "tolerance = 2.", "11:15", "a digit stands behind the point: 2.0"},
      {"tolerance = 0.02", "tolerance = 2mm", "11:14",
       "a number stands without its unit: 2, in the unit that keydrape explain names"},
      {"tolerance = 0.02", "tolerance = 2%", "11:14",
       "a number stands without its unit: 2, in the unit that keydrape explain names"},
      {"frame = 1006", "frame = 01006", "9:14", "a number has no zeros in front: 1006"},
      {"tolerance = 0.02", "tolerance = 20/1000", "11:15", "TOML does no arithmetic"},
      {"tolerance = 0.02", "tolerance = None", "11:13",
       "to leave a key at its default, take its line away, or put # in front of it"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = (0, 1)", "7:12", "a list stands in brackets: [0, 1, 2]"},
      {"vertices = [0, 1, 2, 3, 4, 5]", "vertices = [0 1 2]", "7:15",
       "a comma stands between the values of a list"},
  });
}

TEST_F(CliHostileSyntaxTest, WholeFiles) {
  refused("", "1:1", "shot: found nothing, but it is required");
  refused("# nothing\n", "1:1", "shot: found nothing, but it is required");
  refused("{\"shot\": {\"frames\": \"1-2\"}}", "1:1", "this looks like JSON");
  refused("shot:\n  frames: 1-2\n", "1:5", "write key = value, not key: value");
  refused(std::string("\0\1\2\xff", 4), "1:3", "save the file as UTF-8");
  refused("[shot]\nframes = \"1-2\"\n[cloth]\nrest = \"r\xe9st.obj\"\n", "4:9", "save the file as UTF-8");
}

}  // namespace
}  // namespace keydrape
