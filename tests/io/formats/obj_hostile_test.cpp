#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "io/formats/obj.h"
#include "tests/support/temporary_folder.h"

// Files that the reader must refuse: at the right line and column, with the finding and the remedy.

namespace keydrape {
namespace {

struct HostileFile {
  std::string name;
  std::string text;
  std::string place;  // line:column
  std::vector<std::string> parts;
};

void PrintTo(const HostileFile& file, std::ostream* out) { *out << file.name; }

// Lines 1 to 3; vt and vn, where a test needs them, follow.
const std::string kHead = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const std::string kUvHead = kHead + "vt 0 0\nvn 0 0 1\n";

class HostileObj : public testing::TestWithParam<HostileFile> {};

TEST_P(HostileObj, IsRefusedWithPlaceFindingAndRemedy) {
  const TemporaryFolder folder;
  const auto path = folder.write("bad.obj", GetParam().text);
  const std::string message = message_of<InputError>([&] { read_obj(path); });
  EXPECT_TRUE(message.starts_with(path.string() + ":" + GetParam().place + ": ")) << message;
  EXPECT_TRUE(says(message, {"; expected "}));
  EXPECT_TRUE(says(message, GetParam().parts));
}

const std::vector<HostileFile> kNumbers = {
    {"nan", "v 0 nan 0\n", "1:5", {"'nan' is not finite"}},
    {"nan_with_payload", "v 0 0 nan(0x1)\n", "1:7", {"'nan(0x1)'"}},
    {"minus_nan_ind", "v -nan(ind) 0 0\n", "1:3", {"'-nan(ind)'"}},
    {"infinity", "v 0 0 -inf\n", "1:7", {"'-inf' is not finite"}},
    {"too_large", "v 1e999 0 0\n", "1:3", {"'1e999'", "double precision", "units"}},
    {"decimal_comma", "v 1,5 2,5 3,5\n", "1:3", {"'1,5'", "decimal comma", "locale"}},
    {"comma_between", "v 1, 2, 3\n", "1:3", {"'1,' is not a number"}},
    {"letters", "v a b c\n", "1:3", {"'a' is not a number"}},
    {"number_with_tail", "v 1 2 3abc\n", "1:7", {"'3abc'"}},
    {"hexadecimal", "v 0x10 0 0\n", "1:3", {"'0x10'"}},
    {"two_signs", "v +-1 0 0\n", "1:3", {"'+-1'"}},
    {"lonely_sign", "v - 0 0\n", "1:3", {"'-'"}},
    {"zero_byte", std::string("v 0 0 1\0\n", 9), "1:7", {"'1\\x00'"}},
    {"too_few", "v 0 0\n", "1:6", {"'v' with 2 numbers", "v x y z"}},
    {"none", "v\n", "1:2", {"'v' with 0 numbers"}},
    {"five", "v 1 2 3 4 5\n", "1:12", {"'v' with 5 numbers"}},
    {"seven", "v 1 2 3 4 5 6 7\n", "1:15", {"'v' with 7 numbers"}},
    {"bad_colour", "v 1 2 3 0 nan 0\n", "1:11", {"'nan'"}},
    {"bad_uv", kHead + "vt 0 inf\n", "4:6", {"'inf'"}},
    {"uv_without_number", kHead + "vt\n", "4:3", {"'vt' with 0 numbers"}},
    {"bad_normal", kHead + "vn 0 0 nan\n", "4:8", {"'nan'"}},
    {"normal_of_two", kHead + "vn 0 0\n", "4:7", {"'vn' with 2 numbers"}},
};

const std::vector<HostileFile> kFaces = {
    {"index_zero", kHead + "f 0 1 2\n", "4:3", {"vertex index is 0", "counts from 1"}},
    {"out_of_range", kHead + "f 1 2 4\n", "4:7", {"vertex index 4", "1 to 3"}},
    {"negative_out_of_range", kHead + "f -4 -2 -1\n", "4:3", {"vertex index -4", "-1 to -3"}},
    {"negative_before_the_vertices", "f -1 -2 -3\n" + kHead, "1:3", {"vertex index -1", "1 to 3"}},
    {"beyond_64_bits", kHead + "f 1 2 99999999999999999999\n", "4:7", {"not a whole number"}},
    {"beyond_32_bits", kHead + "f 1 2 4294967297\n", "4:7", {"vertex index 4294967297"}},
    {"fraction", kHead + "f 1 2 3.0\n", "4:7", {"'3.0' is not a whole number"}},
    {"uv_out_of_range", kUvHead + "f 1/1 2/2 3/1\n", "6:9", {"texture coordinate index 2", "1 to 1"}},
    {"uv_where_none_is", kHead + "f 1/1 2/1 3/1\n", "4:5", {"texture coordinate index 1", "defines none"}},
    {"normal_out_of_range", kUvHead + "f 1//1 2//1 3//2\n", "6:16", {"normal index 2"}},
    {"normal_zero", kUvHead + "f 1/1/0 2/1/0 3/1/0\n", "6:7", {"normal index is 0"}},
    {"slash_at_the_end", kUvHead + "f 1/ 2/ 3/\n", "6:5", {"''"}},
    {"two_slashes_at_the_end", kUvHead + "f 1// 2// 3//\n", "6:6", {"''"}},
    {"four_parts", kUvHead + "f 1/1/1/1 2/1/1/1 3/1/1/1\n", "6:7", {"'1/1'"}},
    {"no_vertex_part", kUvHead + "f /1 /1 /1\n", "6:3", {"''"}},
    {"mixed_corners", kUvHead + "f 1/1 2 3/1\n", "6:7", {"'2'", "'1/1'", "alike"}},
    {"mixed_faces", kUvHead + "f 1/1 2/1 3/1\nf 3 2 1\n", "7:3", {"without texture coordinates", "unwrap"}},
    {"mixed_faces_other_way", kUvHead + "f 1 2 3\nf 3/1 2/1 1/1\n", "7:3", {"with texture coordinates"}},
    {"two_corners", kHead + "f 1 2  # comment\n", "4:6", {"2 corners", "at least 3"}},
    {"no_corner", kHead + "f\n", "4:2", {"0 corners"}},
    {"vertex_twice", kHead + "f 1 2 2\n", "4:7", {"vertex 2 twice"}},
    {"vertex_twice_far", kHead + "v 1 1 0\nf 1 2 4 -4\n", "5:9", {"vertex 1 twice"}},
    {"line_of_one", kHead + "l 1\n", "4:4", {"1 vertices", "at least 2"}},
    {"line_of_none", kHead + "f 1 2 3\nl\n", "5:2", {"0 vertices", "at least 2"}},
    {"line_to_itself", kHead + "l 1 2 2\n", "4:7", {"vertex 2 twice"}},
    {"line_out_of_range", kHead + "l 1 9\n", "4:5", {"vertex index 9"}},
    {"point_out_of_range", kHead + "g a\np 9\n", "5:3", {"vertex index 9"}},
};

const std::vector<HostileFile> kText = {
    {"unknown_keyword", kHead + "vx 1 2 3\n", "4:1", {"'vx' is no keyword", "usemtl"}},
    {"capital_keyword", "V 0 0 0\n", "1:1", {"'V'", "lower case"}},
    {"keyword_lost", "0 0 0\n", "1:1", {"'0' is no keyword"}},
    {"unknown_after_a_comment", "# a\nvv 0 0 0\n", "2:1", {"'vv' is no keyword"}},
    {"numbers_after_a_comment", "# a\n0 -1.5 nan\n", "2:1", {"'0' is no keyword"}},
    {"faces_after_a_comment", kHead + "# a\nF 1/1 2/1 3/1\n", "5:1", {"'F' is no keyword"}},
    {"prose_without_comment", kHead + "of File\n", "4:1", {"'of' is no keyword"}},
    {"prose_after_a_gap", "# End\n\nof File\n", "3:1", {"'of' is no keyword"}},
    {"curve", kHead + "cstype bezier\n", "4:1", {"curved surface", "polygons"}},
    {"curve_beside_faces", kHead + "vp 0 1\nf 1 2 3\ncurv 0 1\n", "6:1", {"'curv'", "curved surface"}},
    {"parameter_vertices_alone", kHead + "vp 0 1\n", "4:1", {"'vp'", "curved surface", "polygons"}},
    {"parameter_vertex_of_four", kHead + "vp 0 1 1 1\nf 1 2 3\n", "4:10", {"'vp' with 4 numbers"}},
    {"empty", "", "1:1", {"no vertex", "export was complete"}},
    {"comments_only", "# nothing\n", "2:1", {"no vertex"}},
    {"utf16", "\xFF\xFEv", "1:1", {"UTF-16", "UTF-8"}},
    {"crlf_column", "v 0 0 0\r\n\r\nv 1 x 0\r\n", "3:5", {"'x'"}},
    {"continuation_place", "v 0 0 0\nv 1 \\\n  x 0\n", "3:3", {"'x'"}},
    {"utf8_before", "v \xC3\xA4 0 0\n", "1:3", {"'\xC3\xA4'"}},
    {"long_word", "v " + std::string(500, 'x') + " 0 0\n", "1:3", {std::string(40, 'x') + "...'"}},
};

std::string test_name(const testing::TestParamInfo<HostileFile>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Numbers, HostileObj, testing::ValuesIn(kNumbers), test_name);
INSTANTIATE_TEST_SUITE_P(Faces, HostileObj, testing::ValuesIn(kFaces), test_name);
INSTANTIATE_TEST_SUITE_P(Text, HostileObj, testing::ValuesIn(kText), test_name);

// Cut anywhere, a file is either refused or read as a shorter mesh: never more, never a crash.
TEST(HostileObjText, EveryTruncationIsSafe) {
  const TemporaryFolder folder;
  const std::string whole = kUvHead + "g a\nf 1/1/1 2/1/1 3/1/1\nl 1 2\n";
  int refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      const TriangleMesh mesh = read_obj(folder.write("cut.obj", whole.substr(0, size)));
      EXPECT_LE(mesh.vertex_count(), 3);
      EXPECT_LE(mesh.triangle_count(), 1);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_TRUE(says(error.what(), {"cut.obj:", "; expected "}));
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace keydrape
