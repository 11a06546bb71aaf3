#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace keydrape {

// What a file of a format that is only written (.glb, .vtp, .pvd) says about itself.
struct FileSummary {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  std::int64_t frames = 1;
  std::vector<std::string> fields;
  // Where the file says.
  std::optional<int> first_frame;
  std::optional<double> fps;
};

// Looks at headers only, in files as keydrape writes them. Throws InputError for others.
FileSummary summarize_file(const std::filesystem::path& path);

}  // namespace keydrape
