#include "tests/oracles/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/constraint/active_time.h"
#include "io/formats/npy.h"

namespace keydrape {
namespace {

constexpr double kResidual = 1e-6, kPins = 1e-9;

// An array (count, n, 3), sample by sample.
class Samples {
 public:
  Samples(const std::filesystem::path& path, std::int64_t count, std::int64_t n)
      : size_(3 * n), values_(read_npy(path).values) {
    if (values_.size() != count * size_)
      throw InputError(fmt::format("{}: expected {} samples of {} vertices", path.string(), count, n));
  }
  VecX operator[](std::int64_t k) const { return values_.segment(k * size_, size_); }

 private:
  std::int64_t size_;
  VecX values_;
};

class Auditor {
 public:
  Auditor(const Shot& shot, const std::filesystem::path& folder)
      : shot_(shot),
        n_(shot.rest().vertex_count()),
        steps_(shot.clock.step_count()),
        h_(1.0 / (shot.clock.fps * shot.clock.substeps)),
        x_(shot.clock.substeps == 1 && !std::filesystem::exists(folder / "steps.npy")
               ? folder / "positions.npy"
               : folder / "steps.npy",
           steps_ + 1, n_),
        frames_(folder / "positions.npy", shot.clock.frames.count(), n_) {
    v_.push_back(shot_.start().v);
    for (std::int64_t step = 0; step < steps_; ++step)
      v_.push_back(is_bdf2(step) ? VecX(rate(x_[step - 1], x_[step], x_[step + 1]))
                                 : VecX((x_[step + 1] - x_[step]) / h_));
    if (std::filesystem::exists(folder / "forces_steps.npy")) {
      forces_.emplace(folder / "forces_steps.npy", steps_, n_);
      steps_in_force_ = 1;
    } else if (std::filesystem::exists(folder / "forces.npy")) {
      forces_.emplace(folder / "forces.npy", shot.clock.frames.count(), n_);
      steps_in_force_ = shot.clock.substeps;
    }
  }

  FrameAudit frame(int f) const {
    FrameAudit result;
    result.frame = shot_.clock.frames.first + f;
    const int begin = f * shot_.clock.substeps, end = begin + shot_.clock.substeps;
    for (int step = begin; step < end; ++step) {
      VecX r = residual(step);
      result.off_pins = std::max(result.off_pins, let_pins_take(step, r));
      result.residual = std::max(result.residual, r.norm() / weight());
    }
    result.positions_differ = (frames_[f + 1] - x_[end]).lpNorm<Eigen::Infinity>();
    return result;
  }

 private:
  // Norm over the vertices, under standard gravity [N].
  double weight() const { return 9.80665 * shot_.model().vertex_mass().norm(); }

  // BDF2 from the second step on; the first is implicit Euler, as it has no other state before it.
  bool is_bdf2(std::int64_t step) const {
    return shot_.simulator().options().method == StepMethod::kBdf2 && step > 0;
  }
  // The derivative at the last of three states that are h apart, by the parabola through them.
  VecX rate(const VecX& before, const VecX& start, const VecX& end) const {
    return (3.0 * end - 4.0 * start + before) / (2.0 * h_);
  }

  VecX residual(int step) const {
    const Model& model = shot_.model();
    const double end_time = (step + 1) * h_;
    const VecX x = x_[step], y = x_[step + 1];
    const VecX acceleration =
        is_bdf2(step) ? rate(v_[step - 1], v_[step], v_[step + 1]) : VecX((v_[step + 1] - v_[step]) / h_);
    const Vec3 g = model.gravity().at(end_time);
    VecX r(3 * n_);  // (1)
    for (std::int64_t i = 0; i < n_; ++i) {
      const Vec3 a = acceleration.segment<3>(3 * i);
      r.segment<3>(3 * i) = model.vertex_mass()[i] * (a - g);
    }
    if (forces_) r -= (*forces_)[step / steps_in_force_];
    StepStart start{h_, end_time, x, v_[step]};
    const VecX x_before = step > 0 ? x_[step - 1] : VecX();
    if (is_bdf2(step)) {
      start.x_before = &x_before;
      start.v_before = &v_[step - 1];
    }
    for (const auto& energy : model.energies()) energy->begin_step(start)->add_gradient(y, r);
    return r;
  }

  // Takes out of r what pins hold against. How far the step ends from where they hold.
  double let_pins_take(int step, VecX& r) const {
    const double time = (step + 1) * h_;
    const VecX y = x_[step + 1];
    std::vector<bool> taken(n_, false);
    double off = 0.0;
    for (const HardPin& pin : shot_.model().pins()) {
      if (!is_active(pin.begin_time, pin.end_time, time)) continue;
      for (std::size_t k = 0; k < pin.vertices.size(); ++k) {
        const int i = pin.vertices[k];
        if (taken[i]) continue;
        taken[i] = true;
        const Vec3 way = y.segment<3>(3 * i) - pin.motion.position(static_cast<int>(k), time);
        off = std::max(off, (way - pin.free * way).norm());
        r.segment<3>(3 * i) = pin.free * r.segment<3>(3 * i);
      }
    }
    return off;
  }

  const Shot& shot_;
  std::int64_t n_, steps_;
  double h_;
  Samples x_, frames_;
  std::vector<VecX> v_;  // of the states
  std::optional<Samples> forces_;
  int steps_in_force_ = 1;
};

}  // namespace

std::vector<FrameAudit> audit(const Shot& shot, const std::filesystem::path& folder) {
  const Auditor auditor(shot, folder);
  std::vector<FrameAudit> frames;
  for (int f = 0; f + 1 < shot.clock.frames.count(); ++f) frames.push_back(auditor.frame(f));
  return frames;
}

bool passes(const std::vector<FrameAudit>& frames) {
  return !frames.empty() && std::all_of(frames.begin(), frames.end(), [](const FrameAudit& f) {
    return f.residual <= kResidual && f.off_pins <= kPins && f.positions_differ == 0.0;
  });
}

}  // namespace keydrape
