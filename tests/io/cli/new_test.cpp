#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "io/formats/obj.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

using CliNewTest = CliFolder;

TEST_F(CliNewTest, EveryTemplateIsAShotThatIsReadAndMeasured) {
  for (const std::string name : {"flag", "skirt", "cape"}) {
    const ProgramResult made = run({"new", name, "--template", name});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.out, name + "/shot.toml\n");
    const ProgramResult plan = run({"solve", name + "/shot.toml", "--dry-run", "--json"});
    ASSERT_EQ(plan.exit_code, 0) << plan.err;
    EXPECT_FALSE(says(plan.err, {"warning"})) << plan.err;
    const nlohmann::json json = nlohmann::json::parse(plan.out);
    EXPECT_EQ(json["keyframes"].size(), 1u);
    EXPECT_EQ(json["time_steps"], 46);
    EXPECT_GT(json["unknowns"]["search"], 1000);
    EXPECT_GT(json["time_s"]["total"], json["time_s"]["forward_run"]);
    EXPECT_FALSE(std::filesystem::exists(folder_ / (name + "/shot_out")));
  }
}

// What it says comes next is what a shell understands.
TEST_F(CliNewTest, NamesTheNextCommandAsAShellTakesIt) {
  EXPECT_TRUE(says(run({"new", "a flag"}).err, {"next: keydrape solve 'a flag/shot.toml'"}));
  EXPECT_TRUE(says(run({"new", "flag"}).err, {"next: keydrape solve flag/shot.toml"}));
}

// Only a comment sign keeps the other keys from being set: each line without it is TOML that
// the reader takes.
TEST_F(CliNewTest, CommentedKeysAreKeysWithTheirDefaults) {
  run({"new", "flag"});
  std::istringstream lines(folder_.read("flag/shot.toml"));
  std::string text;
  int uncommented = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool has_default = line.starts_with("# ") && line.find(" = ") != std::string::npos &&
                             line.find("=  ") == std::string::npos &&
                             line.find("velocity =") == std::string::npos;
    uncommented += has_default;
    text += (has_default ? line.substr(2) : line) + "\n";
  }
  EXPECT_GT(uncommented, 12);
  // What has no effect by itself is refused, as it should be, and is no default to be set.
  for (const char* key : {"\ndamping = 0 ", "\nmax_angle = ", "\neven = ", "\ncoarse_levels = "}) {
    const std::size_t place = text.find(key);
    ASSERT_NE(place, std::string::npos) << key;
    text.insert(place + 1, "# ");
  }
  folder_.write("flag/shot.toml", text);
  const ProgramResult plan = run({"simulate", "flag/shot.toml", "--dry-run"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_TRUE(says(plan.out, {"247 vertices", "46 time steps", "estimated by", "16 steps"}));
}

// Everything that stands as a comment is there to be used: with the # away and a pose, it is a shot to solve.
TEST_F(CliNewTest, OwnMeshGetsItsEdgesAsGroupsAndAPlaceForAKeyframe) {
  const ProgramResult made = run({"new", "own", "--mesh", "rest.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(says(made.err, {"keydrape simulate own/shot.toml"}));
  std::string text = folder_.read("own/shot.toml");
  EXPECT_TRUE(says(text, {"0.25 x 0.25 x 0 m large", "cloth (36 about [", "edge1 (20 about [",
                          "upper_edge (6 about [", "group = \"upper_edge\""}))
      << text;
  EXPECT_EQ(run({"simulate", "own/shot.toml", "--dry-run"}).exit_code, 0);

  folder_.write("own/pose.1024.obj", swung_sheet(0.2));
  for (const std::string line : {"[[keyframe]]", "frame = 1024", "mesh = \"pose", "tolerance = "}) {
    const std::size_t at = text.find("\n# " + line);
    ASSERT_NE(at, std::string::npos) << line;
    text.erase(at + 1, 2);
  }
  folder_.write("own/shot.toml", text);
  const ProgramResult plan = run({"solve", "own/shot.toml", "--dry-run", "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(nlohmann::json::parse(plan.out)["keyframes"][0]["frame"], 1024);
}

// One line each, with the key that says otherwise.
TEST_F(CliNewTest, SaysWhatItTakesForGranted) {
  const ProgramResult made = run({"new", "own", "--mesh", "rest.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(says(
      made.err, {"units: 0.25 x 0.25 x 0 m, if a unit of the mesh is 1 m", "meters_per_unit in [shot]",
                 "up: Y; if it is Z, change up_axis in [shot]", "front: it is wide along X and faces Z",
                 "[wind] velocity", "pins: upper_edge, 6 vertices (there are also cloth, edge1)",
                 "group in [[pin]]", "contact: of the cloth with itself is on", "self = false in [contact]"}))
      << made.err;
  EXPECT_TRUE(says(folder_.read("own/shot.toml"), {"[contact]\nself = true"}));
  // What lies has no front.
  folder_.write("lying.obj", sheet([](double&, double& y, double& z) { std::swap(y, z); }));
  const ProgramResult lying = run({"new", "lying", "--mesh", "lying.obj"});
  EXPECT_TRUE(says(lying.err, {"up: Y, along which the mesh is flat"})) << lying.err;
  EXPECT_FALSE(says(lying.err, {"front: "})) << lying.err;
}

// What a program that writes scenes by itself takes over.
TEST_F(CliNewTest, SaysItAsJsonToo) {
  folder_.write("lying.obj", sheet([](double&, double& y, double& z) { std::swap(y, z); }));  // Z is up
  const ProgramResult made = run(
      {"new", "own", "--mesh", "lying.obj", "--up-axis", "Z", "--meters-per-unit", "2", "--json", "--quiet"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const nlohmann::json json = nlohmann::json::parse(made.out);
  EXPECT_EQ(json["scene"], "own/shot.toml");
  EXPECT_TRUE(says(json["remarks"][0], {"units: 0.5 x 0 x 0.5 m"}));
  nlohmann::json tables;
  for (const nlohmann::json& each : json["tables"]) tables[each["table"]] = each["keys"];
  EXPECT_EQ(tables["shot"]["up_axis"], "Z");
  EXPECT_EQ(tables["cloth.material"]["preset"], "wool");
  EXPECT_EQ(tables["cloth.material"]["stretch"], (std::vector<double>{900, 850}));
  EXPECT_EQ(tables["contact"]["self"], true);
  EXPECT_FALSE(tables.contains("keyframe"));  // a comment
  EXPECT_EQ(json["groups"][tables["pin"]["group"]], (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(says(folder_.read("own/shot.toml"), {"upper_edge (6 about [0.25, 0, 0] m)"}));
  EXPECT_EQ(run({"simulate", "own/shot.toml", "--dry-run"}).exit_code, 0);
}

TEST_F(CliNewTest, AMeshThatGoesThroughItselfIsToldWhere) {
  folder_.write("crossed.obj", crossed_sheet());
  const ProgramResult made = run({"new", "own", "--mesh", "crossed.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(
      says(made.err, {"contact: off, since the mesh goes through itself in ",
                      " places, the first where the edge", "start_crossings = \"exempt\"", "repair = true"}))
      << made.err;
  std::string text = folder_.read("own/shot.toml");
  EXPECT_TRUE(says(text, {"[contact]\nself = false"}));
  EXPECT_EQ(run({"simulate", "own/shot.toml", "--dry-run"}).exit_code, 0);
  text.replace(text.find("self = false"), 12, "self = true\nstart_crossings = \"exempt\"");
  folder_.write("own/shot.toml", text);
  EXPECT_EQ(run({"simulate", "own/shot.toml", "--dry-run"}).exit_code, 0);
}

// Two layers 0.5 mm apart, in a fabric of more.
TEST_F(CliNewTest, LayersNearerThanTheFabricGetAThinnerGap) {
  std::string text = sheet();
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j)
      text += fmt::format("v {} {} 0.0005\n", 0.25 * j / (kSide - 1), -0.25 * i / (kSide - 1));
  for (int i = 0; i + 1 < kSide; ++i)
    for (int j = 0; j + 1 < kSide; ++j) {
      const int v = kSide * kSide + i * kSide + j + 1;
      text += fmt::format("f {} {} {}\nf {} {} {}\n", v, v + kSide, v + 1, v + 1, v + kSide, v + kSide + 1);
    }
  folder_.write("layers.obj", text);
  const ProgramResult made = run({"new", "own", "--mesh", "layers.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(
      says(made.err, {"is on, with a thickness of 0.25 mm, since parts of the mesh lie 0.5 mm apart"}))
      << made.err;
  EXPECT_TRUE(says(folder_.read("own/shot.toml"), {"thickness = 0.00025", "self = true"}));
  EXPECT_EQ(run({"simulate", "own/shot.toml", "--dry-run"}).exit_code, 0);
}

// A sheet that lies would be a drum if all of its edge were held.
TEST_F(CliNewTest, AMeshThatLiesIsHeldAtOneSide) {
  folder_.write("flat.obj", sheet([](double& x, double& y, double& z) {
                  z = y, y = 0.0;
                  x *= 2.0;
                }));
  const ProgramResult made = run({"new", "own", "--mesh", "flat.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(says(made.err, {"up: Y, along which the mesh is flat", "pins: side_edge, 6 vertices"}))
      << made.err;
  EXPECT_EQ(run({"simulate", "own/shot.toml", "--dry-run"}).exit_code, 0);
}

TEST_F(CliNewTest, OwnMeshHasToBeCloth) {
  folder_.write("rest.obj", sheet() + "v 1 1 1\n");
  const ProgramResult result = run({"new", "own", "--mesh", "rest.obj"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(says(result.err, {"rest.obj", "vertex 36"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "own"));
  EXPECT_EQ(run({"new", "own", "--mesh", "rest.obj", "--template", "flag"}).exit_code, 2);
}

TEST_F(CliNewTest, WritesOverNothingUnasked) {
  ASSERT_EQ(run({"new", "flag"}).exit_code, 0);
  const ProgramResult again = run({"new", "flag", "--template", "cape"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_TRUE(says(again.err, {"flag", "--force"}));
  EXPECT_EQ(run({"new", "flag", "--template", "cape", "--force"}).exit_code, 0);
  EXPECT_EQ(run({"new", "other", "--template", "tent"}).exit_code, 2);
}

// rest.obj and key.1024.obj are names that artists take, too.
TEST_F(CliNewTest, MeshesOfOthersStay) {
  const std::string before = folder_.read("rest.obj");
  const ProgramResult beside = run({"new", ".", "--template", "flag"});
  EXPECT_EQ(beside.exit_code, 3);
  EXPECT_TRUE(says(beside.err, {"rest.obj: exists", "--force"})) << beside.err;
  const ProgramResult itself = run({"new", ".", "--mesh", "rest.obj", "--force"});
  EXPECT_EQ(itself.exit_code, 3);
  EXPECT_TRUE(says(itself.err, {"rest.obj: is MESH", "another name or folder"})) << itself.err;
  EXPECT_EQ(folder_.read("rest.obj"), before);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "shot.toml"));
}

TEST_F(CliNewTest, GroupsOfTheMeshKeepTheirNames) {
  TriangleMesh mesh = read_obj(folder_ / "rest.obj");
  mesh.groups = {{"edge1", {7, 8}}, {"upper_edge", {9}}};
  write_obj(folder_ / "own.obj", mesh);
  const ProgramResult made = run({"new", "own", "--mesh", "own.obj"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  TriangleMesh rest = read_obj(folder_ / "own/rest.obj");
  EXPECT_EQ(rest.groups["edge1"], (std::vector<int>{7, 8}));
  EXPECT_EQ(rest.groups["upper_edge"], (std::vector<int>{9}));
  EXPECT_EQ(rest.groups["edge1_2"].size(), 20u);
  EXPECT_TRUE(says(folder_.read("own/shot.toml"), {"group = \"upper_edge_2\""}));
  // Made once more of what it made, it finds its own edges.
  ASSERT_EQ(run({"new", "again", "--mesh", "own/rest.obj"}).exit_code, 0);
  EXPECT_EQ(read_obj(folder_ / "again/rest.obj").groups, rest.groups);
}

// Names in other encodings than the scene's, and of more lines than one, stand in its comments.
TEST_F(CliNewTest, ForeignNamesLeaveTheSceneReadable) {
  TriangleMesh mesh = read_obj(folder_ / "rest.obj");
  mesh.groups = {{"\xc4rmel", {7, 8}}};
  for (const std::string name : {"n\xe4h.obj", "line\n[cloth2].obj"}) {
    write_obj(folder_ / name, mesh);
    const ProgramResult made = run({"new", "own", "--mesh", name, "--force"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const ProgramResult plan = run({"simulate", "own/shot.toml", "--dry-run"});
    EXPECT_EQ(plan.exit_code, 0) << plan.err;
  }
}

// Hinges couple less, and need less memory, than what this sheet would get.
class CliNewMemoryTest : public CliFolder {
 protected:
  void write_scene(const std::string& more) {
    folder_.write("scene.toml",
                  shot_text() + "bending = \"quadratic\"\n" + pin_text() + keyframe_text() + more);
  }
};

TEST_F(CliNewMemoryTest, DryRunSaysWhatIsMadeAgainForWantOfMemory) {
  write_scene("[solver]\nmemory_gb = 0.0006\n");
  const ProgramResult plan = run({"solve", "scene.toml", "--dry-run"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_TRUE(says(plan.out, {"36 vertices", "1006", "do not fit memory_gb"})) << plan.out;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_out"));
}

TEST_F(CliNewMemoryTest, MemoryThatCannotDoIsRefusedWithWhatIsNeeded) {
  write_scene("[solver]\nmemory_gb = 0.0003\n");
  const ProgramResult solve = run({"solve", "scene.toml"});
  EXPECT_EQ(solve.exit_code, 3);
  EXPECT_TRUE(says(solve.err, {"memory_gb", "0.0003", "expected at least 0.0005"})) << solve.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_out"));
}

}  // namespace
}  // namespace keydrape
