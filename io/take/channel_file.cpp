#include "io/take/channel_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/file.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// Rows of a channel that a summary still lists.
constexpr int kFewRows = 32;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; expected channels.json of a solve of this scene", file.string(), found));
}

// The entry of a channel, without its values.
Json header(const Shot& shot, const Channel& channel) {
  Json json = {{"kind", channel.kind()}, {"components", channel.components()}};
  if (const StepKnots* knots = channel.knots()) {
    Json frames = Json::array();
    for (int k = 0; k < knots->count(); ++k)
      frames.push_back(shot.clock.frames.first + knots->state(k) / shot.clock.substeps);
    json["frames"] = frames;
  }
  if (channel.vertices()) json["vertices"] = *channel.vertices();
  return json;
}

VecX read_values(const std::filesystem::path& path, const Json& rows, const Channel& channel) {
  const int width = static_cast<int>(channel.components().size());
  VecX values(channel.size());
  if (static_cast<int>(rows.size()) * width != channel.size())
    refuse(path, fmt::format("channel \"{}\" has {} rows of values", channel.kind(), rows.size()));
  for (int i = 0; i < channel.size(); ++i) {
    if (static_cast<int>(rows.at(i / width).size()) != width)
      refuse(path, fmt::format("a row of channel \"{}\" has not {} values", channel.kind(), width));
    values(i) = rows.at(i / width).at(i % width);
    if (!std::isfinite(values(i)) || (channel.scale().is_logarithmic && values(i) <= 0.0))
      refuse(path, fmt::format("channel \"{}\" has a value that it cannot have", channel.kind()));
  }
  return values;
}

}  // namespace

nlohmann::ordered_json channels_json(const Shot& shot, const std::vector<VecX>& values, ChannelRows rows) {
  Json list = Json::array();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Channel& channel = *shot.channels()->list()[k];
    const auto width = static_cast<Eigen::Index>(channel.components().size());
    const bool few = values[k].size() <= kFewRows * width;
    Json json = rows == ChannelRows::kFew && !few
                    ? Json{{"kind", channel.kind()}, {"components", channel.components()}}
                    : header(shot, channel);
    if (rows == ChannelRows::kAll || few) {
      Json table = Json::array();
      for (Eigen::Index i = 0; i < values[k].size(); i += width) {
        const VecX row = values[k].segment(i, width);
        table.push_back(std::vector<double>(row.begin(), row.end()));
      }
      json["values"] = table;
    }
    list.push_back(json);
  }
  return list;
}

std::string channel_file(const Shot& shot, const std::vector<VecX>& values) {
  return Json{{"channels", channels_json(shot, values, ChannelRows::kAll)}}.dump(2) + "\n";
}

std::vector<VecX> read_channels(const std::filesystem::path& path, const Shot& shot) {
  if (!shot.channels()) refuse(path, "the scene has no [[control.channel]]");
  const Json file = Json::parse(read_file(path), nullptr, false);
  if (file.is_discarded()) refuse(path, "this is no JSON");
  std::vector<VecX> values;
  try {
    const Json& entries = file.at("channels");
    const auto& channels = shot.channels()->list();
    if (entries.size() != channels.size())
      refuse(path, fmt::format("{} channels, where the scene has {}", entries.size(), channels.size()));
    for (std::size_t k = 0; k < channels.size(); ++k) {
      Json entry = entries.at(k);
      const Json rows = entry.at("values");
      entry.erase("values");
      if (entry != header(shot, *channels[k]))
        refuse(path, fmt::format("channel {} is not the scene's \"{}\", or is cut up otherwise", k,
                                 channels[k]->kind()));
      values.push_back(read_values(path, rows, *channels[k]));
    }
  } catch (const nlohmann::json::exception&) {
    refuse(path, "this is no list of channels");
  }
  return values;
}

}  // namespace keydrape
