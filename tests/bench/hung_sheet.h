#pragma once

#include <string>

#include "core/step/simulator.h"
#include "tests/support/meshes.h"
#include "tests/support/motion.h"

namespace keydrape::bench {

// The benchmark's cloth: a square of 1 m that two corners of one side hold, released flat and at rest.
struct HungSheet {
  // m x m vertices.
  explicit HungSheet(int m) : HungSheet(m, test::square(m - 1, 1.0)) {}

  static SimulatorOptions options(LinearMethod linear) {
    SimulatorOptions options;
    options.dt = 1.0 / 60;
    options.newton.tolerance = 1e-8;
    options.newton.linear = linear;
    return options;
  }

  static Material material() { return {0.2, 5000, 5000, 500, 5e-5, 0.0, 4e-4}; }

  static std::string note() {
    return "Sheet: 1 m x 1 m, alternating diagonals, 0.2 kg/m2, stretch 5000 N/m, shear 500 N/m, bend 5e-5 N "
           "m, no "
           "damping; hung by two corners, released flat; h = 1/60 s, residual 1e-8 of the weight.";
  }

  Model model;
  State start;

 private:
  HungSheet(int m, const TriangleMesh& mesh)
      : model(build_model(description(m, mesh))),
        start{stacked(mesh.positions), VecX::Zero(3 * mesh.vertex_count())} {}

  static ClothDescription description(int m, const TriangleMesh& mesh) {
    ClothDescription cloth = test::cloth_of(mesh, material(), Vec3(0, 0, -kStandardGravity));
    cloth.pins = {test::held(stacked(mesh.positions), {0, m - 1})};
    return cloth;
  }
};

}  // namespace keydrape::bench
