#include "io/formats/obj.h"
#include "io/formats/read_cache.h"
#include "io/formats/write_cache.h"
#include "tests/support/cli_folder.h"
#include "tests/support/small_cache.h"

namespace keydrape {
namespace {

class CliConvertTest : public CliFolder {
 protected:
  CliConvertTest() {
    write_cache(folder_ / "in.usda", small_cache());
    write_cache(folder_ / "in.pc2", small_cache());
    TriangleMesh mesh = small_cache().header.mesh;
    mesh.groups["edge"] = {0, 1};
    write_obj(folder_ / "mesh.obj", mesh);
  }

  std::string refusal(const std::vector<std::string>& arguments, int code = 3) const {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  }
};

TEST_F(CliConvertTest, EveryFormatIntoEveryOther) {
  const std::vector<std::string> read = {"usda", "pc2", "mdd", "npy", "####.obj", "####.ply"};
  std::vector<std::string> written = read;
  for (const char* extension : {"glb", "pvd", "####.vtp"}) written.emplace_back(extension);
  for (const std::string& in : read) {
    ASSERT_EQ(run({"convert", "in.usda", "a." + in, "--force"}).exit_code, 0);
    for (const std::string& out : written) {
      const ProgramResult result =
          run({"convert", "a." + in, "b." + out, "--mesh", "mesh.obj", "--force", "--quiet"});
      EXPECT_EQ(result.exit_code, 0) << in << " " << out << ": " << result.err;
      EXPECT_EQ(result.out, "b." + out + "\n");
    }
  }
}

TEST_F(CliConvertTest, TurnsScalesPicksAndRenumbers) {
  const ProgramResult result =
      run({"convert", "in.pc2", "out.usda", "--mesh", "mesh.obj", "--frames", "1002-1003", "--fps", "30",
           "--up-axis", "Z", "--meters-per-unit", "0.01", "--from-meters-per-unit", "0.1", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["first_frame"], 1002);
  EXPECT_EQ(json["frames"], 2);
  EXPECT_EQ(json["lost"], nlohmann::json::array({"groups"}));
  const MeshCache cache = read_cache(folder_ / "out.usda");
  EXPECT_EQ(cache.header.space, (Space{0.01, UpAxis::kZ}));
  EXPECT_EQ(cache.header.fps, 30.0);
  const MeshCache source = small_cache();
  const Vec3 x = source.at(1003).positions.segment<3>(6), before = source.at(1002).positions.segment<3>(6);
  EXPECT_LT((cache.at(1003).positions.segment<3>(6) - 10 * Vec3(x.x(), -x.z(), x.y())).norm(), 1e-5);
  const Vec3 v = 300 * (x - before);  // two frames: a one-sided difference
  ASSERT_EQ(cache.header.fields.size(), 1u);
  EXPECT_LT((cache.at(1003).fields[0].segment<3>(6) - Vec3(v.x(), -v.z(), v.y())).norm(), 1e-3);

  ASSERT_EQ(run({"convert", "in.pc2", "out.pc2", "--first-frame", "1", "--frames", "2-3"}).exit_code, 0);
  EXPECT_EQ(read_cache(folder_ / "out.pc2").header.frames().text(), "2-3");
  ASSERT_EQ(run({"convert", "in.pc2", "one.obj", "--frames", "1004", "--mesh", "mesh.obj"}).exit_code, 0);
  EXPECT_EQ(stacked(read_obj(folder_ / "one.obj").positions), rounded(source.at(1004).positions));
  EXPECT_EQ(read_obj(folder_ / "one.obj").groups.at("edge"), (std::vector<int>{0, 1}));
}

TEST_F(CliConvertTest, TakesAFrameAsScenesNameIt) {
  for (const auto& [name, frame] :
       {std::pair{"in.usda@1002", 1002}, {"in.usda@last", 1004}, {"in.usda@first", 1001}}) {
    ASSERT_EQ(run({"convert", name, "one.usda", "--force"}).exit_code, 0) << name;
    const MeshCache cache = read_cache(folder_ / "one.usda");
    EXPECT_EQ(cache.header.frames().text(), fmt::format("{0}-{0}", frame));
    EXPECT_LT((cache.at(frame).positions - small_cache().at(frame).positions).lpNorm<Eigen::Infinity>(),
              1e-6);
  }
  EXPECT_TRUE(says(refusal({"convert", "in.usda@1002", "b.obj", "--frames", "1003"}),
                   {"in.usda@1002: names a frame beside --frames 1003; expected one of the two"}));
}

TEST_F(CliConvertTest, RefusesWhatCannotBeDone) {
  EXPECT_TRUE(says(refusal({"convert", "in.pc2", "a.usda"}), {"points only", "--mesh REST.obj"}));
  EXPECT_TRUE(says(refusal({"convert", "in.usda", "a.obj"}), {"one file for 4 frames", "a.####.obj"}));
  EXPECT_TRUE(
      says(refusal({"convert", "in.usda", "a.abc"}),
           {"a.abc: Alembic is neither read nor written", "write .usda, which Blender, Houdini and Maya"}));
  EXPECT_TRUE(says(refusal({"convert", "none.pc2", "a.mdd"}), {"none.pc2: cannot be read"}));
  EXPECT_TRUE(
      says(refusal({"convert", "in.pc2", "a.mdd", "--frames", "1004-1005"}), {"has frames 1001-1004"}));
  EXPECT_TRUE(says(refusal({"convert", "in.pc2", "a.mdd", "--frames", "4-2"}), {"--frames: found '4-2'"}));
  EXPECT_TRUE(
      says(refusal({"convert", "in.usda", "a.glb", "--up-axis", "Z"}), {"is in metres and has Y up"}));
  EXPECT_TRUE(says(refusal({"convert", "in.usda", "a.npy", "--meters-per-unit", "0.01"}), {"is in metres"}));
  EXPECT_TRUE(
      says(refusal({"convert", "in.usda", "a.pc2", "--from-up-axis", "Z"}), {"Y up, by its own metadata"}));
  EXPECT_TRUE(
      says(refusal({"convert", "in.usda", "a.pc2", "--mesh", "rest.obj"}), {"4 points", "36 vertices"}));
  EXPECT_TRUE(says(refusal({"convert", "in.pc2", "in.pc2"}), {"is IN and OUT"}));
  EXPECT_TRUE(
      says(refusal({"convert", "in.pc2", "in.usda", "--mesh", "mesh.obj"}), {"in.usda: exists", "--force"}));
  EXPECT_TRUE(says(refusal({"convert", "in.pc2", "none/a.mdd"}), {"none/a.mdd: cannot be written"}));
  refusal({"convert", "in.pc2"}, 2);
  refusal({"convert", "in.pc2", "a.mdd", "--fps", "0"}, 2);
  refusal({"convert", "in.pc2", "a.mdd", "--up-axis", "X"}, 2);
}

// A # or @ picks a frame of a sequence; elsewhere it is a letter like any other.
TEST_F(CliConvertTest, ReplacesNothingUnasked) {
  for (const char* name : {"cape@2.glb", "a#1@2.npy", "$F.usda", "b.pvd", "c.####.ply"}) {
    ASSERT_EQ(run({"convert", "in.usda", name}).exit_code, 0) << name;
    EXPECT_TRUE(says(refusal({"convert", "in.usda", name}), {"exists", "--force"})) << name;
  }
  std::filesystem::remove(folder_ / "b.pvd");
  EXPECT_TRUE(says(refusal({"convert", "in.usda", "b.pvd"}), {"b_vtp/b.1001.vtp: exists"}));
  EXPECT_TRUE(says(refusal({"convert", "in.usda", "c.####.ply"}), {"c.1001.ply: exists"}));
}

// Nobody could read them back: names of files and times in them begin with 0.
TEST_F(CliConvertTest, FramesBelowZeroAreNotLost) {
  MeshCache cache = small_cache();
  cache.header.first_frame = -2;
  write_cache(folder_ / "neg.usda", cache);
  for (const char* name : {"neg.####.obj", "neg.mdd", "neg.pvd"}) {
    EXPECT_TRUE(says(refusal({"convert", "neg.usda", name}), {"frame -2", "--first-frame"})) << name;
    EXPECT_EQ(run({"convert", "neg.usda", name, "--first-frame", "1"}).exit_code, 0) << name;
  }
  ASSERT_EQ(run({"convert", "neg.usda", "neg.pc2"}).exit_code, 0);
  EXPECT_EQ(read_cache(folder_ / "neg.pc2").header.first_frame, -2);
}

// Nor could those above the highest number of a frame.
TEST_F(CliConvertTest, TheLastFrameHasANumberToo) {
  EXPECT_TRUE(says(refusal({"convert", "in.usda", "a.####.obj", "--first-frame", "9999997"}),
                   {"frame 10000000", "up to 9999999"}));
  ASSERT_EQ(run({"convert", "in.usda", "a.####.obj", "--first-frame", "9999996"}).exit_code, 0);
  EXPECT_EQ(read_cache(folder_ / "a.####.obj").header.frames().text(), "9999996-9999999");
  const std::vector<std::string> two = {"convert", "in.usda",  "b.####.obj",     "--first-frame",
                                        "9999998", "--frames", "9999998-9999999"};
  ASSERT_EQ(run(two).exit_code, 0);
  EXPECT_EQ(read_cache(folder_ / "b.####.obj").header.frames().text(), "9999998-9999999");
  ASSERT_EQ(run({"convert", "in.usda", "c.####.obj", "--first-frame", "0100"}).exit_code, 0);
  EXPECT_EQ(read_cache(folder_ / "c.####.obj").header.frames().text(), "100-103");
}

TEST_F(CliConvertTest, ASequenceIsNotWrittenOverItself) {
  ASSERT_EQ(run({"convert", "in.usda", "s.####.obj"}).exit_code, 0);
  EXPECT_TRUE(says(refusal({"convert", "s.####.obj", "s.@@@@.obj", "--force"}), {"is IN and OUT"}));
  EXPECT_TRUE(says(refusal({"convert", "s.####.obj", "s.1001.obj", "--frames", "1002", "--force"}),
                   {"s.1001.obj: is IN and OUT"}));
  EXPECT_TRUE(says(refusal({"convert", "s.1002.obj", "s.####.obj", "--first-frame", "1002", "--force"}),
                   {"s.1002.obj: is IN and OUT"}));
}

TEST_F(CliConvertTest, NorIsItsMesh) {
  const std::string mesh = folder_.read("mesh.obj");
  EXPECT_TRUE(
      says(refusal({"convert", "in.pc2", "./mesh.obj", "--mesh", "mesh.obj", "--frames", "1002", "--force"}),
           {"mesh.obj: is the mesh, and would be written over"}));
  EXPECT_EQ(folder_.read("mesh.obj"), mesh);
  ASSERT_EQ(run({"convert", "in.usda", "s.####.obj"}).exit_code, 0);
  EXPECT_TRUE(says(
      refusal({"convert", "in.pc2", "s.1002.obj", "--mesh", "s.####.obj", "--frames", "1002", "--force"}),
      {"s.1002.obj: is the mesh"}));
}

TEST_F(CliConvertTest, NorOverAnotherNameOfItsFiles) {
  ASSERT_EQ(run({"convert", "in.usda", "s.####.obj"}).exit_code, 0);
  std::filesystem::create_hard_link(folder_ / "s.1002.obj", folder_ / "hard.1002.obj");
  std::filesystem::create_symlink("s.1002.obj", folder_ / "soft.1002.obj");
  for (const std::string name : {"hard", "soft"}) {
    const std::string file = name + ".1002.obj";
    for (const char* in : {"s.####.obj", "s.1002.obj"})
      EXPECT_TRUE(says(refusal({"convert", in, file, "--force"}), {"is IN and OUT"})) << in << ' ' << file;
    EXPECT_TRUE(
        says(refusal({"convert", "s.####.obj", name + ".####.obj", "--force"}), {file + ": is IN and OUT"}));
  }
  // A link to something else is a file like any other, and a # where there is a file of that name.
  std::filesystem::create_hard_link(folder_ / "in.pc2", folder_ / "other.1001.obj");
  EXPECT_EQ(run({"convert", "s.####.obj", "other.####.obj", "--force"}).exit_code, 0);
  for (const char* name : {"x#1.obj", "x11.obj"})
    std::filesystem::copy_file(folder_ / "s.1001.obj", folder_ / name);
  EXPECT_EQ(run({"convert", "x#1.obj", "x11.obj", "--force"}).exit_code, 0);
}

// A script goes on with what stands on stdout.
TEST_F(CliConvertTest, NamesTheFileThatItWrote) {
  const ProgramResult one = run({"convert", "in.usda", "x#1.obj", "--frames", "1002"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out, "x10021.obj\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "x10021.obj"));
}

TEST_F(CliConvertTest, SaysThatGlbHasNoPlaceForSeams) {
  const auto lost = [&](const char* in) {
    const ProgramResult result = run({"convert", in, "out.glb", "--force", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["lost"];
  };
  MeshCache cache = small_cache();
  cache.header.fields.clear();
  for (CacheFrame& frame : cache.frames) frame.fields.clear();
  write_cache(folder_ / "whole.usda", cache);
  EXPECT_EQ(lost("whole.usda"), nlohmann::json::array());
  cache.header.mesh.uvs.push_back({0.5, 0.5});
  cache.header.mesh.uv_triangles[1][0] = 4;
  write_cache(folder_ / "seam.usda", cache);
  EXPECT_EQ(lost("seam.usda"), nlohmann::json::array({"texture coordinates"}));
}

TEST_F(CliConvertTest, TextureCoordinatesOfAPlyGoOn) {
  folder_.write("in.ply",
                "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
                "z\nproperty float s\nproperty float t\nelement face 1\nproperty list uchar int "
                "vertex_indices\nend_header\n0 0 0 .5 .25\n1 0 0 1 .25\n1 1 0 1 1\n3 0 1 2\n");
  const std::vector<Vec2> uvs = {{0.5, 0.25}, {1, 0.25}, {1, 1}};
  for (const char* out : {"out.obj", "out.usda", "out.glb", "out.ply"}) {
    const ProgramResult result = run({"convert", "in.ply", out, "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const bool is_lost = std::string(out) == "out.ply";
    EXPECT_EQ(nlohmann::json::parse(result.out)["lost"],
              is_lost ? nlohmann::json::array({"texture coordinates"}) : nlohmann::json::array())
        << out;
  }
  EXPECT_EQ(read_cache(folder_ / "out.obj").header.mesh.uvs, uvs);
  EXPECT_EQ(read_cache(folder_ / "out.usda").header.mesh.uvs, uvs);
  EXPECT_TRUE(says(folder_.read("out.glb"), {"TEXCOORD_0"}));
}

// Frames that pass twice as fast move twice as fast.
TEST_F(CliConvertTest, AnotherRateIsThatOfVelocitiesToo) {
  ASSERT_EQ(run({"convert", "in.usda", "out.usda", "--fps", "48"}).exit_code, 0);
  const MeshCache before = read_cache(folder_ / "in.usda"), after = read_cache(folder_ / "out.usda");
  ASSERT_EQ(before.header.fps, 24.0);
  ASSERT_EQ(before.header.fields, after.header.fields);
  for (std::size_t k = 0; k < before.header.fields.size(); ++k) {
    const double faster = before.header.fields[k].name == kVelocityField ? 2.0 : 1.0;
    EXPECT_GT(before.at(1003).fields[k].norm(), 0.1);
    EXPECT_LT((after.at(1003).fields[k] - faster * before.at(1003).fields[k]).norm(), 1e-5);
  }
}

// A number that somebody calls velocity is none of the cloth, which gets its own.
TEST_F(CliConvertTest, AFieldOfThatNameKeepsItsNumbers) {
  MeshCache cache = small_cache();
  cache.header.fields = {{kVelocityField, FieldPlace::kVertex, 1, false}};
  for (CacheFrame& frame : cache.frames) frame.fields = {VecX::LinSpaced(4, 1, 2)};
  write_cache(folder_ / "speed.usda", cache);
  ASSERT_EQ(run({"convert", "speed.usda", "out.usda", "--fps", "48"}).exit_code, 0);
  const MeshCache after = read_cache(folder_ / "out.usda");
  ASSERT_EQ(after.header.fields, cache.header.fields);
  EXPECT_EQ(after.at(1003).fields[0], rounded(cache.at(1003).fields[0]));
  EXPECT_TRUE(says(folder_.read("out.usda"), {"vector3f[] velocities.timeSamples"}));
}

TEST_F(CliConvertTest, SaysWhatHasAnotherMeaningInPly) {
  MeshCache cache = small_cache();
  cache.header.fields = {{"u", FieldPlace::kVertex, 1, false},
                         {"v", FieldPlace::kVertex, 1, false},
                         {"miss", FieldPlace::kVertex, 1, false}};
  for (CacheFrame& frame : cache.frames) frame.fields.assign(3, VecX::LinSpaced(4, 1, 2));
  write_cache(folder_ / "odd.usda", cache);
  const ProgramResult result = run({"convert", "odd.usda", "out.####.ply", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["lost"],
            nlohmann::json::array({"u", "v", "texture coordinates"}));
  EXPECT_TRUE(says(result.err, {"has no place for u, v, texture coordinates"}));
  const CacheHeader after = read_cache(folder_ / "out.####.ply").header;
  EXPECT_FALSE(after.mesh.has_uvs());
  ASSERT_EQ(after.fields.size(), 1u);
  EXPECT_EQ(after.fields[0].name, "miss");
}

// A rate or number that whoever reads OUT takes anyway is not lost.
TEST_F(CliConvertTest, SaysWhereRateAndNumbersAreLost) {
  const auto lost = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "convert");
    for (const char* flag : {"--force", "--json"}) arguments.emplace_back(flag);
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["lost"];
  };
  using Lost = nlohmann::json;
  EXPECT_EQ(lost({"in.pc2", "a.npy"}), Lost::array({"frame numbers"}));
  EXPECT_EQ(lost({"in.pc2", "a.npy", "--first-frame", "1", "--fps", "24"}), Lost::array());
  EXPECT_EQ(lost({"in.pc2", "a.npy", "--fps", "30"}), Lost::array({"frame rate", "frame numbers"}));
  EXPECT_EQ(lost({"in.pc2", "a.pc2", "--fps", "30"}), Lost::array({"frame rate"}));
  EXPECT_EQ(lost({"in.pc2", "a.mdd", "--fps", "30"}), Lost::array());
  EXPECT_EQ(lost({"mesh.obj", "one.obj"}), Lost::array());
  EXPECT_EQ(lost({"mesh.obj", "one.obj", "--first-frame", "5"}), Lost::array({"frame numbers"}));
  EXPECT_EQ(lost({"mesh.obj", "one.####.obj", "--first-frame", "5"}), Lost::array());
  MeshCache cache = small_cache();
  cache.header.fps = 30.0;
  cache.header.fields.clear();
  for (CacheFrame& frame : cache.frames) frame.fields.clear();
  write_cache(folder_ / "fast.usda", cache);
  EXPECT_EQ(lost({"fast.usda", "s.####.obj"}), Lost::array({"frame rate"}));
  EXPECT_EQ(lost({"fast.usda", "s.obj", "--frames", "1002"}), Lost::array());
  EXPECT_EQ(lost({"fast.usda", "s.obj", "--frames", "6", "--first-frame", "5", "--fps", "60"}),
            Lost::array({"frame rate", "frame numbers"}));
  EXPECT_EQ(lost({"fast.usda", "s.usda"}), Lost::array());
}

// Files that say neither are read in metres and with Y up.
TEST_F(CliConvertTest, SaysWhereUnitAndAxisAreLost) {
  const auto lost = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "convert");
    for (const char* flag : {"--frames", "1001", "--force", "--json"}) arguments.emplace_back(flag);
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["lost"];
  };
  using Lost = nlohmann::json;
  MeshCache cache = small_cache();
  cache.header.space = {0.01, UpAxis::kZ};
  cache.header.fields.clear();
  for (CacheFrame& frame : cache.frames) frame.fields.clear();
  write_cache(folder_ / "cm.usda", cache);
  for (const char* name : {"a.obj", "a.####.obj"})
    EXPECT_EQ(lost({"cm.usda", name}), Lost::array({"unit", "up axis"})) << name;
  EXPECT_EQ(lost({"cm.usda", "a.pc2"}), Lost::array({"triangles", "unit", "up axis"}));
  EXPECT_EQ(lost({"cm.usda", "a.npy"}), Lost::array({"triangles", "up axis"}));
  for (const char* name : {"a.usda", "a.glb"}) EXPECT_EQ(lost({"cm.usda", name}), Lost::array()) << name;
  EXPECT_EQ(lost({"cm.usda", "a.obj", "--up-axis", "Y"}), Lost::array({"unit"}));
  EXPECT_EQ(lost({"cm.usda", "a.obj", "--up-axis", "Y", "--meters-per-unit", "1"}), Lost::array());
  EXPECT_EQ(lost({"in.pc2", "a.pc2", "--from-meters-per-unit", "0.01"}), Lost::array({"unit"}));
}

// The first texCoord2f of a file is read, whatever it is called.
TEST_F(CliConvertTest, AFieldThatIsCalledStKeepsItsName) {
  MeshCache cache = small_cache();
  cache.header.fields = {{"st", FieldPlace::kVertex, 1, false}, {"st1", FieldPlace::kVertex, 3, false}};
  for (CacheFrame& frame : cache.frames) frame.fields = {VecX::LinSpaced(4, 1, 2), VecX::LinSpaced(12, 3, 4)};
  write_cache(folder_ / "st.usda", cache);
  EXPECT_TRUE(says(folder_.read("st.usda"), {"texCoord2f[] primvars:st2 = [(0, 0), (1, 0)"}));
  const ProgramResult result = run({"convert", "st.usda", "out.usda", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["warnings"], nlohmann::json::array());
  const MeshCache after = read_cache(folder_ / "out.usda");
  EXPECT_EQ(after.header.mesh.uvs, cache.header.mesh.uvs);
  EXPECT_EQ(after.at(1002).fields[0], rounded(cache.at(1002).fields[0]));
  EXPECT_EQ(after.at(1002).fields[1], rounded(cache.at(1002).fields[1]));
}

TEST_F(CliConvertTest, WhatNoFloatHoldsIsRepairedWhereItComesFrom) {
  folder_.write("far.obj", "v 0 0 0\nv 1e39 0 0\nv 0 1 0\nf 1 2 3\n");
  folder_.write("uv.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1e39 0\nvt 0 -1e39\nf 1/1 2/2 3/3\n");
  for (const char* out : {"a.pc2", "a.mdd", "a.ply", "a.usda", "a.glb"})
    EXPECT_TRUE(says(refusal({"convert", "far.obj", out}), {out, ": not written: ", "which no float32 holds",
                                                            "in the mesh or cache that was read"}));
  for (const char* out : {"a.usda", "a.glb"})
    EXPECT_TRUE(says(refusal({"convert", "uv.obj", out}),
                     {": not written: a number of texture coordinate 1 (counted from 0) is 1e+39, which no "
                      "float32 holds; repair it where it comes from"}));
}

TEST_F(CliConvertTest, SaysWhatTimesOfAnMddWillBeReadAs) {
  const auto warnings = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"convert", "in.pc2", "a.mdd", "--force"});
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_FALSE(says(warnings({"--fps", "23.976", "--first-frame", "86400"}), {"will be read"}));
  EXPECT_EQ(read_cache(folder_ / "a.mdd").header.fps, 23.976);
  EXPECT_EQ(read_cache(folder_ / "a.mdd").header.first_frame, 86400);
  EXPECT_TRUE(says(warnings({"--fps", "48", "--frames", "1002"}),
                   {"a.mdd: will be read as beginning with frame 501 at 24 fps", "frame 1002 at 48 fps"}));
  EXPECT_TRUE(
      says(warnings({"--first-frame", "0"}), {"beginning with frame 1 at 24 fps", "frame 0 at 24 fps"}));
  EXPECT_TRUE(
      says(warnings({"--fps", "23.976", "--first-frame", "1000000"}), {"frame 1000000 at 23.976 fps"}));
}

TEST_F(CliConvertTest, InfoSaysWhatIsInEveryFormat) {
  for (const char* name : {"a.glb", "a.pvd", "a.mdd", "a.npy", "a.####.ply", "a.####.obj", "a.####.vtp"})
    ASSERT_EQ(run({"convert", "in.usda", name}).exit_code, 0) << name;
  for (const char* name : {"in.usda", "in.pc2", "a.glb", "a.pvd", "a.mdd", "a.npy", "a.####.ply",
                           "a.####.obj", "a.1002.vtp", "a.1002.obj"}) {
    const ProgramResult result = run({"info", name, "--json"});
    ASSERT_EQ(result.exit_code, 0) << name << result.err;
    const auto info = nlohmann::json::parse(result.out);
    EXPECT_EQ(info["vertices"], 4) << name;
    const bool one = std::string(name).find("1002") != std::string::npos;
    EXPECT_EQ(info["frames"], one ? 1 : 4) << name;
  }
  const auto info = nlohmann::json::parse(run({"info", "in.usda", "--json"}).out);
  EXPECT_EQ(info["fields"], nlohmann::json::array({"velocity (vector, vertices)", "miss (vertices)",
                                                   "energy_density (triangles)"}));
  EXPECT_EQ(info["first_frame"], 1001);
  const std::string points = run({"info", "in.pc2"}).out;
  EXPECT_TRUE(says(points, {"vertices", "bounding_box", "points alone", "--mesh"}));
  EXPECT_FALSE(says(points, {"triangles"}));
}

}  // namespace
}  // namespace keydrape
