#include "io/formats/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace keydrape {
namespace {

constexpr std::array<FormatTraits, 9> kFormats = {{
    // format, extension, name, is_read, has: triangles, fields, one frame, rate, space
    {Format::kObj, ".obj", "Wavefront OBJ", true, true, false, true, false, false},
    {Format::kPly, ".ply", "PLY", true, true, true, true, false, false},
    {Format::kPc2, ".pc2", "PC2 point cache", true, false, false, false, false, false},
    {Format::kMdd, ".mdd", "MDD point cache", true, false, false, false, true, false},
    {Format::kNpy, ".npy", "NumPy array", true, false, false, false, false, false},
    {Format::kUsda, ".usda", "USD text", true, true, true, false, true, true},
    {Format::kGlb, ".glb", "binary glTF", false, true, false, false, true, true},
    {Format::kVtp, ".vtp", "VTK polygons", false, true, true, true, false, false},
    {Format::kPvd, ".pvd", "ParaView collection", false, true, true, false, false, false},
}};

template <class IsMeant>
std::string extensions(IsMeant is_meant) {
  std::string text;
  for (const FormatTraits& t : kFormats)
    if (is_meant(t)) text += fmt::format("{}{}", text.empty() ? "" : ", ", t.extension);
  return text;
}

}  // namespace

const FormatTraits& traits(Format format) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [format](const FormatTraits& t) { return t.format == format; });
}

Format format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const FormatTraits& t : kFormats)
    if (extension == t.extension) return t.format;
  throw InputError(
      fmt::format("{}: is of an unknown format; expected a name that ends with one of {}; "
                  "rename the file, or export it as one of them",
                  path.string(), extensions_written()));
}

std::string extensions_read() {
  return extensions([](const FormatTraits& t) { return t.is_read; });
}
std::string extensions_written() {
  return extensions([](const FormatTraits&) { return true; });
}
std::string extensions_of_meshes() {
  return extensions([](const FormatTraits& t) { return t.is_read && t.has_triangles; });
}

}  // namespace keydrape
