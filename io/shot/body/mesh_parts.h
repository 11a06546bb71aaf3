#pragma once

#include <vector>

#include "core/contact/pairs/box_tree.h"
#include "core/mesh/mesh.h"

namespace keydrape {

// The parts of a closed mesh: triangles that hang together at vertices. A ray from a point tells which parts
// go round it.
class MeshParts {
 public:
  // `x`: of the mesh's vertices [m] (3m). Requires find_open_edge() to find none.
  MeshParts(const TriangleMesh& mesh, const VecX& x);
  MeshParts(const MeshParts&) = delete;
  MeshParts& operator=(const MeshParts&) = delete;

  // Whether p is inside of a part, whichever way that is turned, and also where it passes through itself. Not
  // for points of the mesh. Beside a part whose triangles are not all turned one way, p may count as inside.
  bool enclose(const Vec3& p) const;

 private:
  std::vector<Vec3> positions_;  // turned, so that rays along x meet no edges of boxes
  std::vector<Triangle> triangles_;
  std::vector<int> part_;  // of each vertex
  BoxTree tree_;           // of the triangles
  BoxTree::Fitted fitted_;
};

}  // namespace keydrape
