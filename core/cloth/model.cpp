#include "core/cloth/model.h"

#include <algorithm>
#include <cassert>

#include "core/contact/pairs/start_crossings.h"

namespace keydrape {

Model::Model(VecX mass, std::vector<std::unique_ptr<Energy>> energies, std::vector<HardPin> pins,
             Animated<Vec3> gravity, TouchableBodies touchable,
             std::vector<std::unique_ptr<StepFilter>> filters, std::vector<TouchedBody> resting)
    : vertex_mass_(std::move(mass)),
      energies_(std::move(energies)),
      pins_(std::move(pins)),
      gravity_(std::move(gravity)),
      touchable_(std::move(touchable)),
      filters_(std::move(filters)),
      resting_(std::move(resting)) {
  assert(vertex_mass_.size() > 0 && vertex_mass_.minCoeff() > 0.0);
  assert(std::is_partitioned(energies_.begin(), energies_.end(),
                             [](const auto& e) { return !e->couples_what_touches(); }));
  mass_.resize(3 * vertex_mass_.size());
  for (Eigen::Index i = 0; i < vertex_mass_.size(); ++i) mass_.segment<3>(3 * i).setConstant(vertex_mass_(i));
  std::vector<Edge> pairs;
  for (const auto& energy : energies_) energy->append_couplings(pairs);
  pattern_ = std::make_unique<BlockPattern>(vertex_count(), pairs);
  for (const auto& energy : energies_) {
    energy->bind(*pattern_);
    condition_count_ += energy->condition_count();
  }
}

ExemptionsPointer Model::exemptions_after(const ExemptionsPointer& current, const VecX& y) const {
  assert(!current || touchable_.surfaces);
  return current ? keydrape::exemptions_after(*touchable_.surfaces, current, y) : nullptr;
}

double Model::force_scale() const { return kStandardGravity * vertex_mass_.norm(); }

bool Model::has_linearized_derivatives() const {
  return std::all_of(energies_.begin(), energies_.end(),
                     [](const auto& e) { return e->has_linearized_derivatives(); });
}

bool Model::is_limited() const {
  return std::any_of(energies_.begin(), energies_.end(), [](const auto& e) { return e->is_limited(); });
}

bool Model::has_contact() const {
  return std::any_of(energies_.begin(), energies_.end(), [](const auto& e) { return e->is_contact(); });
}

bool Model::depends_on_start_x() const {
  return std::any_of(energies_.begin(), energies_.end(),
                     [](const auto& e) { return e->depends_on_start_x(); });
}

bool Model::depends_on_start_v() const {
  return std::any_of(energies_.begin(), energies_.end(),
                     [](const auto& e) { return e->depends_on_start_v(); });
}

}  // namespace keydrape
