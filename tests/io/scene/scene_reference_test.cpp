#include "io/scene/scene_reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/scene/reference/reference_page.h"
#include "io/scene/reference/scene_schema.h"
#include "io/shot/shot.h"

namespace keydrape {
namespace {

std::vector<std::string> found(const std::string& name) {
  const std::vector<TableReference> reference = scene_reference();
  std::vector<std::string> titles;
  for (const ReferenceMatch& match : find_in_reference(reference, name))
    titles.push_back(match.table->title + (match.key ? " " + match.key->name : ""));
  return titles;
}

using Names = std::vector<std::string>;

TEST(SceneReferenceSearch, FindsKeysAndTablesAsPeopleWriteThem) {
  EXPECT_EQ(found("substeps"), Names{"[shot] substeps"});
  EXPECT_EQ(found("friction"), (Names{"[[collider]] friction", "[contact] friction"}));
  EXPECT_EQ(found("contact.friction"), Names{"[contact] friction"});
  EXPECT_EQ(found("[[pin]] motion"), Names{"[[pin]] motion"});
  EXPECT_EQ(found("[cloth.wind]"), Names{});
  EXPECT_EQ(found("cloth.material"), (Names{"[cloth.material]", "[cloth] material"}));
  EXPECT_EQ(found("substep"), Names{});
}

TEST(SceneReferenceSearch, NamesTheNearest) {
  const std::vector<TableReference> reference = scene_reference();
  EXPECT_EQ(nearest_in_reference(reference, "substep", 3), Names{"substeps"});
  EXPECT_EQ(nearest_in_reference(reference, "wieght", 1), Names{"weight"});
  EXPECT_EQ(nearest_in_reference(reference, "pin.moton", 1), Names{"pin.motion"});
  EXPECT_EQ(nearest_in_reference(reference, "acceleration", 1), Names{"max_acceleration"});
  EXPECT_EQ(nearest_in_reference(reference, "weight", 2).size(), 2u);
  EXPECT_EQ(nearest_in_reference(reference, "zzzzzzzz", 3), Names{});
  EXPECT_EQ(nearest_in_reference(reference, std::string(1 << 20, 'a'), 3), Names{});
}

TEST(SceneReferencePage, IsWhatTheProgramWrites) {
  std::ifstream file(KEYDRAPE_EXAMPLES "/../io/scene/reference/scene_keys.md");
  std::stringstream committed;
  committed << file.rdbuf();
  EXPECT_TRUE(committed.str() == reference_page()) << "io/scene/reference/scene_keys.md is out of date: "
                                                      "keydrape reference > io/scene/reference/scene_keys.md";
}

// A bar or a line break in a text would break the page's tables.
TEST(SceneReferencePage, HasSevenCellsInEveryRow) {
  std::istringstream page(reference_page());
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with('|')) continue;
    int bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(bars, 8) << line;
    ++rows;
  }
  EXPECT_GT(rows, 90);
}

TEST(SceneReferencePage, FindsAKeyUnderEveryNameThatMessagesGiveIt) {
  const std::vector<TableReference> reference = scene_reference();
  for (const char* name :
       {"keyframe.tolerance", "[[keyframe]] tolerance", "keyframe.0.tolerance", "keyframe.12.tolerance"}) {
    const std::vector<ReferenceMatch> matches = find_in_reference(reference, name);
    ASSERT_EQ(matches.size(), 1u) << name;
    EXPECT_EQ(matches.front().table->path, "keyframe");
    EXPECT_EQ(matches.front().key->name, "tolerance");
  }
  EXPECT_EQ(find_in_reference(reference, "control.channel.1.kind").size(), 1u);
  EXPECT_TRUE(find_in_reference(reference, "0.tolerance").empty());
}

TEST(SceneReferencePage, KnowsTheBudgetsThatSearchesGet) {
  const std::vector<TableReference> reference = scene_reference();
  const KeyReference& key = *find_in_reference(reference, "max_forward_simulations").front().key;
  SearchOptions search;
  EffortPolicy effort{.automatic = true};
  const int automatic = search.forward_run_budget(effort);
  effort.automatic = false;
  const int fixed = search.forward_run_budget(effort);
  search.method = SearchMethod::kLbfgs;
  EXPECT_EQ(key.default_text,
            fmt::format("{} for gauss-newton, {} where effort is a number, {} for lbfgs and descent",
                        automatic, fixed, search.forward_run_budget(effort)));
}

TEST(SceneReferencePage, SaysOfEveryKeyWithADefaultWhenToChangeIt) {
  for (const TableReference& table : scene_reference()) {
    for (const KeyReference& key : table.keys) {
      if (key.default_text.empty() || key.default_text == "required") continue;
      EXPECT_FALSE(key.when.empty()) << table.title << " " << key.name;
    }
  }
}

TEST(SceneSchema, HoldsEveryKeyWithItsRangeAndDefault) {
  const nlohmann::json schema = nlohmann::json::parse(scene_schema());
  EXPECT_EQ(schema["required"], (nlohmann::json{"shot", "cloth"}));
  for (const TableReference& table : scene_reference()) {
    if (table.path.find('.') != std::string::npos) continue;
    const nlohmann::json& at = schema["properties"][table.path];
    const nlohmann::json& properties = (at.contains("items") ? at["items"] : at)["properties"];
    EXPECT_EQ(properties.size(), table.keys.size()) << table.title;
    for (const KeyReference& key : table.keys) EXPECT_TRUE(properties.contains(key.name)) << key.name;
  }
  const nlohmann::json& shot = schema["properties"]["shot"]["properties"];
  EXPECT_EQ(shot["fps"]["exclusiveMinimum"], 0);
  EXPECT_EQ(shot["fps"]["default"], 24);
  EXPECT_EQ(shot["substeps"]["minimum"], 1);
  EXPECT_EQ(shot["up_axis"]["enum"], (nlohmann::json{"Y", "Z"}));
  EXPECT_FALSE(shot["gravity"].contains("default"));  // depends on up_axis
}

}  // namespace
}  // namespace keydrape
