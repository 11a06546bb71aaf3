#include "io/file/compressed_text.h"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "io/file/file.h"

namespace keydrape {
namespace {

// A deflate stream under construction; zlib counts in 32 bits, so that long texts are handed over in pieces.
class Deflater {
 public:
  Deflater() {
    constexpr int kRaw = -MAX_WBITS, kMostMemory = 9;
    // Deltas hardly ever repeat: Huffman codes do the work, and Z_FILTERED favours them over short matches.
    const int code = deflateInit2(&stream_, Z_BEST_COMPRESSION, Z_DEFLATED, kRaw, kMostMemory, Z_FILTERED);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_OK)
      throw OutputError("the report cannot be compressed: zlib does not start; please report it");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string run(std::string_view bytes) {
    std::string out, buffer(1 << 20, '\0');
    do {
      const std::size_t size = std::min<std::size_t>(bytes.size(), 1 << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(size);
      bytes.remove_prefix(size);
      drain(bytes.empty() ? Z_FINISH : Z_NO_FLUSH, buffer, out);
    } while (!bytes.empty());
    return out;
  }

 private:
  void drain(int flush, std::string& buffer, std::string& out) {
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR)
        throw OutputError("the report cannot be compressed: zlib failed; please report it");
      out.append(buffer.data(), buffer.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

}  // namespace

std::string deflate_raw(std::string_view bytes) { return Deflater().run(bytes); }

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

}  // namespace keydrape
