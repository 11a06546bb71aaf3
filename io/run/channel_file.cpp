#include "io/run/channel_file.h"

#include <nlohmann/json.hpp>

#include "io/file/json_text.h"
#include "io/take/recorded_channels.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;

// Rows of a channel that a summary still lists.
constexpr int kFewRows = 32;

}  // namespace

nlohmann::ordered_json channels_json(const Shot& shot, const std::vector<VecX>& values, ChannelRows rows) {
  Json list = Json::array();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Channel& channel = *shot.channels()->list()[k];
    const auto width = static_cast<Eigen::Index>(channel.components().size());
    const bool few = values[k].size() <= kFewRows * width;
    Json json = rows == ChannelRows::kFew && !few
                    ? Json{{"kind", channel.kind()}, {"components", channel.components()}}
                    : channel_header(channel, shot.clock);
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
  return json_text(Json{{"channels", channels_json(shot, values, ChannelRows::kAll)}}, 2) + "\n";
}

}  // namespace keydrape
