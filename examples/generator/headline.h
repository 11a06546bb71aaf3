#pragma once

#include <filesystem>

// The scene of the published headline (control/measurements/headline.md): a square of 1 m x 1 m of canvas in
// the plane z = 0 that hangs by its two upper corners, is let go when swung forwards by 30 degrees, and has
// to take on three sculpted poses, a third of the shot apart each.

namespace keydrape::examples {

struct HeadlineSize {
  int points_per_side;
  int frame_count;  // intervals between frames: multiple of 3
  int substeps;
};
// 8,100 vertices and 900 time steps, as DiffXPBD (Stuyck & Chen 2023, section 6.8).
inline constexpr HeadlineSize kHeadline{90, 225, 4};
// Its twin of 441 vertices and 120 steps.
inline constexpr HeadlineSize kHeadlineTwin{21, 30, 4};
// As many steps as the twin, of 2,025 vertices.
inline constexpr HeadlineSize kHeadlineMedium{45, 30, 4};

enum class HeadlineHold { kFrame, kStep };

// Writes sheet.obj, start.obj, the poses and scene.toml into `folder`, which is made. Throws BadShape.
void write_headline(const std::filesystem::path& folder, const HeadlineSize& size, HeadlineHold hold);

}  // namespace keydrape::examples
