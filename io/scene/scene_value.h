#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/scene/key_rule.h"
#include "io/scene/key_text.h"
#include "io/scene/scene.h"

// One TOML value into one member of Scene, checked against the rule of its key. Inside of io/ only.

namespace keydrape {

// What reading a value has to know of the file around it.
struct SceneContext {
  std::string path;                       // as the user named it
  std::filesystem::path folder;           // absolute
  std::optional<FrameRange> shot_frames;  // as soon as [shot] has been read
  bool has_lines = true;                  // of the user's making, so that messages name them
  std::vector<std::string> doubts{};      // what was read in a doubtful way, one sentence each

  SourcePosition position(const toml::source_region& source) const;
};

struct Refusal {
  SourcePosition at;
  std::string name;  // "[shot] fps"
  std::string found;
  std::string expected;
};

// Throws InputError "path:line:column: [table] key: found ...; expected ...".
[[noreturn]] void refuse(const Refusal& refusal);

// Key and rule of the value being read.
struct KeyContext {
  SceneContext& file;
  std::string name;  // "[shot] fps"
  const KeyRule& rule;
  std::string expected;
};

// A sentence about the number at `node` into the file's doubts, if it is none that shots have. Of a list one.
void doubt_unusual(const KeyContext& key, const toml::node& node, double value);

// `node` is not what the key expects.
[[noreturn]] void refuse(const KeyContext& key, const toml::node& node);
[[noreturn]] void refuse(const KeyContext& key, const toml::node& node, std::string found);
// Likewise if all frames of a value that changes lie before the shot, or behind it.
void doubt_frames(const KeyContext& key, const toml::node& node, double first, double last);
// `word` is none of `choices`.
[[noreturn]] void refuse_choice(const KeyContext& key, const toml::node& node, std::string_view word,
                                const std::vector<std::string_view>& choices);

// A value in a few words for a message: `"fast"`, `-3`, `a list of 2`.
std::string describe(const toml::node& node);

// read_value(key, node, value) for everything that a key can hold; refuses what the rule forbids.
void read_value(const KeyContext& key, const toml::node& node, double& value);
void read_value(const KeyContext& key, const toml::node& node, int& value);
void read_value(const KeyContext& key, const toml::node& node, bool& value);
void read_value(const KeyContext& key, const toml::node& node, std::string& value);  // not empty, printable
void read_value(const KeyContext& key, const toml::node& node, Vec2& value);
void read_value(const KeyContext& key, const toml::node& node, Vec3& value);
void read_value(const KeyContext& key, const toml::node& node, FrameRange& value);
void read_value(const KeyContext& key, const toml::node& node, scene::FilePath& value);
void read_value(const KeyContext& key, const toml::node& node, std::filesystem::path& value);  // a folder
void read_value(const KeyContext& key, const toml::node& node, std::vector<int>& value);
void read_value(const KeyContext& key, const toml::node& node, std::vector<Edge>& value);
void read_value(const KeyContext& key, const toml::node& node, std::vector<scene::Landmark>& value);
void read_value(const KeyContext& key, const toml::node& node, scene::Effort& value);
void read_value(const KeyContext& key, const toml::node& node, scene::Initial& value);
void read_value(const KeyContext& key, const toml::node& node, scene::Compressed& value);

// Any finite number, whatever the rule.
double read_finite(const KeyContext& key, const toml::node& node);
// The values of a list; refuses anything else.
const toml::array& read_list(const KeyContext& key, const toml::node& node);

template <scene::WordEnum Enum>
void read_value(const KeyContext& key, const toml::node& node, Enum& value) {
  if (!node.is_string()) refuse(key, node);
  const std::string& text = node.as_string()->get();
  for (const auto& [word, meaning] : scene::words(Enum{})) {
    if (word != text) continue;
    value = meaning;
    return;
  }
  refuse_choice(key, node, text, words_of<Enum>());
}

template <scene::WordEnum Enum>
void read_value(const KeyContext& key, const toml::node& node, std::vector<Enum>& values) {
  values.clear();
  for (const toml::node& element : read_list(key, node)) {
    Enum value{};
    read_value(key, element, value);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      refuse(key, element, describe(element) + " twice");
    }
    values.push_back(value);
  }
}

template <class Value>
void read_value(const KeyContext& key, const toml::node& node, std::variant<Value, scene::FilePath>& value);

template <class Value>
void read_value(const KeyContext& key, const toml::node& node, Sourced<Value>& value) {
  read_value(key, node, value.value);
  value.source = key.file.position(node.source());
}

// A text is the name of a file, anything else the value.
template <class Value>
void read_value(const KeyContext& key, const toml::node& node, std::variant<Value, scene::FilePath>& value) {
  if (node.is_string()) {
    read_value(key, node, value.template emplace<scene::FilePath>());
  } else {
    read_value(key, node, value.template emplace<Value>());
  }
}

template <class Value>
void read_value(const KeyContext& key, const toml::node& node, std::optional<Value>& value) {
  read_value(key, node, value.emplace());
}

// A list whose first element is a list again holds keys; anything else is a constant.
template <class Value>
void read_value(const KeyContext& key, const toml::node& node, Keyed<Value>& keyed) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty() || !list->front().is_array()) {
    Value constant{};
    read_value(key, node, constant);
    keyed = Keyed<Value>(constant);
    return;
  }
  keyed.keys.clear();
  for (const toml::node& element : *list) {
    const toml::array* pair = element.as_array();
    if (pair == nullptr || pair->size() != 2) refuse(key, element);
    const double frame = read_finite(key, (*pair)[0]);
    if (!keyed.keys.empty() && frame <= keyed.keys.back().first) {
      refuse(key, (*pair)[0], fmt::format("frame {} after frame {}", frame, keyed.keys.back().first));
    }
    Value value{};
    read_value(key, (*pair)[1], value);
    keyed.keys.emplace_back(frame, value);
  }
  doubt_frames(key, node, keyed.keys.front().first, keyed.keys.back().first);
}

}  // namespace keydrape
