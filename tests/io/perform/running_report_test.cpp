// What the report shows while a search goes on.

#include "io/perform/running_report.h"

#include <string>
#include <vector>

#include "io/perform/solve_run.h"
#include "tests/support/report_folder.h"

namespace keydrape {
namespace {

class RunningReportTest : public ReportFolder {
 protected:
  // The run that the report in out shows.
  nlohmann::json shown() const { return manifest("out/report.html")["runs"].at(0); }

  // Solves the scene, or its next window; what is shown just before its end.
  nlohmann::json shown_by_search(bool resume = false) const {
    class Listener final : public RunListener {
     public:
      explicit Listener(const RunningReportTest& test) : test_(test) {}
      void on_folder(const RunFolder&) override {}
      void on_text(LogLevel, const std::string&) override {}
      void on_computed() override { run = test_.shown(); }
      bool should_stop() override { return false; }
      nlohmann::json run;

     private:
      const RunningReportTest& test_;
    };
    Listener listener(*this);
    solve_in_folder(read_scene(folder_ / "scene.toml"),
                    {.place = {.folder = folder_ / "out", .resume = resume}, .one_window = true}, listener);
    return listener.run;
  }

  static void expect_take(const nlohmann::json& run, int frames) {
    ASSERT_EQ(run["takes"].size(), 2u);
    EXPECT_EQ(run["summary"], nullptr);
    EXPECT_EQ(run["takes"][0]["name"], "controlled");
    EXPECT_EQ(run["takes"][0]["source"], "memory");
    EXPECT_EQ(run["takes"][0]["motion"]["frames"], frames);
    EXPECT_EQ(run["takes"][1]["motion"]["frames"], kFrames);
  }
};

TEST_F(RunningReportTest, HasTheBestOfTheWholeShot) {
  const nlohmann::json run = shown_by_search();
  expect_take(run, kFrames);
  EXPECT_FALSE(run["convergence"].empty());
  EXPECT_FALSE(run.contains("searched_window"));
}

// One after the other, the second as a search that goes on: the first report of a search comes at once.
TEST_F(RunningReportTest, HasTheWindowThatIsSearched) {
  write_scene_in_windows();
  const nlohmann::json first = shown_by_search();
  expect_take(first, 4);
  EXPECT_EQ(first["searched_window"],
            (nlohmann::json{{"frames", {1001, 1004}}, {"number", 1}, {"count", 2}}));
  EXPECT_TRUE(first["keyframes"][0]["misses"].contains("controlled"));
  EXPECT_FALSE(first["keyframes"][1]["misses"].contains("controlled"));
  ASSERT_FALSE(first["convergence"].empty());
  EXPECT_EQ(first["convergence"][0]["window"], (std::vector<int>{1001, 1004}));

  const nlohmann::json second = shown_by_search(true);
  expect_take(second, kFrames);
  EXPECT_EQ(second["searched_window"],
            (nlohmann::json{{"frames", {1003, 1006}}, {"number", 2}, {"count", 2}}));
  EXPECT_EQ(second["convergence"][0]["window"], (std::vector<int>{1001, 1004}));
  EXPECT_EQ(second["convergence"].back()["window"], (std::vector<int>{1003, 1006}));
  EXPECT_FALSE(shown().contains("searched_window")) << "the run has ended";
}

}  // namespace
}  // namespace keydrape
