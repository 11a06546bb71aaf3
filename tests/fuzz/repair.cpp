#include "tests/fuzz/repair.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/parts.h"

namespace keydrape::fuzz {
namespace {

constexpr std::uint32_t kMostPoints = 9;  // what more of them would find, fewer find sooner

template <class Number>
Number number_at(const std::uint8_t* bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}
template <class Number>
void put(std::uint8_t* bytes, Number number) {
  std::memcpy(bytes, &number, sizeof number);
}

std::uint32_t few(std::uint32_t count) {
  return count >= 1 && count <= kMostPoints ? count : 1 + count % kMostPoints;
}

constexpr std::size_t kNpyHeader = 128;  // room for all that NumPy writes

// The numbers behind the first of the shape, as they stand in a header: "4, 3)".
std::string_view later_dimensions(std::string_view header) {
  const std::size_t shape = header.find('(');
  const std::size_t comma = header.find(',', shape);
  const std::size_t end = header.find(')', shape);
  if (shape == std::string_view::npos || end == std::string_view::npos || comma >= end) return ")";
  return header.substr(comma + 1, end - comma);
}

// Their product, at least 1.
std::size_t row_values(std::string_view dimensions) {
  std::size_t product = 1;
  for (std::size_t at = 0; at < dimensions.size(); ++at) {
    std::size_t value = 0;
    const char* const end = dimensions.data() + dimensions.size();
    const auto [stop, error] = std::from_chars(dimensions.data() + at, end, value);
    if (error != std::errc()) continue;
    at += static_cast<std::size_t>(stop - (dimensions.data() + at));
    product *= std::clamp<std::size_t>(value, 1, 1000);
  }
  return product;
}

using Repair = std::size_t (*)(std::uint8_t*, std::size_t, std::size_t);

Repair repair_of(std::string_view name) {
  if (name.ends_with(".npy")) return repair_npy;
  if (name.ends_with(".pc2")) return repair_pc2;
  if (name.ends_with(".mdd")) return repair_mdd;
  return nullptr;
}

}  // namespace

std::size_t repair_pc2(std::uint8_t* bytes, std::size_t size, std::size_t) {
  constexpr std::size_t kHeader = 32;
  if (size < kHeader + 12) return size;
  std::memcpy(bytes, "POINTCACHE2\0\1\0\0", 16);
  const std::uint32_t points = few(number_at<std::uint32_t>(bytes + 16));
  const std::size_t samples = (size - kHeader) / (12 * points);
  if (samples == 0) return size;
  put(bytes + 16, points);
  put(bytes + 28, static_cast<std::uint32_t>(samples));
  return kHeader + samples * 12 * points;
}

std::size_t repair_mdd(std::uint8_t* bytes, std::size_t size, std::size_t) {
  constexpr std::size_t kHeader = 8;
  if (size < kHeader) return size;
  const std::uint32_t points = few(__builtin_bswap32(number_at<std::uint32_t>(bytes + 4)));
  const std::size_t samples = (size - kHeader) / (4 + 12 * points);
  if (samples == 0) return size;
  put(bytes, __builtin_bswap32(static_cast<std::uint32_t>(samples)));
  put(bytes + 4, __builtin_bswap32(points));
  return kHeader + samples * (4 + 12 * points);
}

std::size_t repair_npy(std::uint8_t* bytes, std::size_t size, std::size_t capacity) {
  constexpr std::size_t kPrefix = 10;  // magic, version, length of the header
  if (size < kPrefix) return size;
  const std::size_t body = std::min<std::size_t>(kPrefix + number_at<std::uint16_t>(bytes + 8), size);
  const std::string_view header(reinterpret_cast<const char*>(bytes), body);
  const std::string later(later_dimensions(header));
  const bool is_single = header.find("f4") != std::string_view::npos;
  const std::size_t row_bytes = row_values(later) * (is_single ? 4 : 8);
  const std::size_t rows = (size - body) / row_bytes;
  std::string text = std::string("{'descr': '<f") + (is_single ? "4" : "8") +
                     "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + "," + later + ", }";
  const std::size_t total = kNpyHeader + rows * row_bytes;
  if (text.size() + kPrefix + 1 > kNpyHeader || total > capacity) return size;
  text.resize(kNpyHeader - kPrefix - 1, ' ');
  text += '\n';
  std::memmove(bytes + kNpyHeader, bytes + body, rows * row_bytes);
  std::copy_n("\x93NUMPY\1\0", 8, bytes);
  put(bytes + 8, static_cast<std::uint16_t>(text.size()));
  std::copy(text.begin(), text.end(), bytes + kPrefix);
  return total;
}

std::size_t repair_glb(std::uint8_t* bytes, std::size_t size, std::size_t) {
  constexpr std::size_t kHeader = 20;
  if (size < kHeader) return size;
  const auto rest = static_cast<std::uint32_t>(size - kHeader);
  put(bytes, std::uint32_t{0x46546C67});
  put(bytes + 4, std::uint32_t{2});
  put(bytes + 8, static_cast<std::uint32_t>(size));
  put(bytes + 12, std::min(number_at<std::uint32_t>(bytes + 12), rest));
  put(bytes + 16, std::uint32_t{0x4E4F534A});
  return size;
}

std::size_t repair_parts(std::uint8_t* bytes, std::size_t size, std::size_t capacity) {
  const std::string_view all(reinterpret_cast<const char*>(bytes), size);
  std::string repaired;
  for (const Part& part : parts_of(all)) {
    std::string file(part.bytes);
    if (const Repair repair = repair_of(part.name)) {
      file.resize(file.size() + kNpyHeader);
      file.resize(repair(reinterpret_cast<std::uint8_t*>(file.data()), part.bytes.size(), file.size()));
    }
    repaired.append(repaired.empty() ? "@@@ " : "\n@@@ ").append(part.name).append("\n").append(file);
  }
  if (repaired.empty() || repaired.size() > capacity) return size;
  std::copy(repaired.begin(), repaired.end(), bytes);
  return repaired.size();
}

}  // namespace keydrape::fuzz
