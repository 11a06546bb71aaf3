#include "tests/bench/search_curve.h"

#include <algorithm>

namespace keydrape::bench {
namespace {

class CurveRecorder final : public SearchObserver {
 public:
  // `shot` outlives it.
  explicit CurveRecorder(const Shot& shot) : shot_(shot) {}

  void on_iteration(const SearchIteration& iteration) override {
    if (iteration.part.kind == SearchPart::Kind::kLevel) return;
    points.push_back({iteration.forward_simulations, iteration.time_s, iteration.objective,
                      miss_percent(shot_, iteration.misses)});
  }

  std::vector<CurvePoint> points;

 private:
  const Shot& shot_;
};

}  // namespace

SearchCurve search_curve(const Shot& shot, const SearchOptions& options) {
  CurveRecorder recorder(shot);
  SearchResult result = search(shot.prepared, options, recorder);
  return {std::move(recorder.points), std::move(result)};
}

const CurvePoint* point_after(const SearchCurve& curve, int forward_simulations) {
  const auto next = std::find_if(curve.points.begin(), curve.points.end(), [&](const CurvePoint& point) {
    return point.forward_simulations > forward_simulations;
  });
  return next == curve.points.begin() ? nullptr : &*(next - 1);
}

std::vector<double> miss_percent(const Shot& shot, const std::vector<KeyframeMiss>& misses) {
  std::vector<double> percent;
  percent.reserve(misses.size());
  for (const KeyframeMiss& miss : misses) percent.push_back(100.0 * miss.rms / shot.task().length());
  return percent;
}

}  // namespace keydrape::bench
