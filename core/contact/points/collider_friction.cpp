#include "core/contact/points/collider_friction.h"

#include <tbb/parallel_for.h>

#include "core/contact/friction_law.h"

namespace keydrape {

namespace {

// A point that touches the body at the start of the step.
struct Touch {
  int point;
  double load;       // mu lambda [N]
  Vec3 load_by_x;    // d(mu lambda)/dp(x) [N/m]
  Vec3 normal;       // n
  Mat3 normal_by_x;  // dn/dp(x) [1/m]
  Carried carried;
  FrictionLaw law;

  Vec3 sliding(const Vec3& p) const {
    const Vec3 q = p - carried.position;
    return q - normal * normal.dot(q);
  }
};

class FrictionStep final : public EnergyStep {
 public:
  FrictionStep(const CollidingCloth& cloth, const std::vector<PointPatch>& patches, const PointSlots& slots,
               const StepStart& start, double mu, double speed)
      : cloth_(cloth), slots_(slots) {
    const FrictionLaw law{speed * start.slip_time()};
    const VecX expected = start.is_linearized ? VecX(start.x + start.dt * start.v) : VecX();
    const double t0 = start.time_before(1);
    const ColliderPose pose = cloth.collider->at(t0);
    const std::vector<char> held = cloth.held_at(start.time);
    const int count = static_cast<int>(patches.size());
    std::vector<std::vector<Touch>> touches(count);
    tbb::parallel_for(tbb::blocked_range<int>(0, count, kPatchesPerTask), [&](const auto& r) {
      for (int k = r.begin(); k < r.end(); ++k) {
        const auto [first, end] = patches[k];
        if (!CollidingCloth::is_free(cloth.points[first], held)) continue;
        const auto [ball, reach] = free_ball(cloth.points[first], pose, cloth.law.range(), start.x);
        if (reach < ball.radius) continue;
        for (int i = first; i < end; ++i) {
          const Vec3 p = cloth.points[i].position(start.x);
          const double phi = pose.distance(p);
          // A point within the thickness makes the step fail by the contact's energy, whatever is done here.
          if (phi >= cloth.law.range()) continue;
          if (phi <= cloth.law.barrier.thickness && !cloth.law.is_penalty) continue;
          const DistanceSample sample = pose.sample(p);
          if (sample.gradient.isZero(0.0)) continue;  // half way through a thin body: no force, no friction
          Touch& found = touches[k].emplace_back(touch(i, sample, mu));
          found.carried = cloth.collider->carry(t0, start.time, p);
          const bool is_linearized = expected.size() > 0;
          found.law = is_linearized ? law.linearized(found.sliding(position(found, expected))) : law;
        }
      }
    });
    for (const std::vector<Touch>& of_patch : touches)
      touches_.insert(touches_.end(), of_patch.begin(), of_patch.end());
  }

  double value(const VecX& y) const override {
    double sum = 0.0;
    for (const Touch& t : touches_) sum += t.load * t.law.value(t.sliding(position(t, y)));
    return sum;
  }

  void add_gradient(const VecX& y, VecX& gradient) const override {
    for (const Touch& t : touches_) {
      const Vec3 force = t.load * t.law.gradient(t.sliding(position(t, y)));
      const SamplePoint& point = cloth_.points[t.point];
      for (int c = 0; c < point.count; ++c)
        gradient.segment<3>(3 * point.vertices[c]) += point.weights(c) * force;
    }
  }

  bool has_constant_hessian() const override { return touches_.empty(); }

  void add_hessian(const VecX& y, const HessianForm&, BlockMatrix& H) const override {
    for (const Touch& t : touches_) {
      const Mat3 P = Mat3::Identity() - t.normal * t.normal.transpose();
      const Mat3 K = t.load * P * t.law.hessian(t.sliding(position(t, y))) * P;
      slots_.add_upper(t.point, cloth_.points[t.point], K, H);
    }
  }

  // (B6)
  void add_start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix&) const override {
    for (const Touch& t : touches_) {
      const Vec3 q = position(t, y) - t.carried.position, w = t.sliding(position(t, y));
      const Mat3 P = Mat3::Identity() - t.normal * t.normal.transpose();
      const Mat3 w_by_x = -t.normal.dot(q) * t.normal_by_x - t.normal * (q.transpose() * t.normal_by_x) -
                          P * t.carried.gradient;
      const Mat3 K = t.law.gradient(w) * t.load_by_x.transpose() + t.load * t.law.hessian(w) * w_by_x;
      slots_.add(t.point, cloth_.points[t.point], K, C);
    }
  }

 private:
  Vec3 position(const Touch& t, const VecX& y) const { return cloth_.points[t.point].position(y); }

  // (B4), (B5). With g = |grad phi|: lambda = -dW/dphi g.
  Touch touch(int i, const DistanceSample& s, double mu) const {
    Touch t;
    t.point = i;
    const ContactLaw::Numbers w = cloth_.law.at(s.distance, cloth_.points[i].area);
    const double g = s.gradient.norm();
    t.normal = s.gradient / g;
    t.normal_by_x = (s.hessian - t.normal * (t.normal.transpose() * s.hessian)) / g;
    t.load = -mu * w.d1 * g;
    t.load_by_x = -mu * (w.d2 * g * s.gradient + w.d1 * (s.hessian * t.normal));
    return t;
  }

  const CollidingCloth& cloth_;
  const PointSlots& slots_;
  std::vector<Touch> touches_;
};

}  // namespace

std::unique_ptr<EnergyStep> ColliderFriction::begin_step(const StepStart& start) const {
  return std::make_unique<FrictionStep>(*cloth_, patches_, slots_, start, mu_.at(start.time), speed_);
}

}  // namespace keydrape
