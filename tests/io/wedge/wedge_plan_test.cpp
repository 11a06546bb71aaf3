#include "io/wedge/wedge_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "io/wedge/comparison.h"
#include "io/wedge/wedge_pool.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

using Settings = std::vector<std::vector<SceneSetting>>;

TEST(WedgePlanTest, ListsMakeTheirProductTheLastFastest) {
  const Settings all = settings_of_lists({"a.b=1,2", "c.0.d=x,y"});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1], (std::vector<SceneSetting>{{"a.b", "1"}, {"c.0.d", "\"y\""}}));
  EXPECT_EQ(all[2], (std::vector<SceneSetting>{{"a.b", "2"}, {"c.0.d", "\"x\""}}));
  const WedgePlan plan = make_wedge_plan("scene.toml", WedgeCommand::kSolve, all);
  EXPECT_EQ(plan.elements[1].name, "002-b-1-d-y");
  EXPECT_EQ(plan.elements[1].number, 2);
}

TEST(WedgePlanTest, RefusesWhatIsNoListOrSaysATwice) {
  EXPECT_THROW(settings_of_lists({"a.b"}), InputError);
  EXPECT_THROW(settings_of_lists({"a.b=1", "a.b=2"}), InputError);
  EXPECT_THROW(make_wedge_plan("s.toml", WedgeCommand::kSolve, settings_of_lists({"a.b=1,1"})), InputError);
  const std::string many = "a.b=" + [] {
    std::string list = "0";
    for (int k = 1; k < 200; ++k) list += "," + std::to_string(k);
    return list;
  }();
  std::string other = many;
  other[0] = 'c';
  EXPECT_THROW(settings_of_lists({many, other}), InputError);  // 40,000
}

TEST(WedgePlanTest, ATableIsRowsOfValues) {
  TemporaryFolder folder;
  folder.write("t.csv",
               "control.effort,\"cloth.material.stretch\"\r\n1e-5,\"[1, 2]\"\r\n\r\n,\"\"\"soft\"\"\"\n");
  EXPECT_EQ(settings_of_table(folder / "t.csv"),
            (Settings{{{"control.effort", "1e-5"}, {"cloth.material.stretch", "[1, 2]"}},
                      {{"cloth.material.stretch", "\"soft\""}}}));
  for (const char* wrong : {"", "a.b\n", "a.b,c.d\n1\n", "a.b\n\"1\n", "a.b\n\"1,2\"\n"}) {
    folder.write("t.csv", wrong);
    EXPECT_THROW(settings_of_table(folder / "t.csv"), InputError) << wrong;
  }
}

TEST(WedgePlanTest, ATableMayComeFromASpreadsheet) {
  TemporaryFolder folder;
  const Settings one = {{{"a.b", "1"}}};
  for (const char* text : {"\xEF\xBB\xBF"
                           "a.b\n1\n",
                           "\xEF\xBB\xBF\"a.b\"\r\n1", "a.b,,\n1,,\n"})
    EXPECT_EQ(settings_of_table(folder.write("t.csv", text)), one) << text;
  const Settings with_scene = {{{"a.b", "1"}}, {}, {{"a.b", "2"}}};
  EXPECT_EQ(settings_of_table(folder.write("t.csv", "\na.b\n1\n\r\n\"\"\n2\n\n")), with_scene);
  folder.write("t.csv", "a.b,c.d,\"a.b\"\n1,2,\n");
  EXPECT_TRUE(says(message_of<InputError>([&] { settings_of_table(folder / "t.csv"); }),
                   {"header: found 'a.b' in columns 1 and 3; expected a key once"}));
}

// What stands in it decides in which folders results are removed and runs go on.
TEST(WedgePlanTest, RefusesWhatIsDamagedOrLeadsElsewhere) {
  TemporaryFolder folder;
  const std::string settings = R"([{"key": "a", "value": "1"}])";
  const std::string element =
      R"({"number": 1, "name": "001-a", "memory_gb": 2, "windows": 0, "settings": )" + settings + "}";
  const auto plan = [](const std::string& elements) {
    return R"({"scene": "/s.toml", "command": "solve", "elements": [)" + elements + "]}";
  };
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string text = plan(element);
    return text.replace(text.find(part), part.size(), other);
  };
  const auto named = [&](const std::string& name) { return with("001-a", name); };
  std::string twice = plan(element);
  twice.insert(twice.rfind(']'), "," + element);
  folder.write("wedge.json", plan(element));
  EXPECT_EQ(read_wedge(folder.path()).elements.at(0).settings, (std::vector<SceneSetting>{{"a", "1"}}));
  for (const auto& [text, told] : {std::pair(plan(element).substr(0, 60), "damaged"),
                                   {with("solve", "sell"), "command: found 'sell'"},
                                   {named("../001-a"), "element 1: found the name '../001-a'"},
                                   {named("/etc"), "element 1: found the name '/etc'"},
                                   {named(".."), "element 1: found the name '..'"},
                                   {named(""), "element 1: found the name ''"},
                                   {with("\"number\": 1", "\"number\": 1.5"), "damaged"},
                                   {with("\"number\": 1", "\"number\": 7"), "element 1: found the number 7"},
                                   {twice, "element 2: found the number 1"},
                                   {with("\"windows\": 0", "\"windows\": -1e300"), "damaged"},
                                   {with("\"windows\": 0", "\"windows\": -1"), "windows = -1"},
                                   {with("\"memory_gb\": 2", "\"memory_gb\": -2"), "memory_gb = -2"},
                                   {with("\"memory_gb\": 2", "\"memory_gb\": null"), "damaged"}}) {
    folder.write("wedge.json", text);
    try {
      read_wedge(folder.path());
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(told), std::string::npos) << error.what();
    }
  }
}

TEST(WedgePoolTest, DividesProcessors) {
  const auto divided = [](int processors, int elements, int jobs, int threads) {
    PoolOptions options{
        .program = {}, .jobs = jobs, .threads = threads, .one_window = false, .again = false, .memory_gb = 0};
    divide_processors(processors, elements, options);
    return std::pair(options.jobs, options.threads);
  };
  EXPECT_EQ(divided(16, 100, 0, 0), std::pair(16, 1));
  EXPECT_EQ(divided(16, 4, 0, 0), std::pair(4, 4));
  EXPECT_EQ(divided(16, 100, 0, 4), std::pair(4, 4));
  EXPECT_EQ(divided(16, 100, 2, 0), std::pair(2, 8));
  EXPECT_EQ(divided(2, 100, 8, 0), std::pair(8, 1));
}

ElementOutcome outcome(ElementState state, double rms, double effort) {
  ElementOutcome outcome;
  outcome.state = state;
  outcome.targets = {{.frames = {7, 7}, .rms = rms, .max = rms, .excess = rms / 0.01}};
  outcome.rms_g = effort;
  return outcome;
}

TEST(WedgeComparisonTest, TheBestReachesAllAndCostsLeast) {
  const WedgeElement element{1, "001", {{"a.b", "\"x, y\""}}};
  std::vector<WedgeRow> rows = {{&element, outcome(ElementState::kMissed, 0.05, 0.1)},
                                {&element, outcome(ElementState::kMissed, 0.02, 0.9)},
                                {&element, outcome(ElementState::kFailed, 0, 0)}};
  EXPECT_EQ(best_row(rows, WedgeCommand::kSolve), 1);
  rows.push_back({&element, outcome(ElementState::kDone, 0.009, 0.5)});
  rows.push_back({&element, outcome(ElementState::kDone, 0.001, 0.6)});
  EXPECT_EQ(best_row(rows, WedgeCommand::kSolve), 3);
  EXPECT_FALSE(best_row(rows, WedgeCommand::kSimulate));
  const std::string csv = wedge_csv(rows);
  EXPECT_EQ(
      csv.substr(0, csv.find('\n')),
      "element,folder,a.b,status,exit_code,rms_m_7,max_m_7,effort_rms_g,effort_peak_g,forward_simulations,"
      "seconds,peak_rss_bytes,reason");
  EXPECT_NE(csv.find("1,001,\"\"\"x, y\"\"\",done,,0.009,0.009,0.5,"), std::string::npos) << csv;
}

// All are done then, and the least effort would be that of the cloth left alone.
TEST(WedgeComparisonTest, WithoutTolerancesTheBestIsTheNearest) {
  const WedgeElement near{1, "001", {}}, far{2, "002", {}};
  const auto free = [](double rms, double effort) {
    ElementOutcome without = outcome(ElementState::kDone, rms, effort);
    without.targets[0].excess = {};
    return without;
  };
  std::vector<WedgeRow> rows = {{&far, free(0.05, 0.1)}, {&near, free(0.01, 0.9)}};
  rows[0].outcome.targets.push_back({.frames = {9, 9}, .rms = 0.001, .max = 0.001, .excess = {}});
  EXPECT_EQ(best_row(rows, WedgeCommand::kSolve), 1);
  EXPECT_TRUE(says(wedge_table(rows, WedgeCommand::kSolve).back(), {"best: 001", "none has a tolerance"}));
  rows[0].outcome.targets[1].excess = 0.5;
  EXPECT_EQ(best_row(rows, WedgeCommand::kSolve), 0);
  EXPECT_TRUE(says(wedge_table(rows, WedgeCommand::kSolve).back(), {"best: 002", "the least effort"}));
  rows[0].outcome.state = ElementState::kMissed;  // still better than one that was asked for nothing
  EXPECT_EQ(best_row(rows, WedgeCommand::kSolve), 0);
}

// Whatever is missed counts: of a track its worst frame, of a keyframe its farthest vertex and velocities.
TEST(WedgeComparisonTest, EveryKindOfMissCounts) {
  const auto keyframe = [](const std::string& more) {
    return R"({"frame": 7, "rms_m": 0.004, "max_m": 0.06, "tolerance_m": 0.01)" + more + "}";
  };
  const auto track = [](double worst) {
    return fmt::format(R"({{"range": [3, 9], "rms_m": 0.02, "max_m": 0.5, "tolerance_m": 0.01, )"
                       R"("worst": {{"frame": 5, "rms_m": {}}}}})",
                       worst);
  };
  const auto outcome_of = [](const std::string& keyframes, const std::string& tracks) {
    TemporaryFolder folder;
    folder.write("summary.json", R"({"status": "missed", "effort": {"rms_g": 1, "peak_g": 2}, "work": )"
                                 R"({"forward_simulations": 3}, "memory_bytes": {"peak_rss": 1}, )"
                                 R"("time_s": {"total": 5}, )"
                                 R"("keyframes": [)" +
                                     keyframes + R"(], "tracks": [)" + tracks + "]}");
    return element_outcome(folder.path());
  };
  const std::vector<ElementOutcome> outcomes = {
      outcome_of("", track(0.05)), outcome_of("", track(0.04)),
      outcome_of(keyframe(R"(, "tolerance_max_m": 0.02)") + "," + keyframe(""), ""),
      outcome_of(keyframe(R"(, "velocity_rms_m_s": 0.7, "velocity_tolerance_m_s": 0.1)"), "")};
  const WedgeElement element{1, "001", {}};
  const auto best_of = [&](const std::vector<int>& which) {
    std::vector<WedgeRow> rows;
    rows.reserve(which.size());
    for (const int k : which) rows.push_back({&element, outcomes[static_cast<std::size_t>(k)]});
    return best_row(rows, WedgeCommand::kSolve);
  };
  EXPECT_EQ(best_of({0, 1}), 1);        // 5, 4 times what is allowed
  EXPECT_EQ(best_of({0, 2, 1, 3}), 1);  // 3 and 7 times
  EXPECT_EQ(best_of({1, 2}), 1);
  EXPECT_EQ(best_of({3, 0}), 1);
  std::vector<WedgeRow> rows;
  rows.reserve(outcomes.size());
  for (const ElementOutcome& outcome : outcomes) rows.push_back({&element, outcome});
  const std::string csv = wedge_csv(rows);
  EXPECT_NE(csv.find(",rms_m_3-9,max_m_3-9,rms_m_7,max_m_7,rms_m_7_2,max_m_7_2,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("missed,4,0.02,0.5,,,,,1,2,3,5.00"), std::string::npos) << csv;
  EXPECT_NE(csv.find("missed,4,,,0.004,0.06,0.004,0.06,1,2,3,5.00"), std::string::npos) << csv;
}

// As of one that was killed.
TEST(WedgeTableTest, NoTimeIsToldOfARunThatNeverEnded) {
  WedgeElement element;
  element.name = "001-a-1";
  WedgeRow row{&element, {}};
  row.outcome.state = ElementState::kInterrupted;
  row.outcome.forward_simulations = 4;
  const auto last_word = [&] {
    const std::string line = wedge_table({row}, WedgeCommand::kSolve).at(1);
    return line.substr(line.rfind(' ') + 1);
  };
  EXPECT_EQ(last_word(), "-");
  row.outcome.seconds = 2.04;
  EXPECT_EQ(last_word(), "2.0");
}

}  // namespace
}  // namespace keydrape
