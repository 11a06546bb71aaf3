#include "control/task/force_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace keydrape {
namespace {

using Accelerations = Eigen::Matrix3Xd;  // by vertex [g_0]

Accelerations accelerations(const VecX& u, const VecX& vertex_mass) {
  Accelerations a = u.reshaped(3, vertex_mass.size());
  for (Eigen::Index i = 0; i < vertex_mass.size(); ++i) a.col(i) /= vertex_mass[i] * kStandardGravity;
  return a;
}

struct Sum {
  double squares = 0.0;
  std::int64_t count = 0;
  double rms() const { return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0.0; }
};

}  // namespace

ForceFigures measure_forces(const StepGrid& grid, const ControlLayout& layout, const IntervalRange& searched,
                            const VecX& vertex_mass, const ForceSchedule& forces) {
  ForceFigures figures;
  std::vector<bool> is_active(vertex_mass.size(), false);
  for (const int i : layout.active()) is_active[i] = true;
  VecX u(3 * vertex_mass.size());
  Sum all;
  double size = 0.0, change = 0.0;  // of the means over intervals
  int pushed_intervals = 0;
  Accelerations before;
  for (int k = 0; k < grid.interval_count; ++k) {
    Sum of_interval;
    const bool is_searched = searched.first <= k && k < searched.last;
    Accelerations mean = Accelerations::Zero(3, vertex_mass.size());
    for (int n = k * grid.substeps; n < (k + 1) * grid.substeps; ++n) {
      forces.force(n, u);
      const Accelerations a = accelerations(u, vertex_mass);
      mean += a / grid.substeps;
      for (Eigen::Index i = 0; i < a.cols(); ++i) {
        const double square = a.col(i).squaredNorm();
        figures.peak_g = std::max(figures.peak_g, std::sqrt(square));
        of_interval.squares += square;
        of_interval.count += square > 0.0 || (is_searched && is_active[i] && layout.block_of_step(n) >= 0);
      }
    }
    all.squares += of_interval.squares;
    all.count += of_interval.count;
    pushed_intervals += of_interval.count > 0;
    figures.mean_interval_g += of_interval.rms();
    if (of_interval.rms() > figures.largest_interval_g) {
      figures.largest_interval_g = of_interval.rms();
      figures.largest_interval = k;
    }
    size += mean.colwise().norm().sum();
    if (k > 0) change += (mean - before).colwise().norm().sum();
    before = std::move(mean);
  }
  figures.rms_g = all.rms();
  if (pushed_intervals > 0) figures.mean_interval_g /= pushed_intervals;
  if (size > 0.0 && grid.interval_count > 1)
    figures.change = change / (grid.interval_count - 1) / (size / grid.interval_count);
  return figures;
}

}  // namespace keydrape
