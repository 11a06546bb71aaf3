#pragma once

#include <filesystem>
#include <string>

// The formats of meshes and caches, told apart by the ending of the file's name.

namespace keydrape {

enum class Format { kObj, kPly, kPc2, kMdd, kNpy, kUsda, kGlb, kVtp, kPvd };

// What a format can hold, beyond positions.
struct FormatTraits {
  Format format;
  const char* extension;  // ".obj"
  const char* name;       // for people
  bool is_read;           // all are written
  bool has_triangles;
  bool has_fields;
  bool one_frame_a_file;  // several frames are a sequence name.####.obj
  bool has_frame_rate;
  bool has_space;  // says unit and axes, or has fixed ones
};

const FormatTraits& traits(Format format);

// By the extension, in any case. Throws InputError for one that is not of the list; its message names those
// that are read.
Format format_of(const std::filesystem::path& path);
// The same of a file that is to be written: the message names all, and another remedy for a foreign format.
Format format_to_write(const std::filesystem::path& path);

// ".obj, .ply, ...": of the formats that are read; of those that are written, all.
std::string extensions_read();
std::string extensions_written();
// Of the formats that are read and hold triangles.
std::string extensions_of_meshes();

}  // namespace keydrape
