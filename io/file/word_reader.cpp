#include "io/file/word_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// std::from_chars takes no plus sign, some exporters write one.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && (is_digit(word[1]) || word[1] == '.')) word.remove_prefix(1);
  return word;
}

// "1,5" or "-0,25"
bool has_decimal_comma(std::string_view word) {
  const std::size_t comma = word.find(',');
  return comma != std::string_view::npos && comma + 1 < word.size() && is_digit(word[comma + 1]);
}

}  // namespace

WordReader::WordReader(std::filesystem::path path, std::string_view text, Continuation continuation)
    : path_(std::move(path)), text_(text), continuation_(continuation) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    fail(text_.substr(0, 0), {"text in UTF-16", "UTF-8 or ASCII", "save the file with the encoding UTF-8"});
  }
}

std::size_t WordReader::line_break_length(std::size_t at) const {
  if (at >= text_.size()) return 0;
  if (text_[at] == '\n') return 1;
  if (text_[at] != '\r') return 0;
  return at + 1 < text_.size() && text_[at + 1] == '\n' ? 2 : 1;
}

std::size_t WordReader::word_length(std::size_t at) const {
  std::size_t end = at;
  while (end < text_.size() && !is_blank(text_[end]) && line_break_length(end) == 0) {
    const bool joins = continuation_ == Continuation::kBackslash && text_[end] == '\\';
    if (joins && line_break_length(end + 1) > 0) break;
    ++end;
  }
  return end - at;
}

std::span<const std::string_view> WordReader::next_line() {
  words_.clear();
  follows_comment_ = false;  // the line before had words
  bool has_comment = false;
  while (at_ < text_.size()) {
    if (const std::size_t length = line_break_length(at_)) {
      at_ += length;
      if (!words_.empty()) return words_;
      follows_comment_ = std::exchange(has_comment, false);
    } else if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      has_comment = true;
      while (at_ < text_.size() && line_break_length(at_) == 0) ++at_;
    } else if (const std::size_t size = word_length(at_)) {
      words_.push_back(text_.substr(at_, size));
      at_ += size;
      line_end_ = at_;
    } else {
      at_ += 1 + line_break_length(at_ + 1);  // a word of no length: the backslash that joins two lines
    }
  }
  if (words_.empty()) line_end_ = text_.size();
  return words_;
}

WordReader::Position WordReader::position(std::string_view word) const {
  const auto end = static_cast<std::size_t>(word.data() - text_.data());
  int line = 1;
  int column = 1;
  for (std::size_t at = 0; at < end;) {
    if (const std::size_t length = line_break_length(at)) {
      ++line;
      column = 1;
      at += length;
    } else {
      column += begins_character(text_[at]);
      ++at;
    }
  }
  return {line, column};
}

int WordReader::line(std::string_view word) const { return position(word).line; }

std::string WordReader::place(std::string_view word) const {
  const auto [line, column] = position(word);
  return fmt::format("{}:{}:{}", path_.string(), line, column);
}

void WordReader::fail(std::string_view word, const Complaint& complaint) const {
  throw InputError(fmt::format("{}: {}; expected {}; {}", place(word), complaint.found, complaint.expected,
                               complaint.remedy));
}

double WordReader::number(std::string_view word) const {
  const std::string_view digits = without_plus(word);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  if (whole && error == std::errc() && std::isfinite(value)) return value;

  if (has_decimal_comma(word)) {
    fail(word, {in_quotes(word) + " has a decimal comma", "a decimal point, as in 1.5",
                "export again with the number format of the locale C, or put points for the commas"});
  }
  if (whole && error == std::errc::result_out_of_range) {
    fail(word, {in_quotes(word) + " is beyond double precision", "a magnitude between 1e-307 and 1e308",
                "check the units of the export"});
  }
  if (whole && error == std::errc()) {
    fail(word, {in_quotes(word) + " is not finite", "a finite number",
                "repair it where it comes from and export again"});
  }
  fail(word, {in_quotes(word) + " is not a number", "a number such as -0.25 or 1e-3",
              "correct this line or export again"});
}

long long WordReader::integer(std::string_view word) const {
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return value;
  fail(word, {in_quotes(word) + " is not a whole number", "a whole number such as 12",
              "correct this line or export again"});
}

}  // namespace keydrape
