#pragma once

#include <memory>
#include <vector>

#include "control/optimize/progress.h"

namespace keydrape::test {

// A minimisation by L-BFGS, with all that it told on its way.
struct RecordedLbfgs {
  OptimizerResult result;
  std::vector<VecX> path;  // the iterates
  std::vector<OptimizerProgress> progress;
};

// Of the objective that SomePoint, made of z, is.
template <class SomePoint>
RecordedLbfgs record_lbfgs(OptimizerOptions options, const VecX& start) {
  RecordedLbfgs taken;
  options.keep_progress = [&](const OptimizerProgress& progress, const Point&) {
    taken.progress.push_back(progress);
    return true;
  };
  taken.result = minimize_lbfgs([](const VecX& z) { return std::make_unique<SomePoint>(z); },
                                std::make_unique<SomePoint>(start), options,
                                [&](const IterationRecord& record) {
                                  taken.path.push_back(record.iterate.z());
                                  return true;
                                });
  return taken;
}

}  // namespace keydrape::test
