#include "io/formats/vdb/vdb_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <cstring>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "io/formats/vdb/vdb_bricks.h"
#include "io/formats/vdb/vdb_process.h"

namespace keydrape {
namespace {

// Bricks as bytes, from one process to the other.
struct Header {
  double origin[3];
  double voxel, half_width;
  int size[3];
  int brick_count;
};
static_assert(std::is_trivially_copyable_v<Header>);

template <class T>
void append(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::string to_bytes(const BrickGrid& bricks) {
  const Header header{{bricks.origin.x(), bricks.origin.y(), bricks.origin.z()},
                      bricks.voxel,
                      bricks.half_width,
                      {bricks.size[0], bricks.size[1], bricks.size[2]},
                      bricks.brick_count()};
  std::string bytes;
  bytes.reserve(sizeof header + bricks.memory_bytes());
  append(bytes, &header, 1);
  append(bytes, bricks.table.data(), bricks.table.size());
  append(bytes, bricks.values.data(), bricks.values.size());
  return bytes;
}

// Empty where the bytes are not what to_bytes makes: the process that wrote them had read a damaged file.
std::optional<BrickGrid> from_bytes(const std::string& bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  BrickGrid bricks;
  double table_size = 1;
  for (int a = 0; a < 3; ++a) {
    if (header.size[a] < 3 || !std::isfinite(header.origin[a])) return std::nullopt;
    bricks.origin(a) = header.origin[a];
    bricks.size[a] = header.size[a];
    table_size *= header.size[a];
  }
  bricks.voxel = header.voxel;
  bricks.half_width = header.half_width;
  if (!(bricks.voxel > 0 && bricks.half_width > 0) || header.brick_count <= 0) return std::nullopt;
  const double expected = sizeof header + 4 * table_size + 4.0 * BrickGrid::kVoxels * header.brick_count;
  if (static_cast<double>(bytes.size()) != expected) return std::nullopt;
  bricks.table.resize(static_cast<std::size_t>(table_size));
  bricks.values.resize(static_cast<std::size_t>(header.brick_count) * BrickGrid::kVoxels);
  const char* at = bytes.data() + sizeof header;
  std::memcpy(bricks.table.data(), at, 4 * bricks.table.size());
  std::memcpy(bricks.values.data(), at + 4 * bricks.table.size(), 4 * bricks.values.size());
  std::int32_t next = 0;  // stored bricks are numbered in the order of their places
  for (std::int32_t entry : bricks.table)
    if (entry < BrickGrid::kInside || (entry >= 0 && entry != next++)) return std::nullopt;
  for (float value : bricks.values)
    if (!std::isfinite(value)) return std::nullopt;
  return next == header.brick_count ? std::optional(std::move(bricks)) : std::nullopt;
}

}  // namespace

VdbReference VdbReference::parse(const std::string& text) {
  const auto is_file = [](const std::filesystem::path& file) {
    std::error_code ignored;  // too long a name, or a folder that nobody may enter
    const auto status = std::filesystem::status(file, ignored);
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
  };
  if (is_file(text)) return {text, std::nullopt};
  const auto split_behind = [&](const auto& is_wanted) -> std::optional<VdbReference> {
    for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
      const std::filesystem::path file = text.substr(0, colon);
      if (is_wanted(file)) return VdbReference{file, text.substr(colon + 1)};
    }
    return std::nullopt;
  };
  if (auto existing = split_behind(is_file)) return *existing;
  return split_behind(is_vdb).value_or(VdbReference{text, std::nullopt});
}

bool is_vdb(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return std::equal(extension.begin(), extension.end(), std::string_view(".vdb").begin(),
                    std::string_view(".vdb").end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::unique_ptr<const LevelSet> read_vdb(const VdbReference& reference, const VdbOptions& options) {
  assert(options.meters_per_unit > 0 && options.band > 0);
  const std::string name = reference.path.string();
  const VdbRequest request{reference.grid, options.meters_per_unit, options.band};
  const ProcessAnswer answer = run_vdb_reader(
      [&] { return to_bytes(read_vdb_bricks(reference.path, request)); }, vdb_limits(reference.path),
      "use larger voxels, or a smaller [contact] thickness or activation");
  if (!answer.bytes) throw InputError(fmt::format("{}: {}", name, answer.failure));
  std::optional<BrickGrid> bricks = from_bytes(*answer.bytes);
  if (!bricks) throw InputError(fmt::format("{}: {}", name, vdb_nonsense()));
  fill_beyond_band(*bricks);
  return std::make_unique<LevelSet>(std::move(*bricks));
}

}  // namespace keydrape
