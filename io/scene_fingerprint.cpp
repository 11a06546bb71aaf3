#include "io/scene_fingerprint.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "io/file.h"
#include "io/formats/read_cache.h"
#include "io/scene_keys.h"

namespace keydrape {
namespace {

// Visits every key of the scene (scene_keys.h).
class Fingerprint {
 public:
  template <class Value>
  void operator()(std::string_view name, const Value& value, const KeyRule&) {
    if (name == "output" || name == "max_forward_simulations" || name == "memory_gb") return;
    add(name);
    add(value);
  }

  std::string digits() const { return fmt::format("{:016x}", hash_); }

 private:
  void add(std::string_view bytes) {
    add_bytes(bytes);
    add_bytes(std::string_view("\0", 1));  // "ab" "c" is not "a" "bc"
  }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(double value) { add(fmt::format("{}", value)); }
  void add(int value) { add(fmt::format("{}", value)); }
  void add(bool value) { add(static_cast<int>(value)); }
  void add(const Vec2& value) { add(fmt::format("{} {}", value.x(), value.y())); }
  void add(const Vec3& value) { add(fmt::format("{} {} {}", value.x(), value.y(), value.z())); }
  void add(const Edge& value) { add(fmt::format("{} {}", value[0], value[1])); }
  void add(const FrameRange& value) { add(value.text()); }
  void add(const scene::Effort& value) { add(value.automatic), add(value.value); }
  void add(const std::filesystem::path& file) {
    if (const auto choice = split_frame(file)) {  // name.pc2@1030
      add(choice->first);
      add(choice->second);
      return;
    }
    // A sequence counts by its name: its files are read when the shot is built.
    add(std::filesystem::exists(file) ? read_file(file) : file.string());
  }
  template <scene::WordEnum Enum>
  void add(Enum value) {
    add(static_cast<int>(value));
  }
  template <class Value>
  void add(const Keyed<Value>& value) {
    for (const auto& [frame, key] : value.keys) add(frame), add(key);
  }
  template <class Value>
  void add(const Sourced<Value>& value) {
    add(value.value);
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add(static_cast<int>(values.size()));
    for (const Value& value : values) add(value);
  }
  void add(const scene::Landmark& value) { add(value.vertex), add(value.position); }
  template <class Value>
  void add(const std::variant<Value, scene::FilePath>& value) {
    std::visit([this](const auto& held) { add(held); }, value);
  }
  template <scene::TableStruct Table>
  void add(const Table& table) {
    Table copy = table;  // visit_keys walks tables that can be written to
    add(copy.source.line > 0);
    scene::visit_keys(*this, copy);
  }

  void add_bytes(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string scene_fingerprint(const Scene& scene) {
  Fingerprint fingerprint;
  Scene copy = scene;
  scene::visit_keys(fingerprint, copy);
  return fingerprint.digits();
}

}  // namespace keydrape
