// What is said of words that the command line does not know, and of what it does.

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliUsageTest = CliFolder;

TEST_F(CliUsageTest, AMisspelledCommandOrOptionIsToldTheNearest) {
  const ProgramResult command = run({"smulate", "scene.toml"});
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_TRUE(says(command.err, {"'smulate' is no command; did you mean simulate?"})) << command.err;
  EXPECT_TRUE(says(run({"scene.toml"}).err, {"'scene.toml' is no command; expected one of simulate, drape"}));
  const ProgramResult option = run({"solve", "scene.toml", "--treads", "2"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_TRUE(says(option.err, {"solve has no '--treads'; did you mean --threads?"})) << option.err;
  EXPECT_TRUE(says(run({"solve", "scene.toml", "--dryrun=yes"}).err, {"did you mean --dry-run?"}));
}

TEST_F(CliUsageTest, HelpAndVersionByAnyName) {
  const std::string version = run({"--version"}).out;
  ASSERT_FALSE(version.empty());
  EXPECT_EQ(run({"version"}).out, version);
  EXPECT_EQ(run({"-V"}).out, version);
  const ProgramResult help = run({"help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "solve"}).out, run({"solve", "--help"}).out);
  EXPECT_TRUE(says(run({"help", "solve"}).out, {"--one-window", "--no-report Excludes: --live"}));
}

TEST_F(CliUsageTest, HelpThatCannotBeWrittenIsNoSuccess) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"solve", "--help"}, {"help"}}) {
    const ProgramResult full =
        run(words, [] { ::dup2(::open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO); });
    EXPECT_EQ(full.exit_code, 3) << words[0];
    EXPECT_TRUE(says(full.err, {"error: stdout cannot be written: No space left on device"}));
    const ProgramResult closed = run(words, [] { ::close(STDOUT_FILENO); });
    EXPECT_EQ(closed.exit_code, 3) << words[0];
    EXPECT_TRUE(says(closed.err, {"error: stdout cannot be written: Bad file descriptor"}));
  }
}

TEST_F(CliUsageTest, ErrorsAreJsonWhereJsonIsAskedFor) {
  folder_.write("scene.toml", shot_text() + "[[pin]]\nvertices = [36]\n");
  const ProgramResult bad = run({"simulate", "scene.toml", "--json"});
  EXPECT_EQ(bad.exit_code, 3);
  const nlohmann::json error = nlohmann::json::parse(bad.out)["error"];
  EXPECT_EQ(error["exit_code"], 3);
  EXPECT_EQ(error["kind"], "input");
  EXPECT_EQ(error["file"], "scene.toml");
  EXPECT_EQ(error["line"], 7);
  EXPECT_EQ(error["column"], 12);
  EXPECT_TRUE(says(error["message"], {"found vertex 36"}));
  EXPECT_TRUE(says(bad.err, {"error: scene.toml:7:12"}));
  const ProgramResult usage = run({"slove", "scene.toml", "--json"});
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(nlohmann::json::parse(usage.out)["error"]["kind"], "usage");
  EXPECT_TRUE(says(nlohmann::json::parse(usage.out)["error"]["message"], {"did you mean solve?"}));
  EXPECT_TRUE(run({"simulate", "scene.toml"}).out.empty());
}

// What stands in a name is not the place of a mistake.
TEST_F(CliUsageTest, ANameThatLooksLikeAPlaceIsNone) {
  const ProgramResult bad = run({"info", "x:99999999999:1: y.obj", "--json"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_FALSE(nlohmann::json::parse(bad.out)["error"].contains("line"));
}

TEST_F(CliUsageTest, NumbersAndNamesHaveToBeSome) {
  for (const char* number : {"nan", "inf", "0", "-1", "1e-40"}) {
    const ProgramResult bad = run({"new", "own", "--mesh", "rest.obj", "--meters-per-unit", number});
    EXPECT_EQ(bad.exit_code, 2) << number;
    EXPECT_TRUE(says(bad.err, {"--meters-per-unit", "expected a number from 1e-30 to 1e+30"})) << bad.err;
  }
  EXPECT_EQ(run({"drape", "scene.toml", "--support-radius", "nan"}).exit_code, 2);
  EXPECT_EQ(run({"wedge", "scene.toml", "--memory", "nan"}).exit_code, 2);
  // A variable of a script that is not set.
  const ProgramResult empty = run({"simulate", "scene.toml", "--forces", ""});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_TRUE(says(empty.err, {"--forces", "expected a value"})) << empty.err;
}

// Else the next word would be the value.
TEST_F(CliUsageTest, NothingBehindAnEqualsSignIsNoValue) {
  for (const char* option : {"--output", "--take", "--threads", "--progress"}) {
    const ProgramResult empty = run({"simulate", "scene.toml", std::string(option) + "=", "--quiet"});
    EXPECT_EQ(empty.exit_code, 2) << option;
    EXPECT_TRUE(says(empty.err, {std::string(option) + ": found nothing; expected a value"})) << empty.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "--quiet"));
  EXPECT_TRUE(says(run({"info", "--", "--output="}).err, {"--output=: cannot be read"}));
}

TEST_F(CliUsageTest, WholeNumbersAreDecimal) {
  for (const char* number : {"08", "0010", "+2", "1024"})
    EXPECT_EQ(run({"simulate", "scene.toml", "--dry-run", "--threads", number}).exit_code, 0) << number;
  for (const std::string number :
       {"0x10", "1.5", "1e2", "+-2", "+", " 2", "2 ", "0", "1025", "99999999999"}) {
    const ProgramResult bad = run({"simulate", "scene.toml", "--dry-run", "--threads", number});
    EXPECT_EQ(bad.exit_code, 2) << number;
    EXPECT_TRUE(says(bad.err, {"--threads: found " + number + "; expected a whole number from 1 to 1024"}));
  }
  const auto frame = [&](const char* number) {
    const ProgramResult told =
        run({"strain", "key.obj", "--scene", "scene.toml", "--json", "--frame", number});
    return nlohmann::json::parse(told.out)["frames"][0]["frame"];
  };
  EXPECT_EQ(frame("01003"), 1003);  // octal 515
  EXPECT_EQ(frame("1003"), 1003);
}

TEST_F(CliUsageTest, AChoiceIsOneOfItsWords) {
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& because) {
    const ProgramResult bad = run(words);
    EXPECT_EQ(bad.exit_code, 2) << because;
    EXPECT_TRUE(says(bad.err, {because})) << bad.err;
  };
  for (const std::string axis : {"0", "1", "7", "X", "YZ"})
    refuses({"convert", "rest.obj", "out.obj", "--up-axis", axis},
            "--up-axis: found \"" + axis + "\"; expected Y or Z");
  refuses({"simulate", "scene.toml", "--progress", "2"},
          "--progress: found \"2\"; expected auto, bar, lines or none");
  refuses({"play", "scene.toml", "--step", "2"}, "--step: found \"2\"; expected draft or scene");
  refuses({"new", "d", "--template", "sail"}, "--template: found \"sail\"; expected flag, ");
  refuses({"completion", "csh"}, "shell: found \"csh\"; expected bash, zsh or fish");
  EXPECT_EQ(run({"convert", "rest.obj", "out.obj", "--up-axis", "z"}).exit_code, 0);
}

TEST_F(CliUsageTest, ATemplateHasItsOwnAxisAndUnit) {
  for (const std::vector<std::string>& of_mesh :
       std::vector<std::vector<std::string>>{{"--up-axis", "Z"}, {"--meters-per-unit", "0.01"}}) {
    const ProgramResult refused = run({"new", "d", "--template", "flag", of_mesh[0], of_mesh[1]});
    EXPECT_EQ(refused.exit_code, 2) << of_mesh[0];
    EXPECT_TRUE(says(refused.err, {of_mesh[0] + " requires --mesh"})) << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d"));
}

TEST_F(CliUsageTest, QuietShowsNoProgress) {
  const std::vector<std::string> simulate = {"simulate", "scene.toml", "--progress", "lines"};
  EXPECT_TRUE(says(run(simulate).err, {"progress "}));
  std::vector<std::string> quiet = simulate;
  quiet.emplace_back("--quiet");
  EXPECT_EQ(run(quiet).err, "");
}

TEST_F(CliUsageTest, ExplainsTheValueOfAKey) {
  const ProgramResult result = run({"explain", "cotton"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.out, {"[cloth.material] preset", "cotton", "0.104 kg/m^2", "0.18 mm thick"}))
      << result.out;
  EXPECT_FALSE(says(result.out, {"0.083 kg/m^2"})) << "silk";
  EXPECT_EQ(run({"explain", "\"cotton\""}).out, result.out);
  EXPECT_TRUE(says(run({"explain", "preset"}).out, {"0.104 kg/m^2", "0.083 kg/m^2"}));
  EXPECT_TRUE(says(run({"explain", "bdf2"}).out, {"[solver] integrator"}));
  EXPECT_TRUE(says(run({"explain", "density"}).out, {"usual", "0.003 to 20"}));
}

TEST_F(CliUsageTest, InfoOfARunSaysWhatItCameTo) {
  ASSERT_EQ(run({"solve", "scene.toml", "-o", "out", "--no-report"}).exit_code, 0);
  const ProgramResult result = run({"info", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(says(result.out, {"status     done", "36 vertices", "frame 1006: ",
                                "20 mm are allowed: reached", "peak ", "keydrape report out"}))
      << result.out;
  EXPECT_EQ(nlohmann::json::parse(run({"info", "out", "--json"}).out), read_json("out/summary.json"));
  for (const char* text : {"{\"keyframes\": [1, {\"reached\": 3}]}", "{\"effort\": [], \"time_s\": 3}"}) {
    folder_.write("out/summary.json", text);  // of somebody else
    EXPECT_EQ(run({"info", "out"}).exit_code, 0) << text;
  }
  // Takes beside each other: the newest.
  ASSERT_EQ(run({"simulate", "scene.toml"}).exit_code, 0);
  const ProgramResult latest = run({"info", "scene_out"});
  EXPECT_EQ(latest.exit_code, 0) << latest.err;
  EXPECT_TRUE(says(latest.out, {"status     done", "1 forward simulation in "})) << latest.out;
  EXPECT_FALSE(says(latest.out, {"forces"}));
  std::filesystem::copy(folder_ / "scene_out", folder_ / "copied_out",
                        std::filesystem::copy_options::recursive);
  EXPECT_TRUE(says(run({"info", "copied_out"}).out, {"latest", "status     done"})) << "links followed";
  ASSERT_EQ(run({"simulate", "scene.toml"}).exit_code, 0);
  std::filesystem::remove_all(folder_ / "scene_out/take_002");
  EXPECT_TRUE(says(run({"info", "scene_out"}).out, {"take_001"})) << "`latest` leads nowhere";
  const ProgramResult none = run({"info", "."});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_TRUE(says(none.err, {"is a folder without a run"}));
}

TEST_F(CliUsageTest, AFrameOfACacheByWord) {
  const std::string wind = "[wind]\nvelocity = [0, 0, 4]\n";
  folder_.write("free.toml", shot_text() + pin_text() + wind);
  ASSERT_EQ(run({"simulate", "free.toml", "-o", "free"}).exit_code, 0);
  const auto plan = [&](const std::string& mesh) {
    folder_.write("other.toml", shot_text() + pin_text() + wind +
                                    "[[keyframe]]\nframe = 1006\ntolerance = 0.02\nmesh = \"" + mesh +
                                    "\"\n");
    return run({"solve", "other.toml", "-o", "out", "--no-report", "--force", "--quiet"});
  };
  const ProgramResult last = plan("free/simulated.pc2@last");
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_LT(read_json("out/summary.json")["keyframes"][0]["uncontrolled_rms_m"], 1e-6);
  EXPECT_EQ(plan("free/simulated.pc2@first").exit_code, 0);
  EXPECT_GT(read_json("out/summary.json")["keyframes"][0]["uncontrolled_rms_m"], 1e-2);
  const ProgramResult other = plan("free/simulated.pc2@end");
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(says(other.err, {"free/simulated.pc2@end", "expected a frame behind the @, first or last"}));
}

}  // namespace
}  // namespace keydrape
