// How far a search says that it has come.

#include "io/perform/search_progress.h"

#include <algorithm>
#include <string>
#include <vector>

#include "io/perform/solve_run.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

struct Shown {
  double fraction;
  std::string text;

  bool is_of_level() const { return text.find("vertices, ") != std::string::npos; }
};

class ProgressKeeper final : public RunListener {
 public:
  void on_folder(const RunFolder&) override {}
  void on_text(LogLevel, const std::string&) override {}
  void on_progress(double fraction, const std::string& text) override { shown.push_back({fraction, text}); }
  bool should_stop() override { return false; }

  std::vector<Shown> shown;
};

class SearchProgressTest : public CliFolder {
 protected:
  std::vector<Shown> shown_by_search(const std::string& control) const {
    folder_.write("scene.toml",
                  shot_text() + pin_text() + keyframe_text("tolerance = 0.003\n") + "[control]\n" + control);
    ProgressKeeper keeper;
    solve_in_folder(read_scene(folder_ / "scene.toml"),
                    {.place = {.folder = folder_ / "out"}, .report = false}, keeper);
    return keeper.shown;
  }
};

// The shot's first run, its coarser level, and the shot's other runs.
TEST_F(SearchProgressTest, GoesForwardThroughALevel) {
  const std::vector<Shown> shown = shown_by_search("coarse_to_fine = [\"mesh\", \"step\"]\n");
  ASSERT_FALSE(shown.empty());
  EXPECT_LT(shown.front().fraction, 0.01);
  constexpr double kRun = 1.0 / 24.0;  // starts and landings go back over steps of a run
  double most = 0.0;
  for (const Shown& one : shown) {
    EXPECT_GT(one.fraction, most - kRun) << one.text;
    most = std::max(most, one.fraction);
  }

  const auto is_of_level = [](const Shown& one) { return one.is_of_level(); };
  const auto first = std::find_if(shown.begin(), shown.end(), is_of_level);
  const auto behind = std::find_if_not(first, shown.end(), is_of_level);
  ASSERT_NE(first, shown.begin());
  ASSERT_NE(behind, shown.end());
  EXPECT_LT(first->fraction, 0.05);
  EXPECT_GT((behind - 1)->fraction, first->fraction + 0.01);
  EXPECT_GE(behind->fraction, 0.3);  // of the level, whose runs were not all needed
  EXPECT_EQ(std::find_if(behind, shown.end(), is_of_level), shown.end());
}

}  // namespace
}  // namespace keydrape
