#pragma once

#include <filesystem>
#include <vector>

#include "core/cloth/material.h"
#include "io/scene/scene.h"

namespace keydrape {

// What the first number of a curve's points is. A shear angle g [rad] comes with the force F that does the
// work F dg; cloth knows the sine of the angle, and F/cos g does the same work as that grows.
enum class CurveOf { kStrain, kShearAngle };

// A measured curve (measured_curve): a line each point, two numbers between blanks, commas or semicolons; a
// line of words before them, and comments behind '#', are passed over. Throws InputError naming the place.
std::vector<CurvePoint> read_curve(const std::filesystem::path& path, CurveOf quantity = CurveOf::kStrain);

// Poisson's ratio of nets of springs, whatever they are asked for (core/step/EQUATIONS.md (M1)).
inline constexpr double kPoissonOfSprings = 1.0 / 3.0;

// The fabric of a scene: preset, tester's sheet, curves and numbers. Throws InputError as read_curve does.
Material read_material(const scene::Material& table);

}  // namespace keydrape
