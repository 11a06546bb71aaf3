#pragma once

#include <vector>

#include "examples/generator/sheet.h"

namespace keydrape::examples {

struct RestoreOptions {
  int pinned_count = 0;        // the first so many vertices stay where they are
  double diagonal_weight = 1;  // w of the edges across the cells; it is 1 for those along the threads
  // c. Sweeping skirt, at 0, 3e-4, 1e-3: heights along its hem differ by 53, 63, 73 mm; its largest thread
  // strain is 0.05, 0.40, 7.7 %.
  double closeness = 3e-4;
  double smoothness_start = 1;   // mu of the first iteration, falling geometrically to that ..
  double smoothness_end = 1e-4;  // .. of the last: large corrections come out broad, only small ones fine
  int iteration_count = 20;
};

// Gives a sculpted shape its edge lengths l back, as nearly as possible and by as smooth and small a
// displacement d as possible, L being the lengths at rest and L_0 their mean:
//
//   minimise  sum_e w_e (l_e / L_e - 1)^2
//             + mu / L_0^2  sum_i ( |d_i - mean of the neighbours' d|^2 + c |d_i|^2 )
//
// by Gauss-Newton, with mu falling. What a relax brush does for a sculptor, to a stated objective.
std::vector<Vec3> restore_lengths(const std::vector<Vec3>& sculpted, const std::vector<SheetEdge>& edges,
                                  const RestoreOptions& options);

}  // namespace keydrape::examples
