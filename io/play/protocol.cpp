#include "io/play/protocol.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/file/json_text.h"

namespace keydrape {
namespace {

using Json = nlohmann::ordered_json;
using Kind = StageCommand::Kind;

constexpr double kFarthest = 1000.0;  // a hand goes [m]

constexpr std::array<std::pair<std::string_view, Kind>, 15> kWords = {{{"play", Kind::kPlay},
                                                                       {"pause", Kind::kPause},
                                                                       {"step", Kind::kStep},
                                                                       {"reset", Kind::kReset},
                                                                       {"speed", Kind::kSpeed},
                                                                       {"grab", Kind::kGrab},
                                                                       {"drag", Kind::kDrag},
                                                                       {"let go", Kind::kLetGo},
                                                                       {"wind", Kind::kWind},
                                                                       {"bodies", Kind::kBodies},
                                                                       {"keyframe", Kind::kKeyframe},
                                                                       {"record pins", Kind::kRecordPins},
                                                                       {"record track", Kind::kRecordTrack},
                                                                       {"solve", Kind::kSolve},
                                                                       {"stop solve", Kind::kStopSolve}}};

// amd64 and arm64 are little endian.
template <class Number>
void append(std::string& bytes, Number number) {
  static_assert(sizeof(Number) == 4 || sizeof(Number) == 8);
  char raw[sizeof(Number)];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof raw);
}

StageCommand command_of(const Json& json, int vertex_count) {
  StageCommand command;
  const std::string word = json.at("do");
  bool is_known = false;
  for (const auto& [each, kind] : kWords)
    if (each == word) {
      command.kind = kind;
      is_known = true;
    }
  if (!is_known) throw Json::other_error::create(501, "no such command", &json);
  if (command.kind == Kind::kGrab) {
    command.vertex = whole_number(json.at("vertex"));
    if (command.vertex < 0 || command.vertex >= vertex_count)
      throw Json::out_of_range::create(406, "no such vertex", &json);
  }
  if (command.kind == Kind::kDrag) {
    for (std::size_t c = 0; c < 3; ++c) {
      command.way[static_cast<Eigen::Index>(c)] = json.at("way").at(c).get<double>();
      if (!(std::abs(command.way[static_cast<Eigen::Index>(c)]) <= kFarthest))
        throw Json::out_of_range::create(406, "too far", &json);
    }
    command.stamp = json.at("stamp").get<double>();
  }
  if (command.kind == Kind::kSpeed) {
    command.speed = json.at("factor").get<double>();
    if (!(command.speed >= kSlowest && command.speed <= 1.0))
      throw Json::out_of_range::create(406, "no such speed", &json);
  }
  if (command.kind == Kind::kWind || command.kind == Kind::kBodies) command.is_on = json.at("on").get<bool>();
  return command;
}

Json if_any(const std::optional<bool>& value) { return value ? Json(*value) : Json(); }

std::string_view word(NoteKind kind) {
  switch (kind) {
    case NoteKind::kDone:
      return "done";
    case NoteKind::kRefused:
      return "refused";
    case NoteKind::kFailed:
      break;
  }
  return "failed";
}

}  // namespace

std::optional<StageCommand> parse_command(std::string_view text, int vertex_count) {
  try {
    return command_of(parse_json(text), vertex_count);
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

std::string frame_bytes(const SentFrame& frame, const VecX& x) {
  std::string bytes("KDF1");
  bytes.reserve(kFrameHeadBytes + 4 * static_cast<std::size_t>(x.size()));
  append(bytes, static_cast<std::int32_t>(frame.sequence));
  append(bytes, static_cast<std::int32_t>(frame.frame));
  append(bytes, static_cast<std::int32_t>(x.size() / 3));
  append(bytes, static_cast<float>(frame.seconds));
  append(bytes, static_cast<float>(frame.residual));
  append(bytes, frame.stamp);
  for (Eigen::Index i = 0; i < x.size(); ++i) append(bytes, static_cast<float>(x[i]));
  return bytes;
}

std::string status_text(const StageStatus& status) {
  return json_text(Json{{"type", "status"},
                        {"playing", status.is_playing},
                        {"at_end", status.is_at_end},
                        {"solving", status.is_solving},
                        {"frame", status.frame},
                        {"frames", {status.frames.first, status.frames.last}},
                        {"fps", status.fps},
                        {"substeps", status.substeps},
                        {"speed", status.speed},
                        {"wind", if_any(status.wind)},
                        {"bodies", if_any(status.bodies)},
                        {"held", status.held},
                        {"drags", status.drags},
                        {"keyframes", status.keyframes},
                        {"scene", status.scene}});
}

std::string note_text(NoteKind kind, const std::string& text) {
  return json_text(Json{{"type", "note"}, {"kind", word(kind)}, {"text", text}});
}

std::string solve_text(const SolveStatus& status) {
  return json_text(
      Json{{"type", "solve"},
           {"running", status.is_running},
           {"fraction", status.fraction},
           {"text", status.text},
           {"report", status.report > 0 ? Json("report/" + std::to_string(status.report)) : Json()},
           {"reached", if_any(status.is_reached)}});
}

}  // namespace keydrape
