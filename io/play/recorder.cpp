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

// `scene`: as it is now; on the stage is what it was as the performance began.
void refuse_outside(const Scene& scene, const Stage& stage, int frame) {
  const FrameRange frames = scene.shot.frames, played = stage.shot().clock.frames;
  if (frames.first != played.first)
    throw InputError(
        fmt::format("{}: begins at frame {} now, and what is played here at {}; Reset plays it as it is now",
                    scene.source.file, frames.first, played.first));
  if (frame > frames.last)
    throw InputError(fmt::format(
        "frame {} is beyond the scene's last, {}; lengthen frames in [shot] to record what comes there",
        frame, frames.last));
}

}  // namespace

Recorder::Recorder(const Scene& scene) : scene_(fs::absolute(scene.source.file)) { begin(scene); }

void Recorder::begin(const Scene& scene) {
  text_ = scene.text;
  is_edited_ = false;
  recorded_drags_ = 0;
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

void Recorder::add(const std::vector<AddedTable>& tables) {
  const std::string text = read_file(scene_file());
  std::string added = scene_with_tables(copy_, text, tables, kRemark).text;
  write_file_atomically(copy_, added);
  is_edited_ = is_edited_ || text != text_;
  text_ = std::move(added);
  has_recorded_ = true;
}

std::string Recorder::edited_text() const {
  if (!is_edited_) return "";
  return " The scene has been edited since this began; Reset plays it as it is now.";
}

std::string Recorder::keyframe(const Stage& stage) {
  const Scene scene = read_scene(scene_file());
  const int frame = stage.frame();
  refuse_outside(scene, stage, frame);
  if (frame == scene.shot.frames.first)
    throw InputError(fmt::format(
        "frame {} is the first: the cloth begins there, and no force changes that; step on, or play", frame));
  const auto there = std::count_if(scene.keyframes.begin(), scene.keyframes.end(),
                                   [&](const auto& keyframe) { return keyframe.frame == frame; });
  const bool is_new = there == 0 || !poses_.contains(frame);
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
  if (there > (is_new ? 0 : 1))
    said += " Your scene has another one at this frame, and the cloth cannot meet both: remove one there.";
  return said + edited_text();
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
  const Scene scene = read_scene(scene_file());
  std::vector<AddedTable> tables;
  int first = scene.shot.frames.last, last = scene.shot.frames.first;
  for (std::size_t k = recorded_drags_; k < drags.size(); ++k) {
    const Drag& drag = drags[k];
    refuse_outside(scene, stage, drag.frames.last);
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
  const int played = stage.shot().clock.substeps, substeps = scene.shot.substeps;
  if (played != substeps)
    said += fmt::format(" Played with substeps = {}; the scene has {}.", played, substeps);
  return said + edited_text();
}

std::string Recorder::track(const Stage& stage) {
  const Scene scene = read_scene(scene_file());
  const int first = scene.shot.frames.first, last = stage.frame();
  refuse_outside(scene, stage, last);
  if (last < first + 2)
    throw InputError("a track takes two frames behind the start, and fewer have been played; play on");
  const fs::path file = folder() / fmt::format("cloth_{:03}.npy", ++track_count_);
  write_points(file, stage.played());
  add({{"track", {{"cache", named(file)}, {"frames", toml_quoted(fmt::format("{}-{}", first + 1, last))}}}});
  return fmt::format("The cloth from {} to {} recorded as a track, in {}.{}", first, last,
                     copy_.filename().string(), edited_text());
}

}  // namespace keydrape
