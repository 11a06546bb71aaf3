#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"

// Painted weights and vertex groups.

namespace keydrape {

// What a file of weights says.
struct PaintedWeights {
  VecX values;              // one in [0, 1] for each vertex (n)
  std::vector<char> named;  // (n) whether the file names the vertex; all but of a list of pairs
};

// `path` is either a NumPy array (.npy) of shape (n), or text:
//   one number a line: the weights of all vertices, in order; or
//   two numbers a line: a vertex, counted from 0, and its weight; vertices that are not named have weight 0.
// The first line decides. '#' begins a comment, blank lines are skipped. Throws InputError with line and
// column: a number that is not one or out of range, a line of another form, a vertex named twice, too many or
// too few weights.
PaintedWeights read_vertex_weights(const std::filesystem::path& path, int vertex_count);

// The vertices of a group of `mesh`, ascending, at least one. Throws InputError for a group that does not
// exist or is empty, which begins with `where` ("scene.toml:12:3") and lists the groups that there are.
std::vector<int> group_vertices(const TriangleMesh& mesh, const std::string& name, std::string_view where);

}  // namespace keydrape
