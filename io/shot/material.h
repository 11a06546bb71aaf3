#pragma once

#include <filesystem>
#include <vector>

#include "core/cloth/material.h"
#include "io/scene/scene.h"

namespace keydrape {

// A measured curve (measured_curve): a line each point, two numbers between blanks, commas or semicolons; a
// line of words before them, and comments behind '#', are passed over. Throws InputError naming the place.
std::vector<CurvePoint> read_curve(const std::filesystem::path& path);

// Poisson's ratio of nets of springs, whatever they are asked for (core/step/EQUATIONS.md (M1)).
inline constexpr double kPoissonOfSprings = 1.0 / 3.0;

// The fabric of a scene: preset, tester's sheet, curves and numbers. Throws InputError as read_curve does.
Material read_material(const scene::Material& table);

}  // namespace keydrape
