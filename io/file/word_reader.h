#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keydrape {

// One sentence in three parts, for the author of the file.
struct Complaint {
  std::string found;
  std::string expected;
  std::string remedy;
};

// The words of a text file, line by line. Words are views into the text, so that the place of a word is
// looked up only when an error needs it. UTF-8 with or without a byte-order mark; lines end with LF, CRLF or
// CR; a word that begins with '#' starts a comment that runs to the end of its line.
class WordReader {
 public:
  enum class Continuation {
    kNone,
    kBackslash
  };  // kBackslash: '\' at the end of a line joins the next one to it

  // `text` has to outlive the reader and its words; `path` appears in errors. Throws InputError for UTF-16.
  WordReader(std::filesystem::path path, std::string_view text, Continuation continuation);

  // The words of the next line that has any; none at the end of the text. Valid until the next call.
  std::span<const std::string_view> next_line();

  // Whether a line that held only a comment stands directly before the line returned last.
  bool follows_comment() const { return follows_comment_; }
  // No word, behind the last one of the line returned last (at the end of the text after that): the place of
  // a word that is missing.
  std::string_view line_end() const { return text_.substr(line_end_, 0); }

  // "path:line:column" of a word, both from 1; columns count characters.
  std::string place(std::string_view word) const;
  int line(std::string_view word) const;
  // Throws InputError "path:line:column: found; expected; remedy".
  [[noreturn]] void fail(std::string_view word, const Complaint& complaint) const;
  // The word as a finite number, whatever the locale; fails otherwise.
  double number(std::string_view word) const;
  // The word as a decimal integer; fails otherwise, also when it is beyond 64 bits.
  long long integer(std::string_view word) const;

 private:
  struct Position {
    int line;
    int column;
  };
  Position position(std::string_view word) const;
  std::size_t line_break_length(std::size_t at) const;  // 0: no line ends there
  std::size_t word_length(std::size_t at) const;

  std::filesystem::path path_;
  std::string_view text_;  // without the byte-order mark
  Continuation continuation_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::size_t line_end_ = 0;
  bool follows_comment_ = false;
};

}  // namespace keydrape
