#include "io/formats/usda/usda_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "io/file/printable.h"

namespace keydrape::usda {
namespace {

constexpr const char* kRemedy = "correct this line or export again";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// Beyond ASCII all are: names may have any letters of UTF-8 since USD 24.03.
bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return '0' <= c && c <= '9'; }

}  // namespace

void Scanner::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool Scanner::take(char c) {
  if (peek() != c || at_ == text_.size()) return false;
  ++at_;
  return true;
}

void Scanner::expect(char c) {
  if (!take(c)) fail(fmt::format("'{}'", c));
}

std::string_view Scanner::take_word() {
  if (!is_letter(peek())) return {};
  const std::size_t begin = at_;
  while (at_ < text_.size() &&
         (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == ':' || text_[at_] == '.'))
    ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view Scanner::expect_word(const char* expected) {
  const std::string_view word = take_word();
  if (word.empty()) fail(expected);
  return word;
}

std::string Scanner::expect_text() {
  const char quote = peek();
  if (quote != '"' && quote != '\'') fail("a text in quotes");
  const std::size_t begin = at_;
  skip_text();
  const std::string_view whole = text_.substr(begin, at_ - begin);
  const bool tripled = whole.size() >= 6 && whole[1] == quote && whole[2] == quote;
  const std::size_t quotes = tripled ? 3 : 1;
  return std::string(whole.substr(quotes, whole.size() - 2 * quotes));
}

double Scanner::expect_number() {
  const std::size_t begin = place();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
  const auto size = static_cast<std::size_t>(end - (text_.data() + begin));
  const bool ends_word = begin + size == text_.size() || !(is_letter(*end) || is_digit(*end) || *end == '.');
  if (error != std::errc() || !ends_word || !std::isfinite(value)) fail("a finite number");
  at_ = begin + size;
  return value;
}

void Scanner::skip_text() {
  const std::size_t begin = at_;
  const char quote = text_[at_];
  const std::string tripled(3, quote);
  const std::string_view end = text_.substr(at_).starts_with(tripled)
                                   ? std::string_view(tripled)
                                   : std::string_view(tripled).substr(0, 1);
  for (at_ += end.size(); at_ < text_.size(); ++at_) {
    if (text_[at_] == '\\') {
      ++at_;
    } else if (text_.substr(at_).starts_with(end)) {
      at_ += end.size();
      return;
    }
  }
  fail(begin, "a text that does not end", "its closing quote", kRemedy);
}

void Scanner::skip_past(char end) {
  const std::size_t begin = at_;
  at_ = text_.find(end, at_ + 1);
  if (at_ == std::string_view::npos)
    fail(begin, "a value that does not end", fmt::format("'{}'", end), kRemedy);
  ++at_;
}

void Scanner::skip_value() {
  const std::size_t begin = place();
  std::string open;  // closing brackets that are due, the innermost last
  do {
    const char c = peek();
    if (at_ == text_.size()) fail(begin, "a value that does not end", "its closing bracket", kRemedy);
    if (c == '[' || c == '(' || c == '{') {
      open += c == '[' ? ']' : c == '(' ? ')' : '}';
      ++at_;
    } else if (c == ']' || c == ')' || c == '}') {
      if (open.empty() || open.back() != c) fail("a value");
      open.pop_back();
      ++at_;
    } else if (c == '"' || c == '\'') {
      skip_text();
    } else if (c == '@') {
      skip_past('@');
    } else if (c == '<') {
      skip_past('>');
    } else {
      const std::size_t word = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.' ||
                                    text_[at_] == '-' || text_[at_] == '+' || text_[at_] == ':'))
        ++at_;
      const bool separates = !open.empty() && (c == ',' || c == '=' || c == ';');
      if (at_ == word && !separates) fail("a value");
      if (separates) ++at_;
    }
  } while (!open.empty());
}

void Scanner::fail(const std::string& expected) {
  const std::size_t begin = place();
  if (begin == text_.size()) fail(begin, "the end of the file", expected, "export again, as a whole");
  std::size_t end = begin + 1;
  while (end < text_.size() && !is_blank(text_[end]) && text_[end] != ',') ++end;
  fail(begin, in_quotes(text_.substr(begin, end - begin)), expected, kRemedy);
}

void Scanner::fail(std::size_t place, const std::string& found, const std::string& expected,
                   const std::string& remedy) const {
  const std::string_view before = text_.substr(0, place);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view in_line = before.substr(before.rfind('\n') + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), begins_character);
  throw InputError(
      fmt::format("{}:{}:{}: {}; expected {}; {}", path_.string(), line, column, found, expected, remedy));
}

}  // namespace keydrape::usda
