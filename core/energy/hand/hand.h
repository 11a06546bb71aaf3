#pragma once

#include <memory>
#include <vector>

#include "core/energy/attachment.h"
#include "core/energy/family/element_family.h"

namespace keydrape {

// What a hand holds: a soft pin that may be another one in every step. Whoever owns it changes it between
// steps, and never while one is taken.
struct Grip {
  std::vector<Attachment> attachments;  // without damping; empty: nothing is held
  Attachment::Shared shared;
};

// The energy of a grip that is read as a step begins: the one thing in a Model that may change (law 2), for
// stages on which somebody acts (io/play). A step with it has the bits of one with the same soft pin.
class Hand final : public Energy {
 public:
  explicit Hand(std::shared_ptr<const Grip> grip) : grip_(std::move(grip)) {}

  std::string_view name() const override { return "hand"; }
  bool is_elastic() const override { return true; }
  bool depends_on_start_x() const override { return false; }
  bool depends_on_start_v() const override { return false; }
  bool has_linearized_derivatives() const override { return true; }
  void add_stiffness_bound(StiffnessBound& bound) const override;
  bool bound_depends_on_time() const override { return true; }
  void append_couplings(std::vector<Edge>&) const override {}  // of a vertex with itself alone
  void bind(const BlockPattern& pattern) override { pattern_ = &pattern; }
  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override;

 private:
  std::shared_ptr<const Grip> grip_;
  const BlockPattern* pattern_ = nullptr;
};

}  // namespace keydrape
