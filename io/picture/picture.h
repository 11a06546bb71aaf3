#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/mesh/mesh.h"

// Small pictures of cloth, drawn here: no window, no graphics card, no other program.

namespace keydrape {

using Colour = std::array<std::uint8_t, 3>;

class Picture {
 public:
  // Requires positive sizes.
  Picture(int width, int height, Colour background);

  int width() const { return width_; }
  int height() const { return height_; }
  Colour at(int x, int y) const { return pixels_[index(x, y)]; }
  // What lies outside of the picture is left out.
  void set(int x, int y, Colour colour);
  void paste(const Picture& other, int left, int top);
  // Capital letters, digits and .-=_:/%,+()[] of 3 x 5 dots, each `dot` pixels wide; others are blanks.
  void write(std::string_view text, int left, int top, int dot, Colour colour);

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<Colour> pixels_;  // rows from the top
};

// The file's bytes: 8 bits a channel, RGB. Throws OutputError.
std::string png(const Picture& picture);

// A parallel view. Everything in [m].
struct View {
  Vec3 right, up, towards;  // orthonormal; towards: to the one who looks
  Vec3 middle;              // of the picture
  double width;             // of the picture; its height follows
};

// Cloth at one moment. The triangles are of these positions, and outlive it.
struct SeenCloth {
  VecX positions;  // [m] (3n)
  std::span<const Triangle> triangles;
};

// The view that holds all of the points, from the side from which most of the triangles' area is seen, a
// little from above. `up`: +Y or +Z. Requires points, and the picture's size.
View view_of(const std::vector<SeenCloth>& cloths, const Vec3& up, int picture_width, int picture_height);

// Cloth under one light, from behind darker and bluer, the nearest on top; over it, unhidden, the rim of the
// target. `target`: positions of the same triangles, or empty.
Picture draw_cloth(const VecX& positions, const std::vector<Triangle>& triangles, const VecX& target,
                   const View& view, int width, int height);

}  // namespace keydrape
