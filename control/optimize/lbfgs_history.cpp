#include "control/optimize/lbfgs_history.h"

#include <cstddef>
#include <utility>

namespace keydrape {

VecX lbfgs_direction(const std::vector<CorrectionPair>& pairs, const VecX& gradient) {
  VecX d = -gradient;
  if (pairs.empty()) return d;
  std::vector<double> alpha(pairs.size());
  for (size_t k = pairs.size(); k-- > 0;) {
    alpha[k] = pairs[k].s.dot(d) / pairs[k].s.dot(pairs[k].y);
    d -= alpha[k] * pairs[k].y;
  }
  const CorrectionPair& last = pairs.back();
  d *= last.s.dot(last.y) / last.y.squaredNorm();
  for (size_t k = 0; k < pairs.size(); ++k)
    d += (alpha[k] - pairs[k].y.dot(d) / pairs[k].s.dot(pairs[k].y)) * pairs[k].s;
  return d;
}

void keep_newest(std::vector<CorrectionPair>& pairs, int most) {
  const auto too_many = static_cast<std::ptrdiff_t>(pairs.size()) - most;
  if (too_many > 0) pairs.erase(pairs.begin(), pairs.begin() + too_many);
}

void remember(std::vector<CorrectionPair>& pairs, CorrectionPair pair, int most) {
  keep_newest(pairs, most - 1);
  pairs.push_back(std::move(pair));
}

}  // namespace keydrape
