#include "io/scene/scene_value.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "core/base/error.h"
#include "io/file/nearest_word.h"
#include "io/file/printable.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/read_cache.h"

namespace keydrape {
namespace {

// No shot means numbers beyond these. Products of a few of them stay far from the ends of double
// precision, so that what is inside is computed, however absurd, instead of turning into infinity without
// a key to blame.
constexpr double kLargest = 1e30, kSmallestPositive = 1e-30;

template <int N>
void read_vector(const KeyContext& key, const toml::node& node, Eigen::Matrix<double, N, 1>& value) {
  const toml::array& list = read_list(key, node);
  if (list.size() != N) refuse(key, node);
  for (int i = 0; i < N; ++i) read_value(key, list[static_cast<std::size_t>(i)], value[i]);
}

std::filesystem::path absolute_path(const KeyContext& key, const std::string& name) {
  return (key.file.folder / name).lexically_normal();
}

}  // namespace

SourcePosition SceneContext::position(const toml::source_region& source) const {
  return {path, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column), has_lines};
}

void refuse(const Refusal& refusal) {
  throw InputError(fmt::format("{}: {}: found {}; expected {}", refusal.at.where(), refusal.name,
                               refusal.found, refusal.expected));
}

void refuse(const KeyContext& key, const toml::node& node, std::string found) {
  refuse({key.file.position(node.source()), key.name, std::move(found), key.expected});
}

void refuse(const KeyContext& key, const toml::node& node) { refuse(key, node, describe(node)); }

void refuse_choice(const KeyContext& key, const toml::node& node, std::string_view word,
                   const std::vector<std::string_view>& choices) {
  const std::optional<std::string_view> meant = nearest_word(word, choices);
  refuse({key.file.position(node.source()), key.name, describe(node),
          key.expected + (meant ? fmt::format("; did you mean \"{}\"?", *meant) : "")});
}

std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) return in_quotes(text->get());
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{:#}", number->get());
  if (const auto* flag = node.as_boolean()) return fmt::format("{}", flag->get());
  if (const auto* list = node.as_array()) {
    return list->empty() ? "an empty list" : fmt::format("a list of {}", list->size());
  }
  return node.is_table() ? "a table" : "a date or time";
}

double read_finite(const KeyContext& key, const toml::node& node) {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  const auto* number = node.as_floating_point();
  if (number == nullptr || !std::isfinite(number->get())) refuse(key, node);
  if (std::abs(number->get()) > kLargest) {
    refuse(key, node, fmt::format("{}, beyond {:g}, which no shot can mean", describe(node), kLargest));
  }
  return number->get();
}

const toml::array& read_list(const KeyContext& key, const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr) refuse(key, node);
  return *list;
}

void read_value(const KeyContext& key, const toml::node& node, double& value) {
  value = read_finite(key, node);
  if (!key.rule.range.contains(value)) refuse(key, node);
  const bool is_positive = key.rule.range.low == 0.0 && key.rule.range.low_excluded;
  if (is_positive && value < kSmallestPositive) {
    refuse(key, node,
           fmt::format("{}, below {:g}, which no shot can mean", describe(node), kSmallestPositive));
  }
}

void read_value(const KeyContext& key, const toml::node& node, int& value) {
  const auto* integer = node.as_integer();
  if (integer == nullptr) refuse(key, node);
  if (std::abs(static_cast<double>(integer->get())) > std::numeric_limits<int>::max()) {
    refuse(key, node, fmt::format("{}, beyond {}", describe(node), std::numeric_limits<int>::max()));
  }
  value = static_cast<int>(integer->get());
  if (!key.rule.range.contains(value)) refuse(key, node);
  if (key.rule.within_shot && !key.file.shot_frames->contains(value)) {
    refuse(key, node, fmt::format("{}, outside of {}", value, key.file.shot_frames->text()));
  }
}

void read_value(const KeyContext& key, const toml::node& node, bool& value) {
  if (!node.is_boolean()) refuse(key, node);
  value = node.as_boolean()->get();
}

void read_value(const KeyContext& key, const toml::node& node, std::string& value) {
  if (!node.is_string()) refuse(key, node);
  value = node.as_string()->get();
  if (value.empty()) refuse(key, node, "an empty text");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(value.begin(), value.end(), is_control)) {
    refuse(key, node, describe(node) + ", which holds a control character");
  }
  const std::vector<std::string_view>& choices = key.rule.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end()) {
    refuse_choice(key, node, value, choices);
  }
}

void read_value(const KeyContext& key, const toml::node& node, Vec2& value) {
  if (node.is_array()) {
    read_vector<2>(key, node, value);
    return;
  }
  double both = 0;
  read_value(key, node, both);
  value = {both, both};
}

void read_value(const KeyContext& key, const toml::node& node, Vec3& value) {
  read_vector<3>(key, node, value);
  if (key.rule.direction && value.isZero(0)) refuse(key, node, "[0, 0, 0]");
  if (key.rule.direction && value.lpNorm<Eigen::Infinity>() < kSmallestPositive) {
    refuse(key, node, fmt::format("a direction shorter than {:g}", kSmallestPositive));
  }
}

void read_value(const KeyContext& key, const toml::node& node, FrameRange& value) {
  if (!node.is_string()) refuse(key, node);
  const std::optional<FrameRange> range = parse_frame_range(node.as_string()->get());
  if (!range) {
    refuse({key.file.position(node.source()), key.name, describe(node),
            fmt::format("{}, both from 0 to {} and in digits alone", key.expected, kMaxFrame)});
  }
  if (key.rule.within_shot && !key.file.shot_frames->contains(*range)) {
    refuse(key, node, fmt::format("{}, outside of {}", range->text(), key.file.shot_frames->text()));
  }
  value = *range;
}

void read_value(const KeyContext& key, const toml::node& node, scene::FilePath& value) {
  std::string name;
  read_value(key, node, name);
  value = {absolute_path(key, name), key.file.position(node.source())};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(value.value, error);
  if (!std::filesystem::exists(status)) {
    const auto choice = split_frame(value.value);  // name.pc2@1030
    if (choice && std::filesystem::is_regular_file(choice->first)) return;
    // name.####.obj: whoever opens it knows the frames
    if (FramePattern::parse(choice ? choice->first : value.value)) return;
    refuse(key, node, fmt::format("{}, but there is no file {}", describe(node), value.value.string()));
  }
  if (std::filesystem::is_directory(status)) refuse(key, node, describe(node) + ", which is a folder");
}

void read_value(const KeyContext& key, const toml::node& node, std::filesystem::path& value) {
  std::string name;
  read_value(key, node, name);
  value = absolute_path(key, name);
}

void read_value(const KeyContext& key, const toml::node& node, std::vector<int>& value) {
  const toml::array& list = read_list(key, node);
  if (list.empty()) refuse(key, node);
  value.clear();
  for (const toml::node& element : list) read_value(key, element, value.emplace_back());

  std::vector<int> sorted = value;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    const auto first = std::find(value.begin(), value.end(), *twice);
    const auto second = std::find(first + 1, value.end(), *twice);
    refuse(key, list[static_cast<std::size_t>(second - value.begin())], fmt::format("{} twice", *twice));
  }
  value = std::move(sorted);
}

void read_value(const KeyContext& key, const toml::node& node, std::vector<Edge>& value) {
  const toml::array& list = read_list(key, node);
  if (list.empty()) refuse(key, node);
  value.clear();
  for (const toml::node& element : list) {
    const toml::array& pair = read_list(key, element);
    if (pair.size() != 2) refuse(key, element);
    Edge& edge = value.emplace_back();
    read_value(key, pair[0], edge[0]);
    read_value(key, pair[1], edge[1]);
    if (edge[0] == edge[1]) refuse(key, element, fmt::format("vertex {} joined to itself", edge[0]));
  }
}

void read_value(const KeyContext& key, const toml::node& node, std::vector<scene::Landmark>& value) {
  const toml::array& list = read_list(key, node);
  if (list.empty()) refuse(key, node);
  value.clear();
  for (const toml::node& element : list) {
    const toml::array& numbers = read_list(key, element);
    if (numbers.size() != 4) refuse(key, element);
    scene::Landmark& landmark = value.emplace_back();
    read_value(key, numbers[0], landmark.vertex);
    if (landmark.vertex < 0) refuse(key, numbers[0]);
    for (int axis = 0; axis < 3; ++axis)
      landmark.position[axis] = read_finite(key, numbers[static_cast<std::size_t>(axis) + 1]);
  }
}

void read_value(const KeyContext& key, const toml::node& node, scene::Effort& value) {
  value.automatic = node.is_string() && node.as_string()->get() == "auto";
  if (!value.automatic) read_value(key, node, value.value);
}

void read_value(const KeyContext& key, const toml::node& node, scene::Compressed& value) {
  value.is_buckling = node.is_string() && node.as_string()->get() == "buckling";
  if (!value.is_buckling) read_value(key, node, value.factor);
}

void read_value(const KeyContext& key, const toml::node& node, scene::Initial& value) {
  value.position = key.file.position(node.source());
  value.is_drape = node.is_string() && node.as_string()->get() == "drape";
  if (!value.is_drape) read_value(key, node, value.mesh.emplace());
}

}  // namespace keydrape
