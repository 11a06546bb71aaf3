#include "control/unknowns/channel/cloth_channels.h"

#include <cassert>
#include <cmath>
#include <string>

#include "core/base/error.h"

namespace keydrape {

namespace {

// The unit of numbers whose mean square over the knots is |c|^2.
ChannelScale scale_of_knots(const StepKnots& knots, int width, double unit) {
  const Eigen::Index size = static_cast<Eigen::Index>(knots.count()) * width;
  return {VecX::Zero(size), VecX::Constant(size, unit * std::sqrt(static_cast<double>(knots.count())))};
}

// A course of the scene with what the knots add: the same bits as before at the end of every step where
// that is zero.
template <class Value>
Animated<Value> added(const Animated<Value>& base, const StepKnots& knots, const VecX& p) {
  const double dt = knots.dt();
  std::vector<std::pair<double, Value>> keys;
  for (int n = 0; n <= knots.step_count(); ++n)
    keys.emplace_back(n * dt, base.at(n * dt) + knots.at(n, p, Value::RowsAtCompileTime));
  return Animated<Value>(std::move(keys));
}

// What the matrix of a linearised step owes to the fabric is not differentiated.
void refuse_linearized(const StepSolution& at, const std::string& kind) {
  if (at.is_linearized)
    throw InputError(
        "a channel of kind \"" + kind +
        "\" has no exact derivatives in linearised steps; take integrator = \"newton\" or \"bdf2\", or "
        "gradient = \"swapped\" to compare with");
}

ChannelScale material_scale(const std::vector<MaterialNumber>& numbers, Material material, double scale) {
  VecX origin(static_cast<Eigen::Index>(numbers.size()));
  for (size_t k = 0; k < numbers.size(); ++k) origin(k) = number_of(material, numbers[k]);
  return {origin, VecX::Constant(origin.size(), scale), true};
}

}  // namespace

WindChannel::WindChannel(const StepKnots& knots, const ChannelSize& size)
    : Channel(scale_of_knots(knots, 3, size.scale * std::sqrt(kStandardGravity * size.length))),
      knots_(knots) {
  assert(size.length > 0.0 && size.scale > 0.0);
}

void WindChannel::apply(const VecX& p, ClothDescription& cloth, State&) const {
  assert(cloth.wind);
  cloth.wind->velocity = added(cloth.wind->velocity, knots_, p);
}

std::vector<StepSensitivity> WindChannel::sensitivities(int step, const StepSolution& at) const {
  return {{knots_.shares(step), -residual_by_air(at)}};
}

StretchScaleChannel::StretchScaleChannel(const StepKnots& knots, double scale)
    : Channel(scale_of_knots(knots, 2, scale)), knots_(knots) {
  assert(scale > 0.0);
}

void StretchScaleChannel::apply(const VecX& p, ClothDescription& cloth, State&) const {
  cloth.stretch_scale = added(cloth.stretch_scale, knots_, p);
}

std::vector<StepSensitivity> StretchScaleChannel::sensitivities(int step, const StepSolution& at) const {
  refuse_linearized(at, kind());
  return {{knots_.shares(step), -residual_by_stretch_scale(at)}};
}

PinChannel::PinChannel(PinKind pin_kind, int pin, const StepKnots& knots, const ChannelSize& size)
    : Channel(scale_of_knots(knots, 3, size.scale * size.length)),
      pin_kind_(pin_kind),
      pin_(pin),
      knots_(knots) {
  assert(pin >= 0 && size.length > 0.0 && size.scale > 0.0 && knots.shares_at(0).empty());
}

void PinChannel::apply(const VecX& p, ClothDescription& cloth, State&) const {
  MotionTrack& motion = pin_kind_ == PinKind::kHard ? cloth.pins[pin_].motion : cloth.soft_pins[pin_].motion;
  MotionTrack shifted{{}, knots_.dt()};
  for (int n = 0; n <= knots_.step_count(); ++n) {
    const Vec3 shift = knots_.at(n, p, 3);
    VecX sample(3 * static_cast<Eigen::Index>(motion.point_count()));
    for (int k = 0; k < motion.point_count(); ++k)
      sample.segment<3>(3 * k) = motion.position(k, n * knots_.dt()) + shift;
    shifted.samples.push_back(std::move(sample));
  }
  motion = std::move(shifted);
}

std::vector<StepSensitivity> PinChannel::sensitivities(int step, const StepSolution& at) const {
  if (step < 0) return {};  // knots begin at zero
  if (pin_kind_ == PinKind::kHard) {
    StepSensitivity by = of_hard_pin(at);
    by.shares = knots_.shares(step);
    return {std::move(by)};
  }
  SoftPinDerivatives r = residual_by_soft_pin(at, pin_);  // which feels where the pin was before as well
  std::vector<StepSensitivity> by = {{knots_.shares(step), -r.by_end}, {knots_.shares_at(step), -r.by_start}};
  if (at.problem.has_before() && step > 0) by.push_back({knots_.shares_at(step - 1), -r.by_before});
  return by;
}

SensitivityColumns PinChannel::columns(bool knows_before) const {
  if (pin_kind_ == PinKind::kHard) return {3, 3};
  return {knows_before ? 9 : 6, 0};
}

StepSensitivity PinChannel::of_hard_pin(const StepSolution& at) const {
  const Model& model = at.problem.model();
  const auto rows_of_first = [&](int pin_count) {  // of pins that hold one vertex the first wins
    const std::vector<HardPin> pins(model.pins().begin(), model.pins().begin() + pin_count);
    return StepConstraints(pins, at.problem.end_time(), model.vertex_count()).rows();
  };
  const std::vector<StepConstraints::Row> before = rows_of_first(pin_), with = rows_of_first(pin_ + 1);
  StepSensitivity by{{}, Eigen::MatrixXd::Zero(at.y.size(), 3), Eigen::MatrixXd::Zero(at.y.size(), 3)};
  auto earlier = before.begin();  // both ascend by vertex
  for (const StepConstraints::Row& row : with) {
    while (earlier != before.end() && earlier->vertex < row.vertex) ++earlier;
    if (earlier != before.end() && earlier->vertex == row.vertex) continue;
    by.Y.middleRows<3>(3 * row.vertex) = Mat3::Identity() - row.S;
  }
  if (by.Y.isZero(0.0)) return by;
  const auto wide = at.problem.pattern(at.y, nullptr);
  BlockMatrix H(wide ? wide->blocks() : model.pattern());
  if (at.is_linearized)
    at.problem.linearized_matrix(at.problem.start().x, H, wide.get());
  else
    at.problem.hessian(at.y, VecX(), H, HessianKind::kExact, wide.get());
  VecX out;
  for (int j = 0; j < 3; ++j) {
    H.multiply(by.Y.col(j), out);
    by.R.col(j) = -out;
  }
  return by;
}

MaterialChannel::MaterialChannel(std::vector<MaterialNumber> numbers, Material material, double scale)
    : Channel(material_scale(numbers, std::move(material), scale)), numbers_(std::move(numbers)) {
  assert(!numbers_.empty() && this->scale().origin.minCoeff() > 0.0 && scale > 0.0);
}

std::vector<std::string> MaterialChannel::components() const {
  std::vector<std::string> names;
  for (const MaterialNumber number : numbers_) names.emplace_back(name_of(number));
  return names;
}

void MaterialChannel::apply(const VecX& p, ClothDescription& cloth, State&) const {
  for (size_t k = 0; k < numbers_.size(); ++k) number_of(cloth.material, numbers_[k]) = p(k);
}

std::vector<StepSensitivity> MaterialChannel::sensitivities(int, const StepSolution& at) const {
  refuse_linearized(at, kind());
  StepSensitivity by{{{0, 1.0}}, Eigen::MatrixXd(at.y.size(), size())};
  for (size_t k = 0; k < numbers_.size(); ++k) by.R.col(k) = -residual_by_log(at, numbers_[k]);
  return {std::move(by)};
}

}  // namespace keydrape
