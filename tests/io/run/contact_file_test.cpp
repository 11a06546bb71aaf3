// contacts.npy, as runs write it and reports read it.

#include "io/run/contact_file.h"

#include <filesystem>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

constexpr int kFallFrames = 7;
constexpr double kGap = 1e-3, kFloor = -0.02;

// The sheet of CliFolder laid level, falling onto a floor.
class ContactFileTest : public CliFolder {
 protected:
  ContactFileTest() {
    folder_.write("rest.obj", sheet([](double&, double& y, double& z) {
                    z = -y;
                    y = 0.0;
                  }));
    folder_.write("fall.toml", scene("[contact]\nthickness = 0.002\n" + floor()));
  }
  static std::string scene(const std::string& more) {
    return "[shot]\nframes = \"1001-1007\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n" + more;
  }
  static std::string floor() { return "[[collider]]\nplane = {point = [0, -0.02, 0], normal = [0, 1, 0]}\n"; }

  std::vector<std::vector<TouchingPair>> contacts(const std::string& folder) const {
    return read_contacts(folder_ / folder / kContactFile, {1001, 1007});
  }
  // The array with one number changed, read back.
  std::vector<std::vector<TouchingPair>> damaged(Eigen::Index place, double value) const {
    NpyArray array = read_npy(folder_ / "out" / kContactFile);
    array.values[place] = value;
    write_npy(folder_ / "damaged.npy", array);
    return read_contacts(folder_ / "damaged.npy", {1001, 1007});
  }
};

TEST_F(ContactFileTest, HoldsThePairsOfEveryFrame) {
  const ProgramResult result = run({"simulate", "fall.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto frames = contacts("out");
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  const std::vector<nlohmann::json> steps = read_json_lines("out/steps.jsonl");
  ASSERT_EQ(static_cast<int>(frames.size()), kFallFrames);
  EXPECT_TRUE(frames[0].empty()) << "2 cm above the floor";
  EXPECT_GE(static_cast<int>(frames[kFallFrames - 1].size()), kVertices);
  for (int f = 1; f < kFallFrames; ++f) {
    EXPECT_EQ(static_cast<int>(frames[f].size()), steps[2 * f - 1]["contact_pairs"]);
    double least = 1.0;
    for (const TouchingPair& pair : frames[f]) {
      EXPECT_EQ(pair.with, TouchingPair::With::kBody);
      EXPECT_NEAR(pair.opposite.y(), kFloor, 1e-12);
      EXPECT_GE(pair.on_cloth.y() - kFloor, kGap);
      least = std::min(least, (pair.on_cloth - pair.opposite).norm());
    }
    if (!frames[f].empty()) {
      EXPECT_NEAR(least, steps[2 * f - 1]["least_distance_m"], 1e-12);
    }
  }
  const VecX last = x.tail(3 * kVertices);
  for (const TouchingPair& pair : frames[kFallFrames - 1]) {
    double nearest = 1.0;
    for (int i = 0; i < kVertices; ++i)
      nearest = std::min(nearest, (last.segment<3>(3 * i) - pair.on_cloth).norm());
    EXPECT_LE(nearest, 1e-12) << "a plane meets the cloth at its vertices";
  }
}

TEST_F(ContactFileTest, SolveWritesThoseOfItsResult) {
  folder_.write("key.obj", sheet([](double& x, double& y, double& z) {
                  z = -y;
                  y = 0.002 - 0.02;
                  x += 0.01;
                }));
  folder_.write("solve.toml", scene("[contact]\nthickness = 0.002\n" + floor() +
                                    "[[keyframe]]\nframe = 1007\nmesh = \"key.obj\"\n"
                                    "[control]\neffort = 1e-3\nmax_forward_simulations = 2\n"));
  const ProgramResult result = run({"solve", "solve.toml", "-o", "out", "--no-report"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(static_cast<int>(contacts("out").back().size()),
            read_json_lines("out/steps.jsonl").back()["contact_pairs"]);
}

TEST_F(ContactFileTest, IsThereOnlyWhereSomethingCanBeTouched) {
  folder_.write("free.toml", scene(""));
  folder_.write("far.toml", scene("[contact]\nself = true\n"));
  ASSERT_EQ(run({"simulate", "free.toml", "-o", "out"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / kContactFile));
  EXPECT_TRUE(contacts("out").empty());
  ASSERT_EQ(run({"simulate", "far.toml", "-o", "out", "--force"}).exit_code, 0);
  EXPECT_EQ(read_npy(folder_ / "out" / kContactFile).shape, (std::vector<std::int64_t>{0, 8}));
  for (const auto& pairs : contacts("out")) EXPECT_TRUE(pairs.empty());
  ASSERT_EQ(run({"simulate", "free.toml", "-o", "out", "--force"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / kContactFile)) << "it belonged to the run before";
}

TEST_F(ContactFileTest, RefusesWhatNoRunWrites) {
  ASSERT_EQ(run({"simulate", "fall.toml", "-o", "out"}).exit_code, 0);
  EXPECT_NO_THROW(damaged(2, 0.5));
  EXPECT_THROW(damaged(0, 1008), InputError);
  EXPECT_THROW(damaged(0, 1001.5), InputError);
  EXPECT_THROW(damaged(8, 1001), InputError) << "frames descend";
  EXPECT_THROW(damaged(1, 2), InputError);
  write_npy(folder_ / "damaged.npy", {{2, 3}, VecX::Zero(6)});
  EXPECT_THROW(read_contacts(folder_ / "damaged.npy", {1001, 1007}), InputError);
}

}  // namespace
}  // namespace keydrape
