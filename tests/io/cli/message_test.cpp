#include <algorithm>

#include "io/file/printable.h"
#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

// Names of files, and words in them, may hold any byte: what the program says of them is text all the same.
class CliMessageTest : public CliFolder {
 protected:
  // What stands on stderr, which is UTF-8 without control characters.
  static std::string message(const ProgramResult& result) {
    EXPECT_TRUE(is_utf8(result.err)) << printable(result.err);
    for (const char c : result.err) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int{c};
    return result.err;
  }
};

const std::string kBytes("\xff\0\x1b[31m", 7);  // not UTF-8, NUL and the colour red
const std::string kShown = "\\xff\\x00\\x1b[31m";

TEST_F(CliMessageTest, WordsOfMeshesAreEscaped) {
  folder_.write("bad.obj", "v 0 0 " + kBytes + "\n");
  folder_.write("bad.ply", "ply\nformat ascii 1.0\nelement " + kBytes + " 3\nend_header\n");
  folder_.write("bad.usda", "#usda 1.0\n" + kBytes + "\n");
  for (const char* name : {"bad.obj", "bad.ply", "bad.usda"}) {
    const ProgramResult result = run({"info", name});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(says(message(result), {name, "\\xff"})) << name;
  }
  EXPECT_TRUE(says(message(run({"info", "bad.obj"})), {"'" + kShown + "'"}));
}

TEST_F(CliMessageTest, TextOfScenesIsEscaped) {
  for (const std::string& line :
       {kBytes + " = 1\n", "name = \"" + kBytes + "\"\n", "[shot]\n" + kBytes + "\n",
        std::string("[shot]\nname = \"\\u001b[31m\\u0007/\"\n"), std::string("\"\\u001b[31m\" = 3\n")}) {
    folder_.write("scene.toml", line);
    const ProgramResult result = run({"check", "scene.toml"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(says(message(result), {"scene.toml"}));
  }
}

TEST_F(CliMessageTest, NamesOfGroupsAreEscaped) {
  const std::string name = "L\xe4nge\x1b[2J";
  folder_.write("rest.obj", sheet() + "g " + name + "\np 1\n");
  folder_.write("scene.toml", shot_text() + "[[pin]]\ngroup = \"waist\"\n");
  const ProgramResult result = run({"simulate", "scene.toml"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(message(result), {"'waist' does not exist", "'L\\xe4nge\\x1b[2J'"}));
  EXPECT_EQ(run({"info", "rest.obj"}).out.find('\x1b'), std::string::npos);
}

TEST_F(CliMessageTest, NamesOfFilesAreEscaped) {
  const std::string name = "Ma\xdf\x1b[1m.obj";
  EXPECT_TRUE(says(message(run({"info", name})), {"Ma\\xdf\\x1b[1m.obj"}));
  EXPECT_TRUE(says(message(run({"info", "a.\xff"})), {"a.\\xff", "there is no such file"}));
  folder_.write(name, sheet() + "vp 0\n");  // with a warning that names the file
  const ProgramResult result = run({"info", name, "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(says(message(result), {"Ma\\xdf\\x1b[1m.obj", "left out"}));
  EXPECT_TRUE(says(nlohmann::json::parse(result.out)["warnings"][0], {"Ma\\xdf\\x1b[1m.obj"}));
}

TEST_F(CliMessageTest, OptionsAreEscaped) {
  const ProgramResult result = run({"info", "rest.obj", "--\xff\x1b[1m"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(says(message(result), {"\\xff\\x1b[1m"}));
}

// Names of files stand in the records of a run, which are JSON.
TEST_F(CliMessageTest, FilesOfAnyNameCanBeReplayed) {
  const std::string name =
      "Kr\xe4"
      "fte.npy";
  NpyWriter writer(folder_ / name, {kSide * kSide, 3});
  for (int f = 0; f < 6; ++f) writer.append(VecX::Zero(3 * kSide * kSide));
  writer.commit();
  folder_.write("scene.toml", shot_text() + pin_text());
  const ProgramResult result = run({"simulate", "scene.toml", "--forces", name, "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << message(result);
}

}  // namespace
}  // namespace keydrape
