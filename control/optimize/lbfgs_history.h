#pragma once

#include <vector>

#include "control/optimize/progress.h"

namespace keydrape {

// What L-BFGS knows of the curvature: pairs, oldest first, of progress.h, so that a search can go on where it
// was. LBFGS++ keeps some of its own, but shows them to nobody.

// -H gradient, H the inverse Hessian that the pairs stand for, by the two loops (Nocedal & Wright 2006,
// algorithm 7.4). Without pairs -gradient.
VecX lbfgs_direction(const std::vector<CorrectionPair>& pairs, const VecX& gradient);

// The oldest go where there are more than `most`: a search may go on with less memory than it began with.
void keep_newest(std::vector<CorrectionPair>& pairs, int most);

// Takes in a pair, of `most` at least one.
void remember(std::vector<CorrectionPair>& pairs, CorrectionPair pair, int most);

}  // namespace keydrape
