#include "io/take/recorded_channels.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/short_number.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& found) {
  throw InputError(
      fmt::format("{}: {}; expected channels.json of a solve of this scene", file.string(), found));
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

Json channel_header(const Channel& channel, const ShotClock& clock) {
  Json json = {{"kind", channel.kind()}, {"components", channel.components()}};
  if (const StepKnots* knots = channel.knots()) {
    Json frames = Json::array();
    for (int k = 0; k < knots->count(); ++k)
      frames.push_back(clock.frames.first + knots->state(k) / clock.substeps);
    json["frames"] = frames;
  }
  if (channel.vertices()) json["vertices"] = *channel.vertices();
  return json;
}

std::vector<VecX> read_channels(const std::filesystem::path& path, const Channels* channels,
                                const ShotClock& clock) {
  if (!channels) refuse(path, "the scene has no [[control.channel]]");
  const Json file = json_if_any(read_file(path));
  if (file.is_discarded()) refuse(path, "this is no JSON");
  std::vector<VecX> values;
  try {
    const Json& entries = file.at("channels");
    const auto& list = channels->list();
    if (entries.size() != list.size())
      refuse(path, fmt::format("{} channels, where the scene has {}", entries.size(), list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) {
      Json entry = entries.at(k);
      const Json rows = entry.at("values");
      entry.erase("values");
      if (entry != channel_header(*list[k], clock))
        refuse(path, fmt::format("channel {} is not the scene's \"{}\", or is cut up otherwise", k,
                                 list[k]->kind()));
      values.push_back(read_values(path, rows, *list[k]));
    }
  } catch (const nlohmann::json::exception&) {
    refuse(path, "this is no list of channels");
  }
  if (const double least = channels->least_stretch_scale(values); least <= 0.0)
    throw InputError(
        fmt::format("{}: its channels take stretch_scale down to {}, and no fabric has a length of 0 or "
                    "less; expected values that leave it above 0; correct them, or solve again",
                    path.string(), short_number(least)));
  return values;
}

}  // namespace keydrape
