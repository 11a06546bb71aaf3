#include "io/formats/file_summary.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "io/cache/frame_range.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"
#include "io/formats/format.h"

namespace keydrape {
namespace {

[[noreturn]] void refuse_summary(const std::filesystem::path& path, const std::string& complaint) {
  throw InputError(
      fmt::format("{}: {}; expected a file as keydrape writes it; look at it in the program that made it",
                  path.string(), complaint));
}

FileSummary summarize_glb(const std::filesystem::path& path) {
  InputFile file(path);
  std::uint32_t header[5];
  if (file.size() < sizeof header) refuse_summary(path, "is too short for binary glTF");
  file.read(header, sizeof header);
  const auto [magic, version, total, json_bytes, chunk] = header;
  if (magic != 0x46546C67 || version != 2 || chunk != 0x4E4F534A)
    refuse_summary(path, "does not begin as binary glTF 2.0");
  if (total != file.size() || json_bytes > file.size() - sizeof header)
    refuse_summary(path, fmt::format("has {} bytes, and {} by its header", file.size(), total));
  std::string text(json_bytes, '\0');
  file.read(text.data(), text.size());
  try {
    const auto gltf = parse_json(text);
    const auto& primitive = gltf.at("meshes").at(0).at("primitives").at(0);
    const auto count = [&](const nlohmann::ordered_json& accessor) {
      const auto index = static_cast<std::size_t>(whole_number(accessor));  // one below 0 is beyond the list
      const std::int64_t found = large_number(gltf.at("accessors").at(index).at("count"));
      if (found < 0) refuse_summary(path, fmt::format("holds {} vertices or indices", found));
      return found;
    };
    FileSummary summary;
    summary.vertices = count(primitive.at("attributes").at("POSITION"));
    summary.triangles = count(primitive.at("indices")) / 3;
    if (primitive.contains("targets"))
      summary.frames = 1 + static_cast<std::int64_t>(primitive.at("targets").size());
    const auto& extras = gltf.at("asset").at("extras");
    summary.first_frame = whole_number(extras.at("first_frame"));
    summary.fps = extras.at("fps").get<double>();
    if (!(*summary.fps > 0.0)) refuse_summary(path, fmt::format("has {} frames a second", *summary.fps));
    return summary;
  } catch (const nlohmann::json::exception& error) {
    refuse_summary(path, fmt::format("holds other glTF: {}", shortened(error.what())));
  }
}

// The value of the attribute `name` at or behind `at`; moves `at` behind it. None: there is none.
std::optional<std::string> next_attribute(std::string_view xml, std::string_view name, std::size_t& at) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t begin = xml.find(key, at);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = xml.find('"', begin + key.size());
  if (end == std::string_view::npos) return {};
  at = end;
  return std::string(xml.substr(begin + key.size(), end - begin - key.size()));
}

std::int64_t count_attribute(const std::filesystem::path& path, std::string_view xml, std::string_view name) {
  std::size_t at = 0;
  const std::string text = next_attribute(xml, name, at).value_or("");
  std::int64_t count = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0)
    refuse_summary(path, fmt::format("has no number {}", name));
  return count;
}

FileSummary summarize_vtp(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const std::string_view xml = std::string_view(bytes).substr(0, bytes.find("<AppendedData"));
  FileSummary summary;
  summary.vertices = count_attribute(path, xml, "NumberOfPoints");
  summary.triangles = count_attribute(path, xml, "NumberOfPolys");
  const std::string_view fields = xml.substr(0, xml.find("<Points>"));  // point and cell data stand in front
  std::size_t at = 0;
  while (const auto name = next_attribute(fields, "Name", at)) summary.fields.push_back(*name);
  return summary;
}

std::string xml_unescaped(std::string text) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, std::pair{"&quot;", "\""}, std::pair{"&amp;", "&"}}) {
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1))
      text.replace(at, std::string_view(entity).size(), character);
  }
  return text;
}

// Of a file that the collection at `path` lists, in its folder.
FileSummary summarize_listed(const std::filesystem::path& path, const std::string& name) {
  try {
    return summarize_vtp(path.parent_path() / name);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: lists {}: {}", path.string(), in_quotes(name), error.what()));
  }
}

FileSummary summarize_pvd(const std::filesystem::path& path) {
  const std::string xml = read_file(path);
  std::size_t at = 0;
  std::vector<std::string> files;
  while (const auto file = next_attribute(xml, "file", at)) files.push_back(*file);
  if (files.empty()) refuse_summary(path, "lists no files");
  FileSummary summary = summarize_listed(path, xml_unescaped(files[0]));
  summary.frames = static_cast<std::int64_t>(files.size());
  const std::int64_t first = count_attribute(path, xml, "timestep");
  if (first > kMaxFrame) refuse_summary(path, fmt::format("begins at frame {}", first));
  summary.first_frame = static_cast<int>(first);
  return summary;
}

}  // namespace

FileSummary summarize_file(const std::filesystem::path& path) {
  switch (format_of(path)) {
    case Format::kGlb:
      return summarize_glb(path);
    case Format::kPvd:
      return summarize_pvd(path);
    default:
      return summarize_vtp(path);
  }
}

}  // namespace keydrape
