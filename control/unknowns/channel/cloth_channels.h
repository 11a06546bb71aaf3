#pragma once

#include "control/unknowns/channel/channel.h"

namespace keydrape {

// Channels that change what the cloth is made of, or what is around it. Those with knots add to what the
// scene says, whose own course in time stays; a step sees its end alone, and what is added is sampled there.

// Velocity that is added to that of the wind. Rows: knots; mean |dw|^2/(g_0 l) is |c|^2.
class WindChannel final : public Channel {
 public:
  // Requires cloth with wind.
  WindChannel(const StepKnots& knots, const ChannelSize& size);

  std::string kind() const override { return "wind"; }
  std::vector<std::string> components() const override { return {"x_m_s", "y_m_s", "z_m_s"}; }
  const StepKnots* knots() const override { return &knots_; }
  void apply(const VecX& p, ClothDescription& cloth, State& start) const override;
  bool changes_cloth() const override { return true; }
  std::vector<StepSensitivity> sensitivities(int step, const StepSolution& at) const override;
  SensitivityColumns columns(bool) const override { return {3, 0}; }

 private:
  StepKnots knots_;
};

// What is added to stretch_scale, along warp and weft. Rows: knots; mean |db|^2 is |c|^2.
class StretchScaleChannel final : public Channel {
 public:
  // `scale`: of ChannelSize; the unit knows no length.
  explicit StretchScaleChannel(const StepKnots& knots, double scale = 1.0);

  std::string kind() const override { return "stretch-scale"; }
  std::vector<std::string> components() const override { return {"warp", "weft"}; }
  const StepKnots* knots() const override { return &knots_; }
  void apply(const VecX& p, ClothDescription& cloth, State& start) const override;
  bool changes_cloth() const override { return true; }
  std::vector<StepSensitivity> sensitivities(int step, const StepSolution& at) const override;
  SensitivityColumns columns(bool) const override { return {2, 0}; }

 private:
  StepKnots knots_;
};

enum class PinKind { kHard, kSoft };

// By how much a pin's motion is shifted. Rows: knots; mean |d|^2/l^2 is |c|^2.
class PinChannel final : public Channel {
 public:
  // `pin`: its number among those of its kind. Requires knots that begin at zero, where the cloth is.
  PinChannel(PinKind pin_kind, int pin, const StepKnots& knots, const ChannelSize& size);

  std::string kind() const override { return "pin"; }
  std::vector<std::string> components() const override { return {"x_m", "y_m", "z_m"}; }
  const StepKnots* knots() const override { return &knots_; }
  void apply(const VecX& p, ClothDescription& cloth, State& start) const override;
  bool changes_cloth() const override { return true; }
  std::vector<StepSensitivity> sensitivities(int step, const StepSolution& at) const override;
  SensitivityColumns columns(bool knows_before) const override;

 private:
  StepSensitivity of_hard_pin(const StepSolution& at) const;  // without shares

  PinKind pin_kind_;
  int pin_;
  StepKnots knots_;
};

// Numbers of the material, in logarithms: they stay positive, and a factor of e costs |c|^2 = 1,
// whatever the number.
class MaterialChannel final : public Channel {
 public:
  // `scale`: of ChannelSize. Requires different numbers, at least one, whose values in `material` are > 0.
  MaterialChannel(std::vector<MaterialNumber> numbers, Material material, double scale = 1.0);

  std::string kind() const override { return "material"; }
  std::vector<std::string> components() const override;
  void apply(const VecX& p, ClothDescription& cloth, State& start) const override;
  bool changes_cloth() const override { return true; }
  std::vector<StepSensitivity> sensitivities(int step, const StepSolution& at) const override;
  SensitivityColumns columns(bool) const override { return {size(), 0}; }

 private:
  std::vector<MaterialNumber> numbers_;
};

}  // namespace keydrape
