#include "io/file/printable.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace keydrape {
namespace {

TEST(Printable, TextStaysAsItIs) {
  for (const std::string text :
       {"", "body.vdb", "K\xC3\xB6rper \xE2\x82\xAC \xF0\x9F\x99\x82", "\\x1b", "a 'b' \"c\""}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_TRUE(is_utf8(text));
  }
}

TEST(Printable, ControlCharactersAreEscaped) {
  using namespace std::string_literals;
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\x1b[31mred\n\x7f"), "\\x1b[31mred\\x0a\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b");  // CSI in one character
  EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");
}

TEST(Printable, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(printable("Mieder_L\xe4nge"), "Mieder_L\\xe4nge");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xC3"), "\\xc3");                             // cut
  EXPECT_EQ(printable("\xE2\x82x"), "\\xe2\\x82x");                  // cut
  EXPECT_EQ(printable("\xC0\xAF"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
}

TEST(Printable, AnyBytesBecomeUtf8AndTwiceIsOnce) {
  std::string text;
  for (int i = 0; i < 3 * 65536; ++i) text += static_cast<char>((i * 7919) >> (i % 9));
  const std::string shown = printable(text);
  EXPECT_TRUE(is_utf8(shown));
  EXPECT_EQ(printable(shown), shown);
}

TEST(Shortened, KeepsTheBeginning) {
  EXPECT_EQ(shortened("parse error at 3"), "parse error at 3");
  std::string beginning(200, 'a');
  EXPECT_EQ(shortened(std::string(5000, 'a')), beginning.append(3, '.'));
  EXPECT_EQ(shortened("\x01"), "\\x01");
}

TEST(ShellWord, IsQuotedWhereAShellWouldTakeItOtherwise) {
  for (const char* plain : {"shot.toml", "/a/b_out/take-001", "a@1024", "w\xC3\xA4sche"})
    EXPECT_EQ(shell_word(plain), plain);
  EXPECT_EQ(shell_word("a b/shot.toml"), "'a b/shot.toml'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  for (const char* other : {"", "$HOME", "~", "*", "a;b", "a\nb", "[q]", "#1"})
    EXPECT_EQ(shell_word(other), fmt::format("'{}'", other));
}

TEST(InQuotes, EscapesAndShortens) {
  EXPECT_EQ(in_quotes("a\x01"
                      "b"),
            "'a\\x01b'");
  EXPECT_EQ(in_quotes("\xff"), "'\\xff'");
  EXPECT_EQ(in_quotes(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  // Never half a character.
  const std::string kept(39, 'a');
  EXPECT_EQ(in_quotes(kept + "\xC3\xA4"), fmt::format("'{}...'", kept));
}

}  // namespace
}  // namespace keydrape
