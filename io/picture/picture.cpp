#include "io/picture/picture.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <map>

#include "io/file/file.h"

namespace keydrape {
namespace {

// Rows of three dots from the top, an octal digit each.
const std::map<char, std::array<char, 6>> kLetters = {
    {'0', {"75557"}}, {'1', {"26227"}}, {'2', {"71747"}}, {'3', {"71717"}}, {'4', {"55711"}},
    {'5', {"74717"}}, {'6', {"74757"}}, {'7', {"71122"}}, {'8', {"75757"}}, {'9', {"75717"}},
    {'A', {"25755"}}, {'B', {"65656"}}, {'C', {"34443"}}, {'D', {"65556"}}, {'E', {"74647"}},
    {'F', {"74644"}}, {'G', {"34553"}}, {'H', {"55755"}}, {'I', {"72227"}}, {'J', {"11152"}},
    {'K', {"55655"}}, {'L', {"44447"}}, {'M', {"57755"}}, {'N', {"65555"}}, {'O', {"25552"}},
    {'P', {"65644"}}, {'Q', {"25563"}}, {'R', {"65655"}}, {'S', {"34216"}}, {'T', {"72222"}},
    {'U', {"55557"}}, {'V', {"55552"}}, {'W', {"55775"}}, {'X', {"55255"}}, {'Y', {"55222"}},
    {'Z', {"71247"}}, {'-', {"00700"}}, {'.', {"00002"}}, {'=', {"07070"}}, {'_', {"00007"}},
    {':', {"02020"}}, {'/', {"11244"}}, {'%', {"51245"}}, {',', {"00024"}}, {'+', {"02720"}},
    {'(', {"12221"}}, {')', {"42224"}}, {'[', {"64446"}}, {']', {"31113"}}};

void append_number(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFFU);
}

void append_chunk(std::string& file, std::string_view name, std::string_view content) {
  append_number(file, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = file.size();
  file += name;
  file += content;
  const auto* bytes = reinterpret_cast<const Bytef*>(file.data() + begin);
  append_number(file, static_cast<std::uint32_t>(::crc32(0, bytes, static_cast<uInt>(file.size() - begin))));
}

}  // namespace

Picture::Picture(int width, int height, Colour background)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {
  assert(width > 0 && height > 0);
}

void Picture::set(int x, int y, Colour colour) {
  if (x >= 0 && y >= 0 && x < width_ && y < height_) pixels_[index(x, y)] = colour;
}

void Picture::paste(const Picture& other, int left, int top) {
  for (int y = 0; y < other.height(); ++y)
    for (int x = 0; x < other.width(); ++x) set(left + x, top + y, other.at(x, y));
}

void Picture::write(std::string_view text, int left, int top, int dot, Colour colour) {
  for (const char each : text) {
    const char letter = each >= 'a' && each <= 'z' ? static_cast<char>(each - 'a' + 'A') : each;
    const auto found = kLetters.find(letter);
    for (int k = 0; found != kLetters.end() && k < 15 * dot * dot; ++k) {
      const int x = k % (3 * dot), y = k / (3 * dot);
      const int row = found->second[static_cast<std::size_t>(y / dot)] - '0';
      if ((row >> (2 - x / dot) & 1) != 0) set(left + x, top + y, colour);
    }
    left += 4 * dot;
  }
}

std::string png(const Picture& picture) {
  std::string rows;
  for (int y = 0; y < picture.height(); ++y) {
    rows += '\0';  // no filter
    for (int x = 0; x < picture.width(); ++x)
      for (const std::uint8_t channel : picture.at(x, y)) rows += static_cast<char>(channel);
  }
  uLongf size = ::compressBound(rows.size());
  std::string packed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                  rows.size(), Z_BEST_COMPRESSION) != Z_OK)
    throw OutputError("a picture: cannot be compressed: out of memory; draw fewer elements");
  packed.resize(size);
  std::string header;
  append_number(header, static_cast<std::uint32_t>(picture.width()));
  append_number(header, static_cast<std::uint32_t>(picture.height()));
  header += std::string("\x08\x02\x00\x00\x00", 5);
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", packed);
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace keydrape
