#pragma once

#include <memory>

#include "core/contact/pairs/surface_pairs.h"
#include "core/energy/energy.h"

namespace keydrape {

// The cloth's triangles against themselves and against those of bodies
// (core/contact/EQUATIONS.md (G8) and (B7)):
//   W(y) = sum of kappa A b(D) over vertex-face pairs
//        + sum of kappa A m b(D) over edge-edge pairs that share no vertex
// and the friction of the pairs that touch at the start of the step, (B8). Infinite where a gap is closed: a
// Limit. Pairs with a closed gap at the start have no friction: the step fails anyway.
class SurfaceContact final : public Energy {
 public:
  explicit SurfaceContact(std::shared_ptr<const SurfacePairs> pairs) : pairs_(std::move(pairs)) {}

  std::string_view name() const override { return "surface contact"; }
  bool is_elastic() const override { return true; }
  bool depends_on_start_x() const override { return pairs_->has_friction(); }
  bool depends_on_start_v() const override { return false; }
  bool is_contact() const override { return true; }
  bool couples_what_touches() const override { return true; }
  // The edges of the cloth: a step adds what is between features only.
  void append_couplings(std::vector<Edge>& pairs) const override { pairs_->append_couplings(pairs); }
  void bind(const BlockPattern&) override {}
  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override;

 private:
  std::shared_ptr<const SurfacePairs> pairs_;
};

}  // namespace keydrape
