#pragma once

#include <vector>

#include "core/mesh/mesh.h"

namespace keydrape {

// Where the vertices of a mesh lie on a coarser one of the same surface, whose vertices are some of theirs.
struct VertexEmbedding {
  std::vector<int> kept;          // the finer vertex that each coarse one is, ascending
  std::vector<Triangle> corners;  // coarse vertices around each finer one
  std::vector<Vec3> weights;      // of the corners: >= 0 up to rounding, sum 1; a kept vertex is at its own

  int vertex_count() const { return static_cast<int>(corners.size()); }  // of the finer mesh
  int coarse_count() const { return static_cast<int>(kept.size()); }
  // A mesh on itself.
  static VertexEmbedding identity(int vertex_count);
  // Three numbers a vertex: those of the kept vertices, and what a linear function on the coarse triangles
  // has at the finer vertices. The second after the first changes nothing.
  VecX restricted(const VecX& fine) const;   // (3n) -> (3 coarse)
  VecX prolonged(const VecX& coarse) const;  // (3 coarse) -> (3n)
};

struct CoarseMesh {
  TriangleMesh mesh;
  VertexEmbedding embedding;  // of the finer mesh
};

// What texture coordinates are to the cloth.
enum class Panels {
  kShape,      // its flat pieces: seams stay
  kDirections  // of the threads alone: a triangle that is drawn across a seam keeps its own, its new corner
               // getting the coordinates that the triangle's plane has there
};

// Removes vertices, each by drawing it into a neighbour, until `vertex_count` are left or no vertex can go
// without harm: half-edge collapses (Kobbelt, Campagna & Seidel 1998), the one first whose longest new edge
// is shortest, over the shape of the new triangles, so that lengths even out. What stays as it is:
// - the topology (link condition, Dey et al. 1999);
// - rims up to bends of 37 degrees, panels as asked, the bounding box;
// - one vertex or more of each of `sets` (vertices ascending), since a vertex is drawn only into one that is
//   in all of its sets.
// Triangles turn by 60 degrees at most with each collapse, and none gets slimmer than a height of a tenth of
// its length unless it was. A vertex that is gone lies at the nearest point of the coarse triangles around
// the vertex that it was drawn into, so that layers on top of each other do not mix. Requires a mesh without
// defect (find_mesh_defect). The same bits on every run.
CoarseMesh coarsen_mesh(const TriangleMesh& mesh, int vertex_count, const std::vector<std::vector<int>>& sets,
                        Panels panels = Panels::kShape);

}  // namespace keydrape
