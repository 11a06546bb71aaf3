#include "control/unknowns/channel/channels.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace keydrape {
namespace {

// Of both threads, at any time.
double least_of(const Animated<Vec2>& scale) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [time, at_key] : scale.keys()) least = std::min(least, at_key.minCoeff());
  return least;
}

}  // namespace

Channels::Channels(std::vector<std::unique_ptr<Channel>> channels, ClothDescription cloth, State start,
                   const SimulatorOptions& options, std::optional<DrapeOptions> drape)
    : channels_(std::move(channels)),
      cloth_(std::move(cloth)),
      start_(std::move(start)),
      options_(options),
      drape_(std::move(drape)) {
  assert(!channels_.empty());
  bool change_cloth = false;
  for (const auto& channel : channels_) {
    size_ += channel->size();
    change_cloth = change_cloth || channel->changes_cloth();
  }
  if (!change_cloth) return;
  const ContactLaw law = body_contact_law(cloth_);
  cloth_.contact.body_gap = law.barrier.thickness;
  cloth_.contact.activation = law.barrier.activation;
  cloth_.contact.stiffness = law.stiffness;
}

void Channels::start_from(const std::vector<VecX>& values) {
  assert(values.size() == channels_.size());
  for (size_t k = 0; k < values.size(); ++k) channels_[k]->start_from(values[k]);
}

std::vector<VecX> Channels::split(const VecX& c) const {
  assert(c.size() == size_);
  std::vector<VecX> parts;
  Eigen::Index begin = 0;
  for (const auto& channel : channels_) {
    parts.push_back(c.segment(begin, channel->size()));
    begin += channel->size();
  }
  return parts;
}

std::vector<VecX> Channels::values(const VecX& c) const {
  std::vector<VecX> parts = split(c);
  for (size_t k = 0; k < parts.size(); ++k) parts[k] = channels_[k]->scale().values(parts[k]);
  return parts;
}

double Channels::least_stretch_scale(const std::vector<VecX>& values) const {
  assert(values.size() == channels_.size());
  ClothDescription cloth = cloth_;
  State start = start_;
  for (size_t k = 0; k < channels_.size(); ++k) channels_[k]->apply(values[k], cloth, start);
  return least_of(cloth.stretch_scale);
}

ClothVariant Channels::variant(const std::vector<VecX>& values) const {
  assert(values.size() == channels_.size());
  ClothVariant variant{nullptr, nullptr, start_, {}};
  ClothDescription cloth = cloth_;
  bool is_other_cloth = false;
  for (size_t k = 0; k < channels_.size(); ++k)
    variant.is_possible = variant.is_possible && channels_[k]->scale().are_possible(values[k]);
  if (!variant.is_possible) return variant;
  for (size_t k = 0; k < channels_.size(); ++k) {
    channels_[k]->apply(values[k], cloth, variant.start);
    is_other_cloth = is_other_cloth || channels_[k]->changes_cloth();
  }
  if (!is_other_cloth) return variant;
  // Lengths at rest would be negative.
  if (least_of(cloth.stretch_scale) <= 0.0) return {nullptr, nullptr, start_, {}, false};
  variant.model = std::make_unique<Model>(build_model(cloth));
  if (drape_) {  // throws may have given the start a velocity
    variant.drape = drape_again(*variant.model, start_, *drape_);
    variant.start.x = variant.drape->states.back().x;
    variant.start.exempt = variant.drape->states.back().exempt;
  }
  variant.simulator = std::make_unique<Simulator>(*variant.model, options_);
  return variant;
}

}  // namespace keydrape
