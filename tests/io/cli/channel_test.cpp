// [[control.channel]] by the program as a user runs it: throws, wind, pins and material that are found,
// written and repeated.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/types.h"
#include "io/formats/npy.h"
#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliChannelTest : public ResumedRun {
 protected:
  static std::string channel(const std::string& keys) { return "[[control.channel]]\n" + keys + "\n"; }

  void write_scene(const std::string& control, const std::string& before = pin_text(),
                   const std::string& keyframe = keyframe_text()) {
    folder_.write("scene.toml", shot_text() + before + keyframe + "[control]\n" + control);
  }
  ProgramResult solve(const std::string& to = "out") {
    return run({"solve", "scene.toml", "-o", to, "--force", "--no-report"});
  }
  VecX positions(const std::string& of) const { return read_npy(folder_ / (of + "/positions.npy")).values; }
  void expect_refused(const std::vector<std::string>& arguments, const std::string& because) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 3) << because;
    EXPECT_NE(result.err.find(because), std::string::npos) << result.err;
  }
};

const std::string kThrow = "kind = \"initial-velocity\"";

// Wind of speed 0 on cloth at rest has no first derivative: no run is spent on it, and it is said.
TEST_F(CliChannelTest, AGoalWithoutSlopeEndsTheSearch) {
  for (const char* method : {"gauss-newton", "lbfgs"}) {
    const std::string control = fmt::format("forces = false\nmethod = \"{}\"\n", method) +
                                channel("kind = \"wind\"\nknots_every = 2");
    write_scene(control, pin_text() + "[wind]\nvelocity = [0, 0, 0]\n");
    const ProgramResult result = solve();
    EXPECT_EQ(result.exit_code, 4) << method;
    EXPECT_NE(result.err.find("the goal has no slope at the start"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("raise max_forward_simulations"), std::string::npos) << result.err;
    EXPECT_EQ(read_json("out/summary.json")["work"]["forward_simulations"], 1) << method;
    write_scene(control, pin_text() + "[wind]\nvelocity = [0, 0, 0.2]\n");
    solve();
    EXPECT_GT(read_json("out/summary.json")["work"]["forward_simulations"], 1) << method;
  }
  write_scene(channel("kind = \"wind\""));
  expect_refused({"solve", "scene.toml", "-o", "out"}, "0.2 m/s will do, 0 will not");
}

// Five frames of two steps after 1/24 s each: N = 10 steps of 1/48 s.
TEST_F(CliChannelTest, AThrowAloneIsTheBallisticOne) {
  const Vec3 v(0.7, 1.9, -0.3);
  const double h = 1.0 / 48, T = 10 * h, fall = 0.5 * h * h * 10 * 11 * 9.81;
  folder_.write("key.obj", sheet([&](double& x, double& y, double& z) {
                  x += T * v.x();
                  y += T * v.y() - fall;
                  z += T * v.z();
                }));
  write_scene("forces = false\n" + channel(kThrow), "", keyframe_text("tolerance = 0.0001\n"));
  const ProgramResult result = solve();
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_TRUE(says(result.err, {"channels: what they came to is in channels.json"})) << result.err;
  EXPECT_FALSE(says(result.err, {"control acceleration"})) << result.err;
  const auto summary = read_json("out/summary.json");
  EXPECT_LT(summary["keyframes"][0]["rms_m"], 1e-4);
  EXPECT_EQ(summary["effort"]["peak_g"], 0.0);
  EXPECT_TRUE(read_npy(folder_ / "out/forces.npy").values.isZero(0.0));
  EXPECT_EQ(summary["channels"], read_json("out/channels.json")["channels"]);
  const auto found = summary["channels"][0]["values"][0];
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(found[a], v(a), 1e-3);
  for (int a = 3; a < 6; ++a) EXPECT_NEAR(found[a], 0.0, 1e-2);
}

TEST_F(CliChannelTest, ATakeIsRepeatedFromItsFilesToTheBit) {
  const std::string wind = "[wind]\nvelocity = [[1001, [1, 0, 2]], [1004, [0, 0, 4]]]\n";
  // From no forces at all, and stiff: a run that is steered, or cloth that gives way, may settle as forces
  // alone would not have it.
  write_scene("start = \"zero\"\n" + channel(kThrow + "\nas = \"vertices\"\ngroup = \"cloth\"") +
                  channel("kind = \"wind\"\nknots_every = 2") + channel("kind = \"pin\"\npin = 0") +
                  channel("kind = \"stretch-scale\"\nscale = 0.05") +
                  channel("kind = \"material\"\nnumbers = [\"bend\", \"warp\"]"),
              "[cloth.material]\ncompression = 1\nbend = 1e-3\n" + pin_text() + wind);
  ASSERT_EQ(solve("take").exit_code, 0);
  const auto channels = read_json("take/channels.json")["channels"];
  ASSERT_EQ(channels.size(), 5u);
  EXPECT_EQ(channels[0]["vertices"].size(), static_cast<std::size_t>(kVertices));
  EXPECT_EQ(channels[1]["frames"], (std::vector<int>{1001, 1003, 1005, 1007}));
  EXPECT_EQ(channels[2]["frames"], (std::vector<int>{1002, 1003, 1004, 1005, 1006}));
  EXPECT_EQ(channels[4]["components"], (std::vector<std::string>{"bend", "warp"}));
  EXPECT_FALSE(read_json("take/summary.json")["channels"][0].contains("values"));  // too many
  std::vector<std::string> again = {"simulate", "scene.toml",      "-o",         "again",
                                    "--forces", "take/forces.npy", "--channels", "take/channels.json"};
  ASSERT_EQ(run(again).exit_code, 0);
  EXPECT_LT((positions("again") - positions("take")).lpNorm<Eigen::Infinity>(), 1e-9);
  again.insert(again.end(), {"--along", "take", "--force"});
  ASSERT_EQ(run(again).exit_code, 0);
  EXPECT_EQ(positions("again"), positions("take"));
  expect_refused({"simulate", "scene.toml", "-o", "b", "--forces", "take/forces.npy"}, "add --channels");
  // A note on it begins from what it found.
  folder_.write("scene.toml", folder_.read("scene.toml")
                                  .replace(folder_.read("scene.toml").find("[control]\n"), 10,
                                           "[control]\nrelative_to = \"take/forces.npy\"\n"));
  ASSERT_EQ(solve("note").exit_code, 0);
  EXPECT_EQ(positions("note"), positions("take"));
}

// Parameter estimation: the fabric of a run that is known by its cache alone, from a guess that is a factor
// of 3 off.
TEST_F(CliChannelTest, EstimatesAMaterial) {
  const auto material = [](double warp, double weft, double bend) {
    return fmt::format("[cloth.material]\nstretch = [{}, {}]\nshear = 40\nbend = {}\n", warp, weft, bend);
  };
  const std::string shot = "[shot]\nframes = \"1001-1013\"\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n";
  const std::string pin = "[[pin]]\nvertices = [0, 5]\n[wind]\nvelocity = [0.3, 0, 2.5]\n";
  folder_.write("known.toml", shot + material(600, 450, 4e-5) + pin);
  ASSERT_EQ(run({"simulate", "known.toml", "-o", "known"}).exit_code, 0);
  std::string keyframes;
  for (int frame = 1002; frame <= 1013; ++frame)
    keyframes += fmt::format("[[keyframe]]\nframe = {0}\nmesh = \"known/simulated.pc2@{0}\"\n", frame);
  folder_.write("scene.toml",
                shot + material(200, 1350, 12e-5) + pin + keyframes +
                    "[control]\nforces = false\neffort = 1e-10\nmax_forward_simulations = 30\n" +
                    channel("kind = \"material\"\nnumbers = [\"warp\", \"weft\", \"bend\"]"));
  const ProgramResult result = solve();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto found = read_json("out/summary.json")["channels"][0]["values"][0];
  EXPECT_NEAR(found[0], 600, 6);
  EXPECT_NEAR(found[1], 450, 4.5);
  EXPECT_NEAR(found[2], 4e-5, 4e-7);
}

TEST_F(CliChannelTest, ResumesWithItsChannels) {
  const auto solve_within = [&](int budget, const std::string& to) {
    write_scene(fmt::format("max_forward_simulations = {}\neffort = 1e-6\n", budget) +
                    channel("kind = \"pin\"\npin = 0"),
                pin_text(), keyframe_text("tolerance = 1e-4\n"));
    return run(solve_into(to));
  };
  const ProgramResult whole = solve_within(8, "whole");
  ASSERT_TRUE(whole.exit_code == 0 || whole.exit_code == 4) << whole.err;
  ASSERT_GT(read_json("whole/summary.json")["work"]["forward_simulations"], 3) << "too short to be broken";
  ASSERT_EQ(read_json("whole/channels.json")["channels"].size(), 1u);
  solve_within(3, "out");
  const ProgramResult resumed = solve_within(8, "out");
  EXPECT_EQ(resumed.exit_code, whole.exit_code) << resumed.err;
  EXPECT_TRUE(says(resumed.err, {"resumed after iteration"}));
  expect_same_results("whole", "out");
  EXPECT_EQ(folder_.read("out/channels.json"), folder_.read("whole/channels.json"));
}

TEST_F(CliChannelTest, CheckCoversEveryKind) {
  for (const std::string& keys :
       {kThrow, kThrow + "\nas = \"vertices\"", std::string("kind = \"wind\""),
        std::string("kind = \"pin\"\npin = 0"), std::string("kind = \"stretch-scale\"\nscale = 0.05"),
        std::string("kind = \"material\"\nnumbers = [\"density\", \"warp\", \"weft\", \"shear\", \"bend\", "
                    "\"damping\"]")})
    for (const char* control : {"", "forces = false\n"}) {
      write_scene(control + channel(keys), pin_text() + "[wind]\nvelocity = [1, 0, 2]\n");
      const ProgramResult result = run({"check", "scene.toml", "--json"});
      ASSERT_EQ(result.exit_code, 0) << keys << "\n" << result.err;
      const double order = nlohmann::json::parse(result.out).at("taylor_order_mean");
      EXPECT_GE(order, 1.95) << keys;
      EXPECT_LE(order, 2.05) << keys;
    }
}

TEST_F(CliChannelTest, WhatMakesNoSenseIsRefused) {
  const std::string soft = "[[pin]]\nvertices = [1]\nstiffness = 10.0\n";
  const std::vector<std::array<std::string, 2>> cases = {
      {channel("kind = \"wind\""), "needs a [wind] table"},
      {channel("kind = \"pin\""), "the number of a [[pin]]"},
      {channel("kind = \"pin\"\npin = 2"), "the scene has 2 [[pin]]"},
      {channel("kind = \"material\""), "one or more"},
      {channel("kind = \"material\"\nnumbers = [\"bend\", \"bend\"]"), "twice"},
      {channel("kind = \"material\"\nnumbers = [\"bend\"]") +
           channel("kind = \"material\"\nnumbers = [\"warp\", \"bend\"]"),
       "numbers: found bend, which a channel before has"},
      {channel("kind = \"material\"\nnumbers = [\"bend\"]\npin = 0"), "with kind = \"pin\""},
      {channel(kThrow + "\nknots_every = 2"), "with kind = \"wind\""},
      {"max_acceleration = 1.0\n" + channel("kind = \"material\"\nnumbers = [\"density\"]"),
       "max_acceleration"},
      {"forces = false\n", "no [[control.channel]]"},
      {"forces = false\nmodes = 3\n" + channel(kThrow), "modes"},
  };
  for (const auto& [control, because] : cases) {
    write_scene(control, pin_text() + soft);
    expect_refused({"solve", "scene.toml", "-o", "out"}, because);
  }
  write_scene(channel(kThrow));
  folder_.write("bad.json", "{\"channels\": []}");
  expect_refused({"simulate", "scene.toml", "-o", "out", "--channels", "bad.json"}, "0 channels");
  folder_.write("bad.json", "{\"channels\": [3]}");
  expect_refused({"simulate", "scene.toml", "-o", "out", "--channels", "bad.json"}, "no list of channels");
  write_scene("");
  expect_refused({"simulate", "scene.toml", "-o", "out", "--channels", "bad.json"},
                 "has no [[control.channel]]");
}

// What holds back a pin that a channel moves, or cloth whose lengths one changes, is neither the pin nor the
// strain; and what is too dear, or was not at its end, is not called out of reach.
TEST_F(CliChannelTest, WhatHoldsChannelsBack) {
  folder_.write("rest.obj", sheet() + "g top\np 1 2 3 4 5 6\n");
  folder_.write("aside.obj", sheet([](double& x, double&, double&) { x += 0.2; }));
  folder_.write("long.obj", sheet([](double&, double& y, double&) { y *= 1.5; }));
  const auto expect_missed = [&](const std::string& mesh, const std::string& control, const std::string& by,
                                 const std::string& not_by) {
    write_scene(control, pin_text(), "[[keyframe]]\nframe = 1006\nmesh = " + mesh);
    const ProgramResult result = solve();
    EXPECT_EQ(result.exit_code, 4) << control;
    EXPECT_TRUE(says(result.err, {"frame 1006: the closest is", by})) << result.err;
    EXPECT_FALSE(says(result.err, {not_by})) << result.err;
  };
  const std::string alone = "forces = false\n", pin = channel("kind = \"pin\"\npin = 0"),
                    none = "take it no nearer";
  expect_missed("\"aside.obj\"\ngroup = \"top\"\ntolerance = 0.002\n",
                alone + "max_forward_simulations = 1\n" + pin, "raise max_forward_simulations",
                "pins hold it back");
  expect_missed("\"aside.obj\"\ntolerance = 0.002\n", alone + "max_forward_simulations = 2\n" + pin,
                "raise max_forward_simulations", none);
  expect_missed("\"key.obj\"\ntolerance = 0.002\n",
                alone + "effort = 0.5\n" + channel(kThrow + "\nas = \"vertices\""), "effort holds it back",
                none);
  expect_missed("\"long.obj\"\ntolerance = 0.0001\n",
                "max_forward_simulations = 2\n" + channel("kind = \"stretch-scale\"\nscale = 0.05"),
                "its tolerance 0.1 mm", "it is strained");
}

TEST_F(CliChannelTest, WhatTheyKeepIsCountedWhereMemoryIsShort) {
  write_scene(channel("kind = \"pin\"\npin = 0"), pin_text() + "[solver]\nmemory_gb = 1e-4\n");
  expect_refused({"solve", "scene.toml", "-o", "out"}, "of derivatives by channels, of every step");
}

TEST_F(CliChannelTest, LengthsBelowZeroAreRefused) {
  write_scene("forces = false\nmax_forward_simulations = 1\n" +
              channel("kind = \"stretch-scale\"\nknots_every = 5"));
  solve("take");
  nlohmann::ordered_json file = nlohmann::ordered_json::parse(folder_.read("take/channels.json"));
  const auto simulate_at = [&](double added) {
    file["channels"][0]["values"] = {{0.0, added}};
    folder_.write("edited.json", file.dump());
    return std::vector<std::string>{"simulate",   "scene.toml",  "-o",     "again",
                                    "--channels", "edited.json", "--force"};
  };
  EXPECT_EQ(run(simulate_at(-0.2)).exit_code, 0);
  expect_refused(simulate_at(-1.5), "edited.json: its channels take stretch_scale down to -0.5");
}

}  // namespace
}  // namespace keydrape
