#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/types.h"

// Vectors on the vertices of a mesh over frames, packed small for the report: quantised, then coded so that a
// general-purpose compressor (deflate) finds little left to say. 10,000 vertices x 120 frames fill 7.2 MB
// when quantised to 16 bits. The decoder stands in io/report/page/data/motion_code.js.
//
//   q_fic = round((x_fic - low_c) / step_c)          quantised, 0 .. 2^bits - 1                     (Q1)
//   r_f   = q_f - (2 q_f-1 - q_f-2)                  what a constant velocity does not say          (Q2)
//   s_fi  = r_fi - floor( sum_j r_fj / |L_i| )       what the neighbours do not say                 (Q3)
//
// Before the first frame q is 0. L_i: the neighbours of vertex i that have a smaller index; the floor is 0
// where there are none. q, r and s are taken modulo 2^16, r and s as signed numbers. Stored frame by frame,
// in each frame component by component, in each the low bytes of all vertices, then their high bytes, of
// (s << 1) ^ (s >> 15), which makes small numbers of either sign small.

namespace keydrape {

// Neighbours with a smaller index, ascending: those of vertex i run from neighbours[begin[i]] to just before
// neighbours[begin[i + 1]].
struct LowerNeighbours {
  std::vector<int> begin;  // n + 1
  std::vector<int> neighbours;
};
// Requires every index in [0, vertex_count).
LowerNeighbours lower_neighbours(const std::vector<Triangle>& triangles, int vertex_count);

// The grid of (Q1).
struct Quantisation {
  Vec3 low;   // value of q = 0
  Vec3 step;  // > 0
  int bits;   // 1 .. 16
};

// The smallest grid of 2^bits points in each component that holds all frames (3n each) of all takes; a
// component that is constant gets a step of 1. Error: at most step/2. Requires finite values.
Quantisation fit_quantisation(const std::vector<const std::vector<VecX>*>& takes, int bits);
// A grid with one step for all components on which zero stays exactly zero: for forces.
Quantisation fit_signed_quantisation(const std::vector<VecX>& frames, int bits);

// Requires frames of 3n values inside the grid. 6 n bytes a frame.
std::string encode_motion(const std::vector<VecX>& frames, const Quantisation& quantisation,
                          const LowerNeighbours& neighbours);

// The inverse, up to the quantisation: `frame_count` frames of 3n values. Requires 6 n frame_count bytes.
std::vector<VecX> decode_motion(std::string_view bytes, int frame_count, const Quantisation& quantisation,
                                const LowerNeighbours& neighbours);

}  // namespace keydrape
