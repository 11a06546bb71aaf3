#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/run/scene_fingerprint.h"
#include "io/scene/scene_edit.h"

// A wedge: one scene under several settings, each an element with a folder and a scene file of its own, which
// is an ordinary scene and an ordinary run.

namespace keydrape {

enum class WedgeCommand { kSolve, kSimulate };
std::string_view word(WedgeCommand command);  // "solve"

struct WedgeElement {
  int number = 0;    // from 1
  std::string name;  // of its folder: "003-effort-1e-5-tolerance-0.002"
  std::vector<SceneSetting> settings;
  double memory_gb = 0;  // that its scene allows a search, or a simulation takes (ForwardMemory)
  int windows = 0;       // of [control.windows]; 0: none
};

struct WedgePlan {
  std::filesystem::path scene;  // absolute
  WedgeCommand command = WedgeCommand::kSolve;
  std::vector<WedgeElement> elements;
};

inline constexpr int kMostElements = 10000;
inline constexpr std::string_view kWedgeFile = "wedge.json";
inline constexpr std::string_view kElementFile = "element.json";  // how an element's last run ended

// The product of `--set` texts, the last one varying fastest: "control.effort=1e-5,1e-4". Throws InputError.
std::vector<std::vector<SceneSetting>> settings_of_lists(const std::vector<std::string>& lists);
// The rows of a CSV file (RFC 4180) whose header names keys, each once; an empty field leaves the scene's
// value, an empty line is no row, a mark of the byte order is skipped. Throws InputError.
std::vector<std::vector<SceneSetting>> settings_of_table(const std::filesystem::path& file);

// Throws InputError: elements that set the same, or more than kMostElements.
WedgePlan make_wedge_plan(const std::filesystem::path& scene, WedgeCommand command,
                          const std::vector<std::vector<SceneSetting>>& settings);

struct ElementInput {
  std::string scene;       // the text of its file
  SceneFingerprint files;  // that the scene reads, as they are now
};
// Of each element, in order. All are read before any is written. Throws InputError with the setting in front.
std::vector<ElementInput> element_inputs(WedgePlan& plan);

std::filesystem::path element_folder(const std::filesystem::path& wedge, const WedgeElement& element);
// Named as the wedge's scene, so that the shot keeps its name.
std::filesystem::path element_scene(const std::filesystem::path& wedge, const WedgePlan& plan,
                                    const WedgeElement& element);

enum class EarlierWedge {
  kContinue,  // the same wedge goes on, another one is refused
  kReplace,   // results of the elements are removed; a damaged wedge is made anew
};

// Makes DIR/wedge.json and a folder with a scene file for each element. Throws OutputError; InputError where
// another wedge stands in `wedge`, or this one, and an element with results has another scene or files now.
void write_wedge(const std::filesystem::path& wedge, WedgePlan plan, EarlierWedge earlier);
// Throws InputError: there is none, or it is damaged.
WedgePlan read_wedge(const std::filesystem::path& wedge);

}  // namespace keydrape
