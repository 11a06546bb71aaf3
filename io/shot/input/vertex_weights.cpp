#include "io/shot/input/vertex_weights.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/nearest_word.h"
#include "io/file/printable.h"
#include "io/file/word_reader.h"
#include "io/formats/npy.h"

namespace keydrape {
namespace {

using Words = std::span<const std::string_view>;

// Of those above 0; the price of a force is 1 over its square.
constexpr double kSmallest = 1e-30;

// More: FORMATS.md.
constexpr std::string_view kHowToMakeGroups =
    "a group of an OBJ file is a line \"g NAME\" with the faces under it, or with points: \"p 1 2 3\", "
    "counted "
    "from 1; Blender exports vertex groups with Geometry: Vertex Groups, and painted weights need none";

bool is_weight(double value) { return value == 0.0 || (value >= kSmallest && value <= 1.0); }

std::string expected_for(double value) {
  const bool is_tiny = value > 0.0 && value < kSmallest;
  return is_tiny ? fmt::format("0, or a number from {:g} to 1", kSmallest) : "a number from 0 to 1";
}

double weight(const WordReader& reader, std::string_view word) {
  const double value = reader.number(word);
  if (!is_weight(value)) {
    reader.fail(word,
                {fmt::format("the weight is {}", value), expected_for(value), "scale or clamp the weights"});
  }
  return value;
}

[[noreturn]] void fail_count(const WordReader& reader, std::string_view word, const std::string& found,
                             int vertex_count) {
  reader.fail(word, {found, fmt::format("{} weights, one for each vertex of the mesh", vertex_count),
                     "paint the weights on this very mesh, or write 'vertex weight' pairs"});
}

PaintedWeights read_text(const std::filesystem::path& path, int vertex_count) {
  const std::string text = read_file(path);
  WordReader reader(path, text, WordReader::Continuation::kNone);
  VecX weights = VecX::Zero(vertex_count);
  std::vector<char> named(static_cast<std::size_t>(vertex_count), 0);
  std::size_t width = 0;  // words in the first line
  int count = 0;
  for (Words words = reader.next_line(); !words.empty(); words = reader.next_line()) {
    if (width == 0) width = words.size();
    if (width > 2 || words.size() != width) {
      reader.fail(words[words.size() - 1],
                  {fmt::format("a line of {} word{}", words.size(), words.size() == 1 ? "" : "s"),
                   width > 2 ? "one weight, or a vertex and its weight"
                             : fmt::format("{}, as in the first line", width),
                   "use one form for the whole file"});
    }
    if (width == 1) {
      if (count == vertex_count)
        fail_count(reader, words[0], fmt::format("a weight after the first {}", count), vertex_count);
      weights[count++] = weight(reader, words[0]);
      continue;
    }
    const long long vertex = reader.integer(words[0]);
    if (vertex < 0 || vertex >= vertex_count) {
      reader.fail(words[0], {fmt::format("there is no vertex {}", vertex),
                             fmt::format("0 to {}", vertex_count - 1), "count from 0, on this very mesh"});
    }
    if (named[static_cast<std::size_t>(vertex)]) {
      reader.fail(words[0], {fmt::format("vertex {} for the second time", vertex), "each vertex once",
                             "delete one of the two lines"});
    }
    named[static_cast<std::size_t>(vertex)] = 1;
    weights[vertex] = weight(reader, words[1]);
  }
  const bool pairs = width == 2;
  if (!pairs && count < vertex_count) {
    fail_count(reader, reader.line_end(), fmt::format("the end of the file after {} weights", count),
               vertex_count);
  }
  if (!pairs) named.assign(named.size(), 1);
  return {std::move(weights), std::move(named)};
}

PaintedWeights read_array(const std::filesystem::path& path, int vertex_count) {
  NpyArray array = read_npy(path);
  if (array.shape != std::vector<std::int64_t>{vertex_count}) {
    throw InputError(
        fmt::format("{}: has shape ({}); expected ({}), one weight for each vertex; save it for this very "
                    "mesh",
                    path.string(), fmt::join(array.shape, ", "), vertex_count));
  }
  for (Eigen::Index i = 0; i < array.values.size(); ++i) {
    if (is_weight(array.values[i])) continue;
    throw InputError(fmt::format("{}: vertex {} has the weight {}; expected {}; scale or clamp the weights",
                                 path.string(), i, array.values[i], expected_for(array.values[i])));
  }
  return {std::move(array.values), std::vector<char>(static_cast<std::size_t>(vertex_count), 1)};
}

}  // namespace

PaintedWeights read_vertex_weights(const std::filesystem::path& path, int vertex_count) {
  return path.extension() == ".npy" ? read_array(path, vertex_count) : read_text(path, vertex_count);
}

std::vector<int> group_vertices(const TriangleMesh& mesh, const std::string& name, std::string_view where) {
  const auto group = mesh.groups.find(name);
  if (group != mesh.groups.end() && !group->second.empty()) return group->second;

  std::string names;
  std::vector<std::string_view> others;
  for (const auto& [other, vertices] : mesh.groups) {
    if (vertices.empty()) continue;
    others.push_back(other);
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(other));
  }
  const auto meant = nearest_word(name, others);
  throw InputError(fmt::format(
      "{}: the group '{}' {}; expected {}; {}", where, printable(name),
      group == mesh.groups.end() ? "does not exist" : "is empty",
      names.empty() ? "a mesh with groups, but this one has none" : "one of " + names,
      meant ? fmt::format("did you mean '{}'?", printable(*meant)) : std::string(kHowToMakeGroups)));
}

}  // namespace keydrape
