#include "core/energy/hand/hand.h"

#include <cassert>

namespace keydrape {
namespace {

class HandStep final : public EnergyStep {
 public:
  HandStep(const Grip& grip, const BlockPattern& pattern, const StepStart& start)
      : family_("hand", grip.attachments, grip.shared) {
    family_.bind(pattern);
    step_ = family_.begin_step(start);
  }

  double value(const VecX& y) const override { return step_->value(y); }
  void add_gradient(const VecX& y, VecX& gradient) const override { step_->add_gradient(y, gradient); }
  bool has_constant_hessian() const override { return step_->has_constant_hessian(); }
  void add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const override {
    step_->add_hessian(y, form, H);
  }

 private:
  ElementFamily<Attachment> family_;
  std::unique_ptr<EnergyStep> step_;
};

}  // namespace

std::unique_ptr<EnergyStep> Hand::begin_step(const StepStart& start) const {
  assert(pattern_ != nullptr);
  assert(std::all_of(grip_->attachments.begin(), grip_->attachments.end(),
                     [](const Attachment& each) { return each.damping == 0.0; }));
  return std::make_unique<HandStep>(*grip_, *pattern_, start);
}

void Hand::add_stiffness_bound(StiffnessBound& bound) const {
  for (const Attachment& each : grip_->attachments)
    bound.add<1>(each.vertices, each.stiffness_bound(grip_->shared, bound));
}

}  // namespace keydrape
