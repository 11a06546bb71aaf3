#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/unknowns/channel/channel.h"
#include "control/unknowns/channel/cloth_channels.h"

namespace keydrape {

enum class ChannelKind {
  kRigidThrow,   // an initial velocity as of a rigid body
  kVertexThrow,  // one of every vertex by itself
  kWind,
  kPin,
  kStretchScale,
  kMaterial,
};

// A channel as plain data.
struct ChannelSpec {
  ChannelKind kind = ChannelKind::kRigidThrow;
  std::vector<int> vertices{};        // of throws: that are thrown, ascending
  PinKind pin_kind = PinKind::kHard;  // of kPin
  int pin = 0;                        // its number among the cloth's pins of that kind
  // Of kMaterial, > 0 in the cloth's material; warp, weft and shear not of isotropic cloth, which has none.
  std::vector<MaterialNumber> numbers{};
  int knots_every = 1;  // [intervals], of kWind, kPin and kStretchScale
  double scale = 1.0;   // how much cheaper than its unit says
};

// A number of the material that a channel before has, too: which of the two counted last, nobody would know.
struct RepeatedNumber {
  std::size_t channel;
  MaterialNumber number;
};
std::optional<RepeatedNumber> repeated_number(const std::vector<ChannelSpec>& channels);

// What a channel is made for: the cloth as it is described, and its time.
struct ChannelContext {
  const ClothDescription& cloth;  // with wind, if the wind is to be a channel
  const VecX& start;              // positions [m] (3n)
  const VecX& vertex_mass;        // [kg] (n)
  double length;                  // l: the cloth's size [m]
  int step_count;
  int substeps;  // steps in an interval
  double dt;     // [s]
};
std::unique_ptr<Channel> make_channel(const ChannelSpec& spec, const ChannelContext& context);

}  // namespace keydrape
