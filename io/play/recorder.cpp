#include "io/play/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <system_error>

#include "core/base/error.h"
#include "io/file/file.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRemark = "Added by keydrape play.";
constexpr int kMostCopies = 999;

std::string list(const std::vector<int>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

VecX concatenated(const std::vector<VecX>& rows) {
  VecX values(static_cast<Eigen::Index>(rows.size()) * rows.front().size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    values.segment(static_cast<Eigen::Index>(k) * rows[k].size(), rows[k].size()) = rows[k];
  return values;
}

// [m], float64: what is read back has the same bits.
void write_points(const fs::path& file, const std::vector<VecX>& samples) {
  write_npy(file, {{static_cast<std::int64_t>(samples.size()), samples.front().size() / 3, 3},
                   concatenated(samples)});
}

}  // namespace

Recorder::Recorder(const Scene& scene)
    : scene_(fs::absolute(scene.source.file)),
      text_(scene.text),
      frames_(scene.shot.frames),
      substeps_(scene.shot.substeps) {
  for (const scene::Keyframe& keyframe : scene.keyframes) artists_keyframes_.push_back(keyframe.frame);
}

const fs::path& Recorder::folder() {
  if (!folder_.empty()) return folder_;
  static const std::regex kCopy("_played_[0-9]{3}$");
  const std::string stem = std::regex_replace(scene_.stem().string(), kCopy, "");
  for (int number = 1; number <= kMostCopies; ++number) {
    const fs::path folder = scene_.parent_path() / fmt::format("{}_played_{:03}", stem, number);
    const fs::path copy = fs::path(folder).concat(".toml");
    if (fs::exists(copy)) continue;
    std::error_code error;
    if (fs::create_directory(folder, error)) {  // nobody else has it, then
      copy_ = copy;
      return folder_ = folder;
    }
    if (error)
      throw OutputError(fmt::format("{}: cannot be made: {}; play a scene in a folder that can be written to",
                                    folder.string(), error.message()));
  }
  throw OutputError(
      fmt::format("{}: found {} played copies beside it; remove some", scene_.string(), kMostCopies));
}

std::string Recorder::named(const fs::path& file) const {
  return toml_quoted(file.lexically_relative(copy_.parent_path()).generic_string());
}

void Recorder::refuse_beyond_shot(int frame) const {
  if (frame > frames_.last)
    throw InputError(fmt::format(
        "frame {} is beyond the scene's last, {}; lengthen frames in [shot] to record what comes there",
        frame, frames_.last));
}

void Recorder::add(const std::vector<AddedTable>& tables) {
  const std::string text = has_recorded_ ? read_file(copy_) : text_;
  write_file_atomically(copy_, scene_with_tables(copy_, text, tables, kRemark).text);
  has_recorded_ = true;
}

std::string Recorder::keyframe(const Stage& stage) {
  const int frame = stage.frame();
  if (frame == frames_.first)
    throw InputError(fmt::format(
        "frame {} is the first: the cloth begins there, and no force changes that; step on, or play", frame));
  refuse_beyond_shot(frame);
  const bool is_new = !poses_.contains(frame);
  const fs::path file = folder() / fmt::format("pose_{}.obj", frame);
  TriangleMesh pose = stage.shot().rest();
  for (int i = 0; i < pose.vertex_count(); ++i)
    pose.positions[i] = stage.x().segment<3>(3 * i) / stage.shot().meters_per_unit;
  write_obj(file, pose);
  if (is_new) add({{"keyframe", {{"frame", std::to_string(frame)}, {"mesh", named(file)}}}});
  poses_[frame] = file;
  std::string said = fmt::format("Keyframe at {}: {}, in {}.", frame,
                                 is_new ? file.filename().string() : "its pose is the one shown now",
                                 copy_.filename().string());
  if (std::count(artists_keyframes_.begin(), artists_keyframes_.end(), frame) > 0)
    said += " Your scene has another one at this frame, and the cloth cannot meet both: remove one there.";
  return said;
}

std::vector<int> Recorder::keyframes() const {
  std::vector<int> frames;
  for (const auto& [frame, file] : poses_) frames.push_back(frame);
  return frames;
}

int Recorder::unrecorded(const Stage& stage) const {
  return static_cast<int>(stage.drags().size() - std::min(recorded_drags_, stage.drags().size()));
}

std::string Recorder::pins(const Stage& stage) {
  const std::vector<Drag>& drags = stage.drags();
  if (unrecorded(stage) == 0)
    throw InputError(
        "there is no drag to record: take hold of the cloth while it plays, and let it go again");
  std::vector<AddedTable> tables;
  int first = frames_.last, last = frames_.first;
  for (std::size_t k = recorded_drags_; k < drags.size(); ++k) {
    const Drag& drag = drags[k];
    refuse_beyond_shot(drag.frames.last);
    const fs::path file = folder() / fmt::format("drag_{:03}.npy", ++drag_count_);
    write_points(file, drag.samples);
    tables.push_back({"pin",
                      {{"vertices", list(drag.vertices)},
                       {"motion", named(file)},
                       {"frames", toml_quoted(fmt::format("{}-{}", drag.frames.first, drag.frames.last))},
                       {"stiffness", fmt::format("{}", drag.stiffness)}}});
    first = std::min(first, drag.frames.first);
    last = std::max(last, drag.frames.last);
  }
  add(tables);
  recorded_drags_ = drags.size();
  std::string said =
      fmt::format("{} from {} to {} recorded as {}, in {}.",
                  tables.size() == 1 ? "The drag" : fmt::format("{} drags", tables.size()), first, last,
                  tables.size() == 1 ? "a soft pin" : "soft pins", copy_.filename().string());
  if (stage.was_switched()) said += " Wind or bodies were switched off meanwhile; the scene has them.";
  if (stage.shot().clock.substeps != substeps_)
    said +=
        fmt::format(" Played with substeps = {}; the scene has {}.", stage.shot().clock.substeps, substeps_);
  return said;
}

std::string Recorder::track(const Stage& stage) {
  const int last = stage.frame();
  if (last < frames_.first + 2)
    throw InputError("a track takes two frames behind the start, and fewer have been played; play on");
  refuse_beyond_shot(last);
  const fs::path file = folder() / fmt::format("cloth_{:03}.npy", ++track_count_);
  write_points(file, stage.played());
  add({{"track",
        {{"cache", named(file)}, {"frames", toml_quoted(fmt::format("{}-{}", frames_.first + 1, last))}}}});
  return fmt::format("The cloth from {} to {} recorded as a track, in {}.", frames_.first, last,
                     copy_.filename().string());
}

}  // namespace keydrape
