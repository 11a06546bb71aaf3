#include "core/energy/moving_frame.h"

#include <cmath>

namespace keydrape {

namespace {

AffineMap way(const RigidMotion& motion, double from, double to) {
  const RigidPose p = motion.pose(from), q = motion.pose(to);
  const Mat3 turn = q.rotation * p.rotation.transpose();
  return {turn, q.translation - turn * p.translation};
}

// v = (x - x*)/beta of a point that is fixed to the frame, at a time at which a step has ended.
AffineMap frame_velocity(const RigidMotion& motion, const StepScheme& scheme, double dt, double time) {
  AffineMap star = way(motion, time, time - dt);
  star.A *= scheme.start.share;
  star.b *= scheme.start.share;
  if (scheme.has_before()) {
    const AffineMap earlier = way(motion, time, time - 2.0 * dt);
    star.A += scheme.before.share * earlier.A;
    star.b += scheme.before.share * earlier.b;
  }
  return {(Mat3::Identity() - star.A) / scheme.beta, -star.b / scheme.beta};
}

// Whether the step that ended at `time` was one of BDF2, in a run of it: the first is implicit Euler.
bool knew_two(const StepStart& step, double time) {
  return step.x_before && std::lround(time / step.dt) >= 2;
}

// A position as the states that a step knows tell it: so many of each.
struct Known {
  double x, v, x_before, v_before;

  friend Known operator*(double s, const Known& k) {
    return {s * k.x, s * k.v, s * k.x_before, s * k.v_before};
  }
  friend Known operator+(const Known& a, const Known& b) {
    return {a.x + b.x, a.v + b.v, a.x_before + b.x_before, a.v_before + b.v_before};
  }
};

// Sums up shares of positions that cloth had, as the frame carries them to the end of the step.
class CarriedSum {
 public:
  CarriedSum(const RigidMotion& motion, const StepStart& step) : motion_(motion), step_(step) {}

  void add(double share, const Known& position, int steps_ago) {
    const double time = step_.time - steps_ago * step_.dt;
    const AffineMap g =
        step_.is_drape() ? AffineMap{Mat3::Identity(), Vec3::Zero()} : way(motion_, time, step_.time);
    sum_.by_x += share * position.x * g.A;
    sum_.by_v += share * position.v * g.A;
    sum_.by_x_before += share * position.x_before * g.A;
    sum_.by_v_before += share * position.v_before * g.A;
    sum_.offset += share * g.b;
  }
  const CarriedInertia& sum() const { return sum_; }

 private:
  const RigidMotion& motion_;
  const StepStart& step_;
  CarriedInertia sum_;
};

}  // namespace

CarriedInertia carried_inertia(const MovingFrame& frame, const StepStart& step) {
  CarriedSum sum(frame.motion, step);
  const double h = step.dt, beta = step.scheme().beta;
  const Known x{1, 0, 0, 0}, v{0, 1, 0, 0}, x_before{0, 0, 1, 0}, v_before{0, 0, 0, 1};
  if (!step.x_before) {
    sum.add(2.0, x, 1);
    sum.add(-1.0, x + (-h) * v, 2);
    return sum.sum();
  }
  // share beta v of the state `ago` steps ago, of positions from which the step that ended there made it.
  const auto add_velocity = [&](double share, int ago, const Known& here, const Known& earlier,
                                const Known& velocity) {
    if (knew_two(step, step.time - ago * h)) {
      const Known earliest = 3.0 * beta * velocity + -3.0 * here + 4.0 * earlier;
      sum.add(share, here, ago);
      sum.add(-4.0 / 3.0 * share, earlier, ago + 1);
      sum.add(1.0 / 3.0 * share, earliest, ago + 2);
    } else {
      sum.add(share * beta / h, here, ago);
      sum.add(-share * beta / h, here + (-h) * velocity, ago + 1);
    }
  };
  sum.add(4.0 / 3.0, x, 1);
  sum.add(-1.0 / 3.0, x_before, 2);
  add_velocity(4.0 / 3.0, 1, x, x_before, v);
  const Known two_before =
      knew_two(step, step.time - h) ? 3.0 * beta * v + -3.0 * x + 4.0 * x_before : x_before + (-h) * v_before;
  add_velocity(-1.0 / 3.0, 2, x_before, two_before, v_before);
  return sum.sum();
}

CarriedPoint carried_point(const MovingFrame& frame, const StepStart& step) {
  const auto level = [&](int steps_ago) {
    if (step.is_drape()) return CarriedPoint::Level{{Mat3::Identity(), Vec3::Zero()}, {}};
    const double time = step.time - steps_ago * step.dt;
    const StepScheme scheme = step_scheme(step.dt, knew_two(step, time));
    return CarriedPoint::Level{way(frame.motion, time, step.time),
                               frame_velocity(frame.motion, scheme, step.dt, time)};
  };
  CarriedPoint made{level(1), {}};
  if (step.x_before) made.before = level(2);
  return made;
}

}  // namespace keydrape
