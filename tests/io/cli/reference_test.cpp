#include <fmt/format.h>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliReferenceTest = CliFolder;

TEST_F(CliReferenceTest, ExplainsAKey) {
  const ProgramResult result = run({"explain", "substeps"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(
      says(result.out, {"[shot] substeps", "time steps in a frame", "integer", ">= 1", "4", "raise"}));
  const nlohmann::json keys = nlohmann::json::parse(run({"explain", "friction", "--json"}).out);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[1]["table"], "contact");
  EXPECT_EQ(keys[1]["default"], "0");
}

TEST_F(CliReferenceTest, ListsAllKeysWithoutOne) {
  const ProgramResult result = run({"explain"});
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_TRUE(says(result.out, {"[shot]", "[[pin]]", "[cloth.material]", "newton_tolerance"}));
}

TEST_F(CliReferenceTest, HelpSaysWhatForceReplaces) {
  const std::vector<std::pair<std::string, std::string>> said = {
      {"solve", "replace the results of a finished run, without -o and --take those of the latest"},
      {"new", "replace shot.toml and the meshes in DIR"},
      {"relax", "replace OUT, if there is such a file"},
      {"drape", "replace drape.obj and drape.json"},
      {"wedge", "remove the results of the wedge in DIR"},
      {"info", "without effect here"}};
  for (const auto& [command, words] : said) {
    const std::string help = run({"help", command}).out;
    EXPECT_TRUE(says(help.substr(help.find("--force")), {words})) << command;
  }
}

TEST_F(CliReferenceTest, RefusesAnUnknownKeyWithTheNearest) {
  const ProgramResult result = run({"explain", "wieght"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"\"wieght\"", "did you mean", "weight"}));
  EXPECT_TRUE(result.out.empty());
}

TEST_F(CliReferenceTest, TheManPageHoldsCommandsOptionsAndKeys) {
  const ProgramResult result = run({"reference", "--man"});
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_TRUE(says(result.out, {".TH KEYDRAPE 1", "keydrape convert", "\\-\\-resume", "\\fBsubsteps\\fR",
                                ".SH EXIT STATUS"}));
}

TEST_F(CliReferenceTest, BashCompletesCommandsOptionsWordsFilesAndKeys) {
  folder_.write("keydrape.bash", run({"completion", "bash"}).out);
  folder_.write("try.bash", R"(source ./keydrape.bash
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keydrape; echo "${COMPREPLY[*]}"; }
try keydrape sol
try keydrape solve --res
try keydrape solve --progress li
try keydrape solve sc
try keydrape explain thick
)");
  const std::string command = fmt::format("cd {} && bash try.bash > completed 2>&1", folder_.path().string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(folder_.read("completed"), "solve\n--resume\nlines\nscene.toml\nthickness\n");
}

TEST_F(CliReferenceTest, OtherShellsGetEveryCommand) {
  for (const std::string shell : {"zsh", "fish"}) {
    const ProgramResult result = run({"completion", shell});
    ASSERT_EQ(result.exit_code, 0);
    EXPECT_TRUE(
        says(result.out, {"simulate", "solve", "play", "convert", "explain", "no-report", "thickness"}));
  }
  EXPECT_EQ(run({"completion", "csh"}).exit_code, 2);
}

}  // namespace
}  // namespace keydrape
