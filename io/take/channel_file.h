#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/shot/shot.h"

// What a solve found for the channels of a scene ([[control.channel]]): an entry for each, in the scene's
// order,
//   kind, components: names of the numbers of a row, with their unit
//   frames or vertices: what each row belongs to, where they do
//   values: rows of numbers, what is added to the scene (of material: the numbers themselves); read back to
//   the bit

namespace keydrape {

inline constexpr const char* kChannelsFile = "channels.json";

enum class ChannelRows {
  kAll,
  kFew,  // leaves out the rows of channels with very many
};
// `values`: one vector for each of the shot's channels, of which it has some.
nlohmann::ordered_json channels_json(const Shot& shot, const std::vector<VecX>& values, ChannelRows rows);

// The file's text: {"channels": [..]}.
std::string channel_file(const Shot& shot, const std::vector<VecX>& values);

// The values in such a file. Throws InputError: no such file, not one, or one of a scene with other channels.
std::vector<VecX> read_channels(const std::filesystem::path& path, const Shot& shot);

}  // namespace keydrape
