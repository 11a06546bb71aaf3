#include "io/scene/scene_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/nearest_file.h"
#include "io/file/nearest_word.h"
#include "io/file/printable.h"
#include "io/file/short_number.h"
#include "io/formats/named_file.h"
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
  return short_path(key.file.folder / name);
}

// "2" is no 2.
void refuse_quoted_number(const KeyContext& key, const toml::node& node) {
  if (!node.is_string()) return;
  const std::string& text = node.as_string()->get();
  double number = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && stop == text.data() + text.size())
    refuse(key, node, describe(node) + " between quotes, which make it text");
}

// What a text that is no range of frames may have meant: the first two numbers in it.
std::string hint_about_frames(std::string_view found) {
  std::string_view text = found;
  if (text.starts_with('-')) return "; number the frames so that none is below 0";
  constexpr std::string_view kDigits = "0123456789";
  std::array<std::string_view, 2> numbers;
  for (std::string_view& number : numbers) {
    text.remove_prefix(std::min(text.find_first_of(kDigits), text.size()));
    number = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
    text.remove_prefix(number.size());
    if (text.starts_with('.') && !text.starts_with(".."))  // a fraction
      text.remove_prefix(std::min(text.find_first_not_of(kDigits, 1), text.size()));
  }
  if (numbers[1].empty()) return "";
  const auto before = [](std::string_view a, std::string_view b) {
    return a.size() < b.size() || (a.size() == b.size() && a < b);
  };
  if (before(numbers[1], numbers[0])) std::swap(numbers[0], numbers[1]);
  const std::string meant = fmt::format("{}-{}", numbers[0], numbers[1]);
  return before(numbers[0], numbers[1]) && meant != found ? fmt::format("; did you mean \"{}\"?", meant) : "";
}

// name.pc2@f1030: what stands behind the @ is no frame.
void refuse_word_behind_at(const KeyContext& key, const toml::node& node, const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t at = name.rfind('@');
  if (at == std::string::npos || at == 0 || split_frame(path)) return;
  const std::string file = name.substr(0, at);
  if (!std::filesystem::is_regular_file(path.parent_path() / file)) return;
  refuse({key.file.position(node.source()), key.name, describe(node),
          fmt::format("a frame behind the @, first or last: \"{0}@{1}\" or \"{0}@last\"", printable(file),
                      key.file.shot_frames ? key.file.shot_frames->last : 1030)});
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

void doubt_unusual(const KeyContext& key, const toml::node& node, double value) {
  const Usual& usual = key.rule.usual;
  if (usual.contains(value)) return;
  const SourcePosition at = key.file.position(node.source());
  const std::string unit = key.rule.unit.empty() ? "" : fmt::format(" {}", key.rule.unit);
  const std::string line = fmt::format("{}:{}:", at.file, at.line), name = fmt::format(": {}: ", key.name);
  std::vector<std::string>& doubts = key.file.doubts;
  if (!doubts.empty() && doubts.back().starts_with(line) && doubts.back().find(name) != std::string::npos)
    return;
  doubts.push_back(fmt::format("{}{}found {}{}, where {} is usual{}{}", at.where(), name,
                               node.is_integer() ? describe(node) : short_number(value, 6), unit,
                               usual.text(), usual.doubt.empty() ? "" : "; ", usual.doubt));
}

void doubt_frames(const KeyContext& key, const toml::node& node, double first, double last) {
  if (!key.file.shot_frames) return;
  const FrameRange& shot = *key.file.shot_frames;
  if (first < last && (last < shot.first || first > shot.last))
    key.file.doubts.push_back(
        fmt::format("{}: {}: its frames, {:g} to {:g}, lie {} the shot's, {}, so that it never changes; "
                    "expected frames as the shot counts them",
                    key.file.position(node.source()).where(), key.name, first, last,
                    last < shot.first ? "before" : "behind", shot.text()));
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
  refuse_quoted_number(key, node);
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
  if (key.rule.range.low == 0.0 && value > 0.0 && value < kSmallestPositive) {
    refuse(key, node,
           fmt::format("{}, below {:g}, which no shot can mean", describe(node), kSmallestPositive));
  }
  doubt_unusual(key, node, value);
}

void read_value(const KeyContext& key, const toml::node& node, int& value) {
  const auto* integer = node.as_integer();
  refuse_quoted_number(key, node);
  if (integer == nullptr) refuse(key, node);
  if (std::abs(static_cast<double>(integer->get())) > std::numeric_limits<int>::max()) {
    refuse(key, node, fmt::format("{}, beyond {}", describe(node), std::numeric_limits<int>::max()));
  }
  value = static_cast<int>(integer->get());
  if (!key.rule.range.contains(value)) refuse(key, node);
  if (key.rule.within_shot && !key.file.shot_frames->contains(value)) {
    refuse(key, node, fmt::format("{}, outside of {}", value, key.file.shot_frames->text()));
  }
  doubt_unusual(key, node, value);
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
            fmt::format("{}, both from 0 to {} and in digits alone{}", key.expected, kMaxFrame,
                        hint_about_frames(node.as_string()->get()))});
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
    const std::filesystem::path file = named_file(value.value);
    if (file != value.value && std::filesystem::is_regular_file(file)) return;
    refuse_word_behind_at(key, node, value.value);
    // name.####.obj: whoever opens it knows the frames
    if (FramePattern::parse(file)) return;
    const std::string hint = missing_file_hint(file);
    refuse({key.file.position(node.source()), key.name,
            fmt::format("{}, but there is no file {}", describe(node), file.string()),
            key.expected + (hint.empty() ? "" : "; " + hint)});
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
