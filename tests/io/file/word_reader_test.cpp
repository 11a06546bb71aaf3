#include "io/file/word_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

using Continuation = WordReader::Continuation;
using Lines = std::vector<std::vector<std::string>>;

Lines lines_of(std::string_view text, Continuation continuation) {
  WordReader reader("file", text, continuation);
  Lines lines;
  for (auto words = reader.next_line(); !words.empty(); words = reader.next_line()) {
    lines.emplace_back(words.begin(), words.end());
  }
  return lines;
}

TEST(WordReader, SplitsLinesIntoWords) {
  const Lines expected = {{"a", "b#c"}, {"d"}};
  EXPECT_EQ(lines_of(" a\tb#c # d\n\r\n#x\r  d", Continuation::kNone), expected);
  EXPECT_EQ(lines_of("", Continuation::kNone), Lines{});
}

TEST(WordReader, JoinsLinesOnlyWhereAsked) {
  EXPECT_EQ(lines_of("a\\\nb", Continuation::kBackslash), (Lines{{"a", "b"}}));
  EXPECT_EQ(lines_of("a\\\nb", Continuation::kNone), (Lines{{"a\\"}, {"b"}}));
  EXPECT_EQ(lines_of("a\\b \\", Continuation::kBackslash), (Lines{{"a\\b", "\\"}}));
}

TEST(WordReader, PlacesCountLinesAndCharacters) {
  const std::string text = "\xEF\xBB\xBFx\r\n\r\xC3\xA4 \xE2\x82\xAC y  # end\n";
  WordReader reader("file", text, Continuation::kNone);
  EXPECT_EQ(reader.place(reader.next_line()[0]), "file:1:1");
  const auto words = reader.next_line();
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(reader.place(words[0]), "file:3:1");
  EXPECT_EQ(reader.place(words[2]), "file:3:5");
  EXPECT_EQ(reader.place(reader.line_end()), "file:3:6");
  EXPECT_TRUE(reader.next_line().empty());
  EXPECT_EQ(reader.place(reader.line_end()), "file:4:1");
}

TEST(WordReader, KnowsWhetherACommentStandsDirectlyBefore) {
  WordReader reader("file", "a # no\nb\n# yes\nc\n# gap\n\nd", Continuation::kNone);
  std::vector<bool> follows;
  while (!reader.next_line().empty()) follows.push_back(reader.follows_comment());
  EXPECT_EQ(follows, (std::vector<bool>{false, false, true, false}));
}

TEST(WordReader, ComplaintsHaveThreeParts) {
  WordReader reader("file", "a", Continuation::kNone);
  const std::string message = message_of<InputError>([&] {
    reader.fail(reader.next_line()[0], {"found", "this", "do that"});
  });
  EXPECT_EQ(message, "file:1:1: found; expected this; do that");
}

}  // namespace
}  // namespace keydrape
