#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/shot/shot.h"

// What a solve found for the channels of a scene, written: what stands in the file says the
// reader (io/take/recorded_channels.h).

namespace keydrape {

enum class ChannelRows {
  kAll,
  kFew,  // leaves out the rows of channels with very many
};
// `values`: one vector for each of the shot's channels, of which it has some.
nlohmann::ordered_json channels_json(const Shot& shot, const std::vector<VecX>& values, ChannelRows rows);

// The file's text: {"channels": [..]}.
std::string channel_file(const Shot& shot, const std::vector<VecX>& values);

}  // namespace keydrape
