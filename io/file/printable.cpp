#include "io/file/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace keydrape {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The other bytes of a character in UTF-8 are 10xxxxxx.
bool is_continued(std::string_view text, std::size_t at) {
  return at < text.size() && (byte_at(text, at) & 0xC0) == 0x80;
}

// Of C0, of C1 (C2 80 to C2 9F, which terminals heed as well), or delete.
bool is_control(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byte_at(text, at + 1) < 0xA0);
}

std::string beginning(std::string_view text, std::size_t most_bytes) {
  std::size_t size = std::min(text.size(), most_bytes);
  while (size > most_bytes - 3 && is_continued(text, size)) --size;  // never half a character
  return fmt::format("{}{}", printable(text.substr(0, size)), size < text.size() ? "..." : "");
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continued(text, at + i)) return 0;
  if (length < 3) return length;
  const unsigned char second = byte_at(text, at + 1);
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_surrogate = first == 0xED && second >= 0xA0;
  const bool is_beyond = first == 0xF4 && second >= 0x90;
  return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::size_t end = at + std::max<std::size_t>(length, 1);
    if (length > 0 && !is_control(text, at)) {
      shown += text.substr(at, length);
    } else {
      for (std::size_t i = at; i < end; ++i) shown += fmt::format("\\x{:02x}", byte_at(text, i));
    }
    at = end;
  }
  return shown;
}

std::string shortened(std::string_view text) { return beginning(text, 200); }

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_-./+:,@%=";
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) || kPlain.find(c) != std::string_view::npos;
  });
  if (is_plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string in_quotes(std::string_view word) { return fmt::format("'{}'", beginning(word, 40)); }

}  // namespace keydrape
