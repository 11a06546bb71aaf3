#include "io/file/compressed_text.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace keydrape {
namespace {

std::string inflated(const std::string& bytes, std::size_t size) {
  std::string text(size, '\0');
  z_stream stream{};
  inflateInit2(&stream, -MAX_WBITS);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.total_out, size);
  inflateEnd(&stream);
  return text;
}

TEST(CompressedText, Base64IsThatOfTheStandard) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(CompressedText, ZlibInflatesWhatWasDeflated) {
  std::string text;
  for (unsigned i = 0; i < 3'000'000; ++i) text += static_cast<char>(i * i >> 7);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size()})
    EXPECT_EQ(inflated(deflate_raw(text.substr(0, size)), size), text.substr(0, size));
}

}  // namespace
}  // namespace keydrape
