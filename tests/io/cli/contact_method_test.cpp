// Contact behind linearised steps, through the program: what is simulated, what is refused, and why.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/contact/pairs/intersection.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "tests/support/cli_folder.h"
#include "tests/support/resumed_run.h"

namespace keydrape {
namespace {

class CliContactMethodTest : public ResumedRun {
 protected:
  // The sheet hangs down; a ball goes through where it hangs.
  static std::string scene(const std::string& contact, const std::string& solver = "") {
    return shot_text() + pin_text() + "[solver]\nintegrator = \"linearized\"\n" + solver + "[contact]\n" +
           contact +
           "[[collider]]\nsphere = {center = [0.125, -0.12, 0.08], radius = 0.05}\ntranslate = [[1001, [0, "
           "0, 0]], "
           "[1006, [0, 0, -0.12]]]\n";
  }
  ProgramResult run_scene(const std::string& text, std::vector<std::string> words) const {
    folder_.write("scene.toml", text);
    words.insert(words.begin() + 1, "scene.toml");
    return run(words);
  }
  VecX positions(const std::string& folder) const {
    return read_npy(folder_ / folder / "positions.npy").values;
  }

  // Of the ball and the vertices, over all frames.
  struct Meeting {
    double depth;   // how far a vertex is within the ball at most; below 0 where none is [m]
    double pushed;  // the least z of a vertex [m]
  };
  Meeting meeting_in(const std::string& folder) const {
    const VecX all = positions(folder);
    EXPECT_EQ(all.size(), 3 * kVertices * kFrames);
    Meeting meeting{-1.0, 0.0};
    for (int frame = 0; frame < kFrames; ++frame) {
      const Vec3 center(0.125, -0.12, 0.08 - 0.12 * frame / (kFrames - 1));
      for (int i = 0; i < kVertices; ++i) {
        const Vec3 x = all.segment<3>(3 * (kVertices * frame + i));
        meeting.depth = std::max(meeting.depth, 0.05 - (x - center).norm());
        meeting.pushed = std::min(meeting.pushed, x.z());
      }
    }
    return meeting;
  }
};

TEST_F(CliContactMethodTest, ImpulsesHoldTheClothOffABallAndItself) {
  const ProgramResult result = run_scene(scene("method = \"impulses\"\nfriction = 0.3\nrestitution = 0.2\n"),
                                         {"simulate", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<Triangle> triangles = read_obj(folder_ / "rest.obj").triangles;
  const VecX all = positions("out");
  const Eigen::Index n = all.size() / kFrames;
  for (int frame = 0; frame < kFrames; ++frame)
    EXPECT_EQ(find_intersections(triangles, all.segment(frame * n, n)).count, 0);
  const Meeting meeting = meeting_in("out");
  EXPECT_LT(meeting.depth, 0.0);
  EXPECT_LT(meeting.pushed, -0.03);
}

// A projection ends outside. A filter sinks in by the way of one step, in which the ball moves by 0.012 m,
// and so does a penalty, whose spring acts from the step after. What a constraint has let go it does not look
// at again in that step.
TEST_F(CliContactMethodTest, EveryOtherMethodRunsAndKeepsTheBallsVerticesOutInItsWay) {
  const std::map<std::string, double> deepest = {
      {"projection", 0.0}, {"filter", 0.02}, {"penalty", 0.02}, {"constraint", 2e-3}};  // [m]
  for (const auto& [method, allowed] : deepest) {
    const ProgramResult result =
        run_scene(scene("method = \"" + method + "\"\nself = false\n"), {"simulate", "-o", method});
    ASSERT_EQ(result.exit_code, 0) << method << result.err;
    const Meeting meeting = meeting_in(method);
    EXPECT_LE(meeting.depth, allowed) << method;
    EXPECT_LT(meeting.pushed, -0.02) << method;
  }
  EXPECT_NE(positions("projection"), positions("filter"));
}

// Points between vertices are looked at as the shot begins, so that the key is none without any effect.
TEST_F(CliContactMethodTest, PointsThatAMethodDoesNotHoldAreWarnedOf) {
  const auto said = [&](const std::string& method, const std::string& more = "") {
    const ProgramResult result = run_scene(scene("method = \"" + method + "\"\nself = false\n") + more,
                                           {"simulate", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << method << result.err;
    return result.err.find("point_spacing") != std::string::npos;
  };
  for (const std::string method : {"projection", "filter", "constraint"}) {
    EXPECT_FALSE(said(method));
    const VecX plain = positions("out");
    EXPECT_TRUE(said(method, "point_spacing = 0.02\n"));
    EXPECT_EQ(positions("out"), plain);
  }
  for (const std::string method : {"barrier", "impulses", "penalty"})
    EXPECT_FALSE(said(method, "point_spacing = 0.02\n")) << method;
}

TEST_F(CliContactMethodTest, IsTheSameForAnyNumberOfThreads) {
  folder_.write("scene.toml", scene("method = \"impulses\"\n", "max_edge_stretch = 0.05\n"));
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "whole", "--threads", "1"}).exit_code, 0);
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "again", "--threads", "2"}).exit_code, 0);
  EXPECT_EQ(folder_.read("whole/positions.npy"), folder_.read("again/positions.npy"));
}

TEST_F(CliContactMethodTest, EdgesThatStayTooLongAreWarnedOf) {
  folder_.write("long.obj", sheet([](double&, double& y, double&) { y *= 1.2; }));
  const auto simulated = [&](const std::string& pinned, const std::string& solver) {
    return run_scene(shot_text("") + "initial = \"long.obj\"\n[[pin]]\nvertices = " + pinned +
                         "[solver]\nintegrator = \"linearized\"\n" + solver,
                     {"simulate", "-o", "out", "--force"});
  };
  const std::string apart = "[0, 1, 2, 3, 4, 5, 30, 31, 32, 33, 34, 35]\n",
                    limit = "max_edge_stretch = 0.1\n";
  const ProgramResult far = simulated(apart, limit);
  EXPECT_EQ(far.exit_code, 0);
  EXPECT_TRUE(
      says(far.err, {"at frame ", " % longer than at rest, and max_edge_stretch lets 10 %: that is more"}))
      << far.err;
  EXPECT_FALSE(says(simulated(apart, "max_edge_stretch = 0.3\n").err, {"max_edge_stretch"}));
  EXPECT_FALSE(says(simulated(apart, "").err, {"max_edge_stretch"}));
}

TEST_F(CliContactMethodTest, ASearchIsRefusedWithTheReason) {
  for (const auto& [contact, solver, says_what] :
       {std::tuple{"method = \"impulses\"\n", "", "[contact] method: found one that acts"},
        std::tuple{"method = \"constraint\"\nself = false\n", "", "[contact] method: found one that acts"},
        std::tuple{"self = false\n", "max_edge_stretch = 0.1\n", "[solver] max_edge_stretch: found one"}})
    for (const std::string command : {"solve", "check"}) {
      const ProgramResult result = run_scene(scene(contact, solver) + keyframe_text(), {command});
      EXPECT_EQ(result.exit_code, 3);
      EXPECT_TRUE(says(result.err, {says_what, "have no gradient", "keydrape simulate and play"}))
          << result.err;
    }
}

TEST_F(CliContactMethodTest, APenaltyHasAnExactGradient) {
  const std::string all =
      scene("method = \"penalty\"\nself = false\nstiffness = 0.02\nactivation = 0.01\nfriction = 0.2\n") +
      keyframe_text();
  for (const std::string steps : {"newton", "prefactored", "descent"}) {
    const size_t at = all.find("linearized");
    const std::string text = std::string(all).replace(at, 10, steps);
    const ProgramResult result = run_scene(text, {"check", "--json"});
    ASSERT_EQ(result.exit_code, 0) << steps << result.err;
    const nlohmann::json check = nlohmann::json::parse(result.out);
    EXPECT_NEAR(check["taylor_order_mean"], 2.0, 0.05) << steps;
    EXPECT_LT(check["dot_product_error"], 1e-10) << steps;
  }
}

TEST_F(CliContactMethodTest, BodiesThatAreTrianglesAreRefusedByMethodsOfDistances) {
  folder_.write("plate.obj", sheet([](double&, double& y, double&) { y -= 0.5; }));
  const std::string plate = "[[collider]]\nmesh = \"plate.obj\"\nas = \"surface\"\n";
  const ProgramResult refused =
      run_scene(scene("method = \"filter\"\nself = false\n") + plate, {"simulate", "--dry-run"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(
      says(refused.err, {"[contact] method knows bodies by their signed distance alone", "as = \"volume\""}))
      << refused.err;
  EXPECT_EQ(run_scene(scene("method = \"impulses\"\n") + plate, {"simulate", "-o", "out"}).exit_code, 0);
}

// Rest has no steps: it is found by barriers.
TEST_F(CliContactMethodTest, ADrapeIsFoundByBarriersAndThenStepsByImpulses) {
  std::string text = scene("method = \"impulses\"\n");
  const ProgramResult draped = run_scene(text, {"drape"});
  EXPECT_EQ(draped.exit_code, 0) << draped.err;
  text.insert(text.find("[[pin]]"), "initial = \"drape\"\n");
  const ProgramResult result = run_scene(text, {"simulate", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Meeting meeting = meeting_in("out");
  EXPECT_LT(meeting.depth, 0.0);
  EXPECT_LT(meeting.pushed, -0.03);
}

}  // namespace
}  // namespace keydrape
