#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "control/unknowns/channel/channels.h"
#include "io/scene/shot_clock.h"

// What a solve found for the channels of a scene ([[control.channel]]), channels.json: an entry for each, in
// the scene's order,
//   kind, components: names of the numbers of a row, with their unit
//   frames or vertices: what each row belongs to, where they do
//   values: rows of numbers, what is added to the scene (of material: the numbers themselves);
//           read back to the bit

namespace keydrape {

// The entry of a channel, without its values.
nlohmann::ordered_json channel_header(const Channel& channel, const ShotClock& clock);

// The values in such a file. `channels`: the scene's; null: it has none. Throws InputError: no such file, not
// one, one of a scene with other channels, or one whose stretch_scale falls to 0 or less.
std::vector<VecX> read_channels(const std::filesystem::path& path, const Channels* channels,
                                const ShotClock& clock);

}  // namespace keydrape
