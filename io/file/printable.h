#pragma once

#include <string>
#include <string_view>

namespace keydrape {

// Whether a byte of UTF-8 is the first of a character.
constexpr bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// The bytes of the character that begins at `at`, or 0 where none does: UTF-8 as in RFC 3629, without
// overlong forms and surrogates. Requires at < text.size().
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

// `text` as a message may show it, in a terminal, a log or JSON: control characters, and bytes that are no
// UTF-8, as \x1b. Names of files and what stands in them may hold any byte. Printable text stays as it is, so
// that twice is as good as once.
std::string printable(std::string_view text);

// The beginning of what another library says, which may quote a whole file: at most 200 bytes.
std::string shortened(std::string_view text);

// A word of a shell's command line: as it is where a shell takes it so, else in quotes.
std::string shell_word(std::string_view text);

// 'word' for a message: at most 40 bytes of it, printable.
std::string in_quotes(std::string_view word);

}  // namespace keydrape
