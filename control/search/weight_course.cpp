#include "control/search/weight_course.h"

namespace keydrape {

WeightCourse::WeightCourse(const Memory& memory)
    : kind_(memory.lowered_at > 0.0 ? Kind::kLowered : Kind::kSteady),
      at_(memory.lowered_at),
      vain_raises_(memory.vain_raises),
      vain_at_(memory.vain_at),
      vain_from_(memory.vain_from) {}

WeightCourse::Memory WeightCourse::memory() const {
  return {kind_ == Kind::kLowered ? at_ : 0.0, vain_raises_, vain_at_, vain_from_};
}

void WeightCourse::raise_before_trial(const Raise& raise) {
  if (!is_raised_in_vain(raise.p)) from_ = raise.from;
  kind_ = Kind::kRaised;
  at_ = raise.p;
  miss_ = raise.miss;
  may_be_small_ = raise.may_be_small;
  is_alone_ = raise.is_alone;
}

bool WeightCourse::is_one_too_many(double p, double miss) {
  if (!is_raised_in_vain(p) || miss <= kMuchNearer * miss_) {
    if (kind_ == Kind::kRaised || p <= kIdle * vain_at_) vain_raises_ = 0;
    return false;
  }
  if (is_alone_ && p <= kIdleAlone * at_) return false;
  const bool is_far = p > kFarAway && !is_alone_;
  if (vain_raises_ == 0 || is_far) vain_from_ = from_;
  ++vain_raises_;
  vain_at_ = p;
  return is_far || vain_raises_ == kVainRaises;
}

void WeightCourse::lower(double p) {
  kind_ = Kind::kLowered;
  at_ = p;
}

void WeightCourse::end_iteration() {
  if (kind_ == Kind::kRaised) kind_ = Kind::kSteady;
}

}  // namespace keydrape
