#include "io/play/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <system_error>

#include "core/base/error.h"
#include "core/mesh/mesh.h"
#include "io/file/file.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "io/run/scene_files.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRemark = "Added by keydrape play.";
constexpr int kMostCopies = 999;

std::string list(const std::vector<int>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

// [m], float64: what is read back has the same bits.
void write_points(const fs::path& file, const std::vector<VecX>& samples) {
  write_npy(file, {{static_cast<std::int64_t>(samples.size()), samples.front().size() / 3, 3},
                   concatenated(samples)});
}

bool is_taken(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));  // a link that leads nowhere is somebody's, too
}

std::string& value_of(AddedTable& table, std::string_view key) {
  return std::find_if(table.keys.begin(), table.keys.end(), [&](const auto& k) { return k.key == key; })
      ->value;
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
  take_keyframes(scene);
}

Scene Recorder::read() {
  Scene scene = read_scene(scene_file());
  is_edited_ = is_edited_ || scene.text != text_;
  take_keyframes(scene);
  return scene;
}

void Recorder::take_keyframes(const Scene& scene) {
  std::set<int> frames;
  for (const scene::Keyframe& keyframe : scene.keyframes)
    if (keyframe.mesh && poses_.contains(keyframe.mesh->value)) frames.insert(keyframe.frame);
  keyframes_.assign(frames.begin(), frames.end());
}

bool Recorder::has_own_pose(const Scene& scene, const scene::Keyframe& keyframe) const {
  if (!keyframe.mesh || !poses_.contains(keyframe.mesh->value)) return false;
  const std::vector<SceneFile> files = scene_files(scene);
  return std::count_if(files.begin(), files.end(),
                       [&](const SceneFile& file) { return file.path == keyframe.mesh->value; }) == 1;
}

const fs::path& Recorder::folder() {
  if (!folder_.empty()) return folder_;
  static const std::regex kCopy("_played_[0-9]{3}$");
  const std::string stem = std::regex_replace(scene_.stem().string(), kCopy, "");
  for (int number = 1; number <= kMostCopies; ++number) {
    const fs::path folder = scene_.parent_path() / fmt::format("{}_played_{:03}", stem, number);
    const fs::path copy = fs::path(folder).concat(".toml");
    if (is_taken(copy) || is_taken(folder)) continue;
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
  return toml_quoted(short_path(file).lexically_relative(short_path(copy_.parent_path())).generic_string());
}

std::string Recorder::stand_in() const { return toml_quoted(scene_file().filename().string()); }

void Recorder::refuse_unaddable(const std::vector<AddedTable>& tables) const {
  scene_with_tables(scene_file(), read_file(scene_file()), tables, kRemark);
}

fs::path Recorder::new_file(const std::string& stem, const std::string& extension) {
  fs::path file = folder() / (stem + extension);
  for (int number = 2; is_taken(file); ++number) {
    if (number > kMostCopies)
      throw OutputError(
          fmt::format("{}: found {} files of this name; remove some", file.string(), kMostCopies));
    file = folder() / fmt::format("{}_{}{}", stem, number, extension);
  }
  return short_path(file);  // as a scene has its files
}

void Recorder::add(const std::vector<AddedTable>& tables) {
  const std::string text = read_file(scene_file());
  EditedScene edited = scene_with_tables(scene_file(), text, tables, kRemark);
  write_file_atomically(copy_, edited.text);
  is_edited_ = is_edited_ || text != text_;
  text_ = std::move(edited.text);
  has_recorded_ = true;
  take_keyframes(edited.scene);
}

std::string Recorder::edited_text() const {
  if (!is_edited_) return "";
  return " The scene has been edited since this began; Reset plays it as it is now.";
}

std::string Recorder::keyframe(const Stage& stage) {
  const Scene scene = read();
  const int frame = stage.frame();
  refuse_outside(scene, stage, frame);
  if (frame == scene.shot.frames.first)
    throw InputError(fmt::format(
        "frame {} is the first: the cloth begins there, and no force changes that; step on, or play", frame));
  fs::path file;  // of the pose, where the scene has one here to be replaced
  int others = 0;
  for (const scene::Keyframe& keyframe : scene.keyframes) {
    if (keyframe.frame != frame) continue;
    if (file.empty() && has_own_pose(scene, keyframe))
      file = keyframe.mesh->value;
    else
      ++others;
  }
  const bool is_new = file.empty();
  AddedTable table = {"keyframe", {{"frame", std::to_string(frame)}, {"mesh", stand_in()}}};
  if (is_new) {
    refuse_unaddable({table});
    file = new_file(fmt::format("pose_{}", frame), ".obj");
  }
  TriangleMesh pose = stage.shot().rest();
  for (int i = 0; i < pose.vertex_count(); ++i)
    pose.positions[i] = stage.x().segment<3>(3 * i) / stage.shot().meters_per_unit;
  write_obj(file, pose);
  if (is_new) {
    poses_.insert(file);
    value_of(table, "mesh") = named(file);
    add({table});
  }
  std::string said = fmt::format("Keyframe at {}: {}, in {}.", frame,
                                 is_new ? file.filename().string() : "its pose is the one shown now",
                                 copy_.filename().string());
  if (others > 0)
    said += " Your scene has another one at this frame, and the cloth cannot meet both: remove one there.";
  return said + edited_text();
}

int Recorder::unrecorded(const Stage& stage) const {
  return static_cast<int>(stage.drags().size() - std::min(recorded_drags_, stage.drags().size()));
}

std::string Recorder::pins(const Stage& stage) {
  const std::vector<Drag>& drags = stage.drags();
  if (unrecorded(stage) == 0)
    throw InputError(
        "there is no drag to record: take hold of the cloth while it plays, and let it go again");
  const Scene scene = read();
  std::vector<AddedTable> tables;
  int first = scene.shot.frames.last, last = scene.shot.frames.first;
  for (std::size_t k = recorded_drags_; k < drags.size(); ++k) {
    const Drag& drag = drags[k];
    refuse_outside(scene, stage, drag.frames.last);
    tables.push_back({"pin",
                      {{"vertices", list(drag.vertices)},
                       {"motion", stand_in()},
                       {"frames", toml_quoted(fmt::format("{}-{}", drag.frames.first, drag.frames.last))},
                       {"stiffness", fmt::format("{}", drag.stiffness)}}});
    first = std::min(first, drag.frames.first);
    last = std::max(last, drag.frames.last);
  }
  refuse_unaddable(tables);
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const fs::path file = new_file(fmt::format("drag_{:03}", ++drag_count_), ".npy");
    write_points(file, drags[recorded_drags_ + k].samples);
    value_of(tables[k], "motion") = named(file);
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
  const Scene scene = read();
  const int first = scene.shot.frames.first, last = stage.frame();
  refuse_outside(scene, stage, last);
  if (last < first + 2)
    throw InputError("a track takes two frames behind the start, and fewer have been played; play on");
  AddedTable table = {
      "track", {{"cache", stand_in()}, {"frames", toml_quoted(fmt::format("{}-{}", first + 1, last))}}};
  refuse_unaddable({table});
  const fs::path file = new_file(fmt::format("cloth_{:03}", ++track_count_), ".npy");
  write_points(file, stage.played());
  value_of(table, "cache") = named(file);
  add({table});
  return fmt::format("The cloth from {} to {} recorded as a track, in {}.{}", first, last,
                     copy_.filename().string(), edited_text());
}

}  // namespace keydrape
