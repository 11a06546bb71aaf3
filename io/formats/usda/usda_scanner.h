#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace keydrape::usda {

// Takes the pieces of USDA text from the front. Blanks, newlines and comments (#) separate pieces; a newline
// counts for nothing else.
class Scanner {
 public:
  Scanner(const std::filesystem::path& path, std::string_view text, std::size_t at)
      : path_(path), text_(text), at_(at) {}

  // Where the next piece begins.
  std::size_t place() {
    skip_blanks();
    return at_;
  }
  bool at_end() { return place() == text_.size(); }
  // The next character, '\0' at the end.
  char peek() { return at_end() ? '\0' : text_[at_]; }
  // Takes `c` if it comes next.
  bool take(char c);
  void expect(char c);

  // Letters, of UTF-8 beyond ASCII too, digits, '_', ':' and '.', beginning with a letter or '_'. Empty:
  // something else comes next.
  std::string_view take_word();
  std::string_view expect_word(const char* expected);
  // "text" or 'text', also tripled; \ escapes the quote.
  std::string expect_text();
  double expect_number();
  // Any value: number, word, text, @asset@, <path>, or one in brackets with all that is inside.
  void skip_value();

  [[noreturn]] void fail(const std::string& expected);
  [[noreturn]] void fail(std::size_t place, const std::string& found, const std::string& expected,
                         const std::string& remedy) const;

 private:
  void skip_blanks();
  void skip_text();
  void skip_past(char end);

  const std::filesystem::path& path_;
  std::string_view text_;
  std::size_t at_;
};

}  // namespace keydrape::usda
