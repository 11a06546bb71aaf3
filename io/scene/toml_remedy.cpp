#include "io/scene/toml_remedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "io/file/nearest_word.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr std::size_t kLongestShown = 30;  // of a value that is written out corrected [bytes]

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string_view line_of(std::string_view text, int line) {
  for (int k = 1; k < line; ++k) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// Where a text that the line leaves open begins, and where a comment does.
struct Quotes {
  std::optional<std::size_t> open;
  std::size_t comment;
};
Quotes quotes_of(std::string_view line) {
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (open && line[i] == '\\' && line[*open] == '"') {
      ++i;
    } else if (open) {
      if (line[i] == line[*open]) open.reset();
    } else if (line[i] == '"' || line[i] == '\'') {
      open = i;
    } else if (line[i] == '#') {
      return {{}, i};
    }
  }
  return {open, line.size()};
}

// The last bracket before the place that nothing closes: line and column, from 1.
std::optional<std::pair<int, int>> open_bracket(std::string_view text, int last_line) {
  for (int line = last_line; line >= 1; --line) {
    const std::string_view here = line_of(text, line);
    const std::size_t equals = here.find('=');
    if (equals == std::string_view::npos) continue;
    const std::size_t open = here.find('[', equals);
    if (open != std::string_view::npos) return std::pair{line, static_cast<int>(open) + 1};
    if (line < last_line) return {};
  }
  return {};
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// How many characters of the value are a decimal number.
std::size_t number_length(std::string_view value) {
  std::size_t at = !value.empty() && (value[0] == '-' || value[0] == '+') ? 1 : 0;
  const std::size_t first = at;
  while (at < value.size() && (is_digit(value[at]) || value[at] == '.')) ++at;
  return at == first ? 0 : at;
}

std::string about_number(std::string_view value) {
  const std::size_t length = number_length(value);
  const std::string_view number = value.substr(0, length), rest = without_blanks(value.substr(length));
  if (length == 0) return "";
  if (rest.size() > 1 && rest[0] == ',' && is_number(rest.substr(1)))
    return fmt::format("a number has a decimal point, not a comma: {}.{}", number, rest.substr(1));
  if (number.front() == '.') return fmt::format("a digit stands before the point: 0{}", number);
  if (number.back() == '.') return fmt::format("a digit stands behind the point: {}0", number);
  if (rest.starts_with("//") || rest.starts_with(";"))
    return rest[0] == ';' ? "nothing stands at the end of a line: leave the ; away"
                          : "a comment begins with #";
  if (rest.find_first_of("*/+-") == 0) return "write the number itself: TOML does no arithmetic";
  if (rest.starts_with("%") || (!rest.empty() && std::isalpha(static_cast<unsigned char>(rest[0])) &&
                                rest[0] != 'e' && rest[0] != 'E'))
    return fmt::format("a number stands without its unit: {}, in the unit that keydrape explain names",
                       number);
  if (number.size() > 1 && number[0] == '0' && is_number(number))
    return fmt::format("a number has no zeros in front: {}",
                       number.substr(std::min(number.find_first_not_of('0'), number.size() - 1)));
  return "";
}

std::string about_value(std::string_view value) {
  constexpr std::array<std::string_view, 4> kCurly = {"\u201c", "\u201d", "\u2018", "\u2019"};
  if (value.empty() || value[0] == '#') return "give it a value, or put # in front of the line";
  if (std::any_of(kCurly.begin(), kCurly.end(),
                  [&](std::string_view quote) { return value.find(quote) != std::string_view::npos; }))
    return "text stands between straight quotes: \"";
  const std::string word = lower_case(value);
  if (word == "yes" || word == "on" || word == "true") return "write true";
  if (word == "no" || word == "off" || word == "false") return "write false";
  if (word == "none" || word == "null" || word == "nil")
    return "to leave a key at its default, take its line away, or put # in front of it";
  if (value[0] == '(') return "a list stands in brackets: [0, 1, 2]";
  if (std::string remedy = about_number(value); !remedy.empty()) return remedy;
  if (value.back() == '"' || value.back() == '\'')
    return value[0] == value.back() ? "" : "the text has no opening quote";
  if (std::isalpha(static_cast<unsigned char>(value[0])) != 0)
    return value.size() > kLongestShown ? "text stands between quotes"
                                        : fmt::format("text stands between quotes: \"{}\"", printable(value));
  return "";
}

// In the order of how sure they are.
std::string remedy_of(std::string_view line, std::string_view description) {
  const auto speaks_of = [&](std::string_view words) {
    return description.find(words) != std::string_view::npos;
  };
  if (speaks_of("cannot redefine") && speaks_of("material'"))
    return "next to [cloth.material], name the fabric inside of it: preset = \"cotton\"";
  if (speaks_of("cannot redefine"))
    return speaks_of("array") ? "a table that stands more than once has two brackets each time: [[pin]]"
                              : "each stands once: put them together, or take one away";
  if (speaks_of("parsing date"))
    return "ranges of frames and other text stand in quotes: frames = \"1001-1024\"";
  if (speaks_of("utf-8")) return "save the file as UTF-8";
  if (speaks_of("64 bits")) return "no key takes a number of this size";
  if (speaks_of("escape sequence"))
    return "\\ begins a special character: in names of files write /, or the name between single quotes";
  if (speaks_of("table header")) return "close the name of the table: [shot], and [[pin]] with two brackets";
  if (speaks_of("parsing root table") && without_blanks(line).starts_with('{'))
    return "this looks like JSON; a scene is TOML, such as keydrape new writes";
  const std::string_view code = without_blanks(line.substr(0, quotes_of(line).comment));
  const std::size_t equals = code.find('=');
  if (equals == std::string_view::npos)
    return code.find(':') != std::string_view::npos ? "write key = value, not key: value"
                                                    : "write key = value";
  const std::string_view value = without_blanks(code.substr(equals + 1));
  if (speaks_of("expected comma or closing ']'")) return "a comma stands between the values of a list";
  return about_value(value);
}

}  // namespace

TomlMistake toml_mistake(std::string_view text, int line, int column, std::string_view description) {
  const std::string_view here = line_of(text, line);
  const bool in_string = description.find("parsing string") != std::string_view::npos;
  const bool is_open = description.find("control character") != std::string_view::npos ||
                       description.find("end-of-file") != std::string_view::npos;
  if (const Quotes quotes = quotes_of(here); in_string && is_open && quotes.open) {
    const std::string_view key = without_blanks(here.substr(0, here.find('=')));
    return {line, static_cast<int>(*quotes.open) + 1,
            fmt::format("the text that begins here has no closing quote"),
            fmt::format("end it in the same line: {} = \"..\"", printable(key))};
  }
  // What follows it is taken for more of the list.
  if (description.find("closing ']'") != std::string_view::npos &&
      description.find("parsing array") != std::string_view::npos) {
    const auto open = open_bracket(text, line);
    if (open && open->first < line)
      return {open->first, open->second, "the list that begins here has no closing ]", "end it: [0, 1, 2]"};
  }
  return {line, column, std::string(description), remedy_of(here, description)};
}

}  // namespace keydrape
