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

// What people have in their hands, and how they come from there to here.
struct ForeignFormat {
  const char* extension;
  const char* name;
  const char* remedy;
};
constexpr const char* kFromAnywhere =
    "open it in the program that made it, and export a mesh as .obj, motion as .usda or as a sequence "
    "name.####.obj";
constexpr const char* kToAnywhere =
    "write .usda, which Blender, Houdini and Maya open and save as what they know";
constexpr const char* kFromUsd = "make text of it: usdcat IN -o OUT.usda, or export USD as ASCII";
constexpr const char* kFromHoudini =
    "write it in Houdini as a sequence: a ROP Geometry or File Cache to name.$F4.obj";
constexpr std::array<ForeignFormat, 24> kForeignFormats = {{
    {".abc", "Alembic",
     "import it in Blender, Houdini or Maya, and export motion as .usda or as a sequence name.####.obj, "
     "which "
     "they read back, too"},
    {".fbx", "FBX",
     "import it in Blender, Houdini or Maya, and export a mesh as .obj, motion as .usda or as a sequence "
     "name.####.obj"},
    {".blend", "a Blender file", "export it in Blender as .obj with vertex groups, or use the add-on"},
    {".gltf", "glTF", kFromAnywhere},
    {".usd", "USD, which may be binary", kFromUsd},
    {".usdc", "binary USD", kFromUsd},
    {".usdz", "packed USD", kFromUsd},
    {".stl", "STL, which joins no triangles to each other",
     "merge its vertices by distance in a modelling program, and export it as .obj"},
    {".dae", "Collada", kFromAnywhere},
    {".3ds", "3DS", kFromAnywhere},
    {".x3d", "X3D", kFromAnywhere},
    {".wrl", "VRML", kFromAnywhere},
    {".off", "OFF", kFromAnywhere},
    {".max", "a 3ds Max file", kFromAnywhere},
    {".c4d", "a Cinema 4D file", kFromAnywhere},
    {".lwo", "a LightWave file", kFromAnywhere},
    {".ma", "a Maya file", kFromAnywhere},
    {".mb", "a Maya file", kFromAnywhere},
    {".hip", "a Houdini file", kFromHoudini},
    {".bgeo", "Houdini geometry", kFromHoudini},
    {".sc", "packed Houdini geometry", kFromHoudini},
    {".zprj", "a garment of CLO or Marvelous Designer",
     "export it there as .obj: one object, not thick, welded, unified UVs"},
    {".vdb", "a level set", "it is no mesh: name it as [[collider]] vdb"},
    {".toml", "a scene, which is no mesh and", "name the mesh itself"},
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

namespace {

Format known_format(const std::filesystem::path& path, bool is_written) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const FormatTraits& t : kFormats)
    if (extension == t.extension) return t.format;
  const std::string known = is_written ? extensions_written() : extensions_read();
  for (const ForeignFormat& foreign : kForeignFormats)
    if (extension == foreign.extension)
      throw InputError(fmt::format("{}: {} is neither read nor written; expected one of {}; {}",
                                   path.string(), foreign.name, known,
                                   is_written ? kToAnywhere : foreign.remedy));
  if (!is_written && !std::filesystem::exists(path))
    throw InputError(
        fmt::format("{}: cannot be read: there is no such file or folder; expected one that exists; "
                    "correct the name",
                    path.string()));
  throw InputError(
      fmt::format("{}: is of an unknown format; expected a name that ends with one of {}; "
                  "export it as one of them",
                  path.string(), known));
}

}  // namespace

Format format_of(const std::filesystem::path& path) { return known_format(path, false); }
Format format_to_write(const std::filesystem::path& path) { return known_format(path, true); }

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
