#pragma once

#include <memory>

#include "core/contact/body/collider.h"
#include "core/contact/body/shape/sphere.h"
#include "tests/bench/hung_sheet.h"

namespace keydrape::bench {

constexpr double kDropRadius = 0.3;   // of the ball [m]
constexpr double kDropHeight = 0.32;  // of the sheet above its centre, at first [m]

// The hung sheet's cloth of m x m vertices, let go above a ball that it drapes over, front upwards.
inline ClothDescription dropped_sheet(int m) {
  TriangleMesh mesh = test::square(m - 1, 1.0);
  for (Vec3& p : mesh.positions) p = Vec3(p.x() - 0.5, p.y() - 0.5, kDropHeight);
  ClothDescription cloth = test::cloth_of(mesh, HungSheet::material(), Vec3(0, 0, -kStandardGravity));
  cloth.contact.self = true;
  cloth.contact.friction = 0.3;
  cloth.bodies = {
      {std::make_shared<RigidCollider>(std::make_unique<Sphere>(Vec3::Zero(), kDropRadius), RigidMotion()),
       0.3}};
  return cloth;
}

}  // namespace keydrape::bench
