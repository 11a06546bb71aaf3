#include "io/run/scene_fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "io/file/file.h"
#include "io/file/printable.h"
#include "io/formats/named_file.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/read_cache.h"
#include "io/scene/key_default.h"
#include "io/scene/scene_keys.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

constexpr std::size_t kLongestValue = 60;  // longer ones stand there as their hash [bytes]

// FNV-1a (Fowler, Noll & Vo), of bytes that come in pieces.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::string hash_text(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.text();
}

// Caches may be longer than memory.
std::string hash_of_file(const std::filesystem::path& path) {
  constexpr std::uint64_t kPiece = 1 << 20;
  InputFile file(path);
  std::string piece;
  Hash hash;
  while (file.position() < file.size()) {
    piece.resize(std::min(kPiece, file.size() - file.position()));
    file.read(piece.data(), piece.size());
    hash.add(piece);
  }
  return hash.text();
}

// Of a sequence's files, with their numbers.
std::string hash_of_sequence(const FramePattern& pattern, const std::vector<int>& frames) {
  Hash hash;
  for (const int frame : frames) hash.add(fmt::format("{} {} ", frame, hash_of_file(pattern.path(frame))));
  return hash.text();
}

// Values in words. Overloaded on what keys are read into.
std::string text(const std::string& value) { return '"' + value + '"'; }
std::string text(double value) { return fmt::format("{}", value); }
std::string text(int value) { return fmt::format("{}", value); }
std::string text(bool value) { return value ? "true" : "false"; }
std::string text(const Vec2& value) { return fmt::format("[{}, {}]", value.x(), value.y()); }
std::string text(const Vec3& value) { return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z()); }
std::string text(const Edge& value) { return fmt::format("[{}, {}]", value[0], value[1]); }
std::string text(const scene::Landmark& value) {
  return fmt::format("[{}, {}]", value.vertex, text(value.position));
}
std::string text(const FrameRange& value) { return value.text(); }
std::string text(const scene::Effort& value) { return value.automatic ? "\"auto\"" : text(value.value); }
std::string text(const scene::Compressed& value) {
  return value.is_buckling ? "\"buckling\"" : text(value.factor);
}

std::string text(const std::filesystem::path& file);
std::string text(const scene::Initial& value) {
  return value.mesh ? text(value.mesh->value) : value.is_drape ? "\"drape\"" : "rest";
}

std::string text(const std::filesystem::path& file) {
  const std::filesystem::path named = named_file(file);  // name.pc2 of name.pc2@1030
  const std::string name = printable(named.filename().string()),
                    choice = printable(file.string().substr(named.string().size()));
  if (std::filesystem::exists(named)) return fmt::format("{} ({}){}", name, hash_of_file(named), choice);
  const auto pattern = FramePattern::parse(named);
  if (!pattern) return name + choice;
  const auto one = split_frame(file);
  const bool is_one = one && one->which == FrameChoice::Which::kNumber;
  const std::vector<int> frames = is_one ? std::vector<int>{one->frame} : pattern->existing_frames();
  return fmt::format("{} ({}){}", name, hash_of_sequence(*pattern, frames), choice);
}

template <scene::WordEnum Enum>
std::string text(Enum value) {
  return toml_text(value);
}

template <class Value>
std::string text(const Sourced<Value>& value);
template <class Value>
std::string text(const std::vector<Value>& values);
template <class First, class Second>
std::string text(const std::variant<First, Second>& value);

template <class Value>
std::string text(const Keyed<Value>& value) {
  if (value.keys.size() == 1) return text(value.keys.front().second);
  std::string all;
  for (const auto& [frame, key] : value.keys) all += fmt::format("[{}, {}] ", frame, text(key));
  return all;
}
template <class Value>
std::string text(const Sourced<Value>& value) {
  return text(value.value);
}
template <class Value>
std::string text(const std::vector<Value>& values) {
  std::string all;
  for (const Value& value : values) all += (all.empty() ? "" : ", ") + text(value);
  return fmt::format("[{}]", all);
}
template <class First, class Second>
std::string text(const std::variant<First, Second>& value) {
  return std::visit([](const auto& held) { return text(held); }, value);
}

// Visits every key of the scene (scene_keys.h).
class Lister {
 public:
  template <class Value>
  void operator()(std::string_view name, const Value& value, const KeyRule&) {
    if (name == "output" || name == "max_forward_simulations" || name == "memory_gb" ||
        name == "scratch_gb" || name == "scratch_dir")
      return;
    const std::string outer =
        std::exchange(name_, name_.empty() ? std::string(name) : fmt::format("{}.{}", name_, name));
    add(value);
    name_ = outer;
  }

  // What counts of a take beside its forces.
  void add_take(const std::filesystem::path& forces) {
    for (const std::filesystem::path& file : files_beside_forces(forces))
      keys.emplace_back(fmt::format("{} of control.relative_to", file.filename().string()), text(file));
  }

  SceneFingerprint keys;

 private:
  template <class Value>
  void add(const Value& value) {
    std::string words = text(value);
    if (words.size() > kLongestValue) words = fmt::format("long ({})", hash_text(words));
    keys.emplace_back(name_, std::move(words));
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    if (value) add(*value);
  }
  template <scene::TableStruct Table>
  void add(const Table& table) {
    Table copy = table;  // visit_keys walks tables that can be written to
    // These two say what they say by their keys alone, of which some do not count.
    const bool is_said_by_keys = name_ == "control" || name_ == "solver";
    if (table.source.line > 0 && !is_said_by_keys) keys.emplace_back(name_, "there");
    scene::visit_keys(*this, copy);
  }
  template <scene::TableStruct Table>
  void add(const std::vector<Table>& tables) {
    const std::string outer = name_;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      name_ = fmt::format("{}.{}", outer, k);
      add(tables[k]);
    }
    name_ = outer;
  }

  std::string name_;  // of the key that is visited
};

}  // namespace

SceneFingerprint scene_fingerprint(const Scene& scene) {
  Lister lister;
  Scene copy = scene;
  scene::visit_keys(lister, copy);
  if (scene.control.relative_to) lister.add_take(scene.control.relative_to->value);
  return std::move(lister.keys);
}

std::string file_fingerprint(const std::filesystem::path& file) { return text(file); }

std::string layout_fingerprint(const ControlLayout& layout) {
  std::string words = fmt::format("{} {}", layout.size(), layout.channel_size());
  for (const int vertex : layout.active()) words += fmt::format(" {}", vertex);
  for (int n = 0; n < layout.step_count(); ++n) words += fmt::format(" {}", layout.block_of_step(n));
  return hash_text(words);
}

std::vector<std::string> differences(const SceneFingerprint& before, const SceneFingerprint& now) {
  const std::map<std::string, std::string> was(before.begin(), before.end()), is(now.begin(), now.end());
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : now) names.insert(name);
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const auto a = was.find(name), b = is.find(name);
    if (a == was.end())
      lines.push_back(fmt::format("{} is new: {}", name, b->second));
    else if (b == is.end())
      lines.push_back(fmt::format("{} was {} and is gone", name, a->second));
    else if (a->second != b->second)
      lines.push_back(fmt::format("{} was {} and is {}", name, a->second, b->second));
  }
  return lines;
}

std::string in_short(const std::vector<std::string>& differences) {
  constexpr std::size_t kMost = 5;
  const std::size_t shown = std::min(differences.size(), kMost);
  std::string text = fmt::format("{}", fmt::join(differences.begin(), differences.begin() + shown, "; "));
  if (shown < differences.size()) text += fmt::format("; and {} more", differences.size() - shown);
  return text;
}

nlohmann::ordered_json fingerprint_json(const SceneFingerprint& fingerprint) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : fingerprint) json[name] = value;
  return json;
}

SceneFingerprint fingerprint_of(const nlohmann::ordered_json& json) {
  SceneFingerprint fingerprint;
  for (const auto& [name, value] : json.items()) fingerprint.emplace_back(name, value.get<std::string>());
  return fingerprint;
}

}  // namespace keydrape
