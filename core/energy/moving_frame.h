#pragma once

#include <memory>

#include "core/base/animated.h"
#include "core/base/rigid_motion.h"
#include "core/energy/step_start.h"

namespace keydrape {

// A frame of reference that moves rigidly, say that of a fast character. Cloth feels a part of its motion.
struct MovingFrame {
  RigidMotion motion;             // at rest before its first key, so before time 0
  Animated<double> inertia{1.0};  // share of the motion that cloth makes without inertia, in [0, 1]
  Animated<double> air{1.0};      // share of the motion that the air makes, in [0, 1]
};

// x -> A x + b
struct AffineMap {
  Mat3 A = Mat3::Zero();
  Vec3 b = Vec3::Zero();

  Vec3 operator()(const Vec3& x) const { return A * x + b; }
};

// Where inertia alone takes cloth that a frame carries along, as x~ in (1) without weight: linear in the
// states that the step knows.  (V1), (V2)
struct CarriedInertia {
  Mat3 by_x = Mat3::Zero(), by_v = Mat3::Zero();                // of the start
  Mat3 by_x_before = Mat3::Zero(), by_v_before = Mat3::Zero();  // of the state before that
  Vec3 offset = Vec3::Zero();                                   // [m]
};
// Whether a level is that of the start: friction counts from there, and from no state before.
inline bool is_start(const StepScheme::Level& level) { return level.held > 0.0; }

// What a step makes of a point that is fixed to a frame, for each state that it knows.
struct CarriedPoint {
  struct Level {
    AffineMap carry;     // to where the point is at the end of the step
    AffineMap velocity;  // of the point, as the step that ended there counts velocities  (V3)
  };
  Level start, before;  // `before`: 0 where the step does not know it
};

// In a round of a drape the frame stands still.
CarriedInertia carried_inertia(const MovingFrame& frame, const StepStart& step);
CarriedPoint carried_point(const MovingFrame& frame, const StepStart& step);

}  // namespace keydrape
