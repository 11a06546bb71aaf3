#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/play/stage.h"
#include "io/scene/scene_edit.h"

namespace keydrape {

// Writes what is played into a copy of the scene beside it, NAME_played_001.toml, and the files of that into
// the folder NAME_played_001. The copy has the artist's text, byte for byte, and new tables behind it; the
// artist's own file is never written. What somebody writes into either of them meanwhile stays as well, and
// counts at once for what is recorded.
class Recorder {
 public:
  // `scene`: as it was read from its file.
  explicit Recorder(const Scene& scene);

  bool has_recorded() const { return has_recorded_; }
  // The scene with what has been recorded: the copy, or the artist's file where nothing has been. As it is
  // at that time it is recorded into, and solved.
  const std::filesystem::path& scene_file() const { return has_recorded_ ? copy_ : scene_; }
  // For what else comes of this session; created.
  const std::filesystem::path& folder();

  // Each returns what it has written, in a sentence, and throws InputError, where that cannot be, and
  // OutputError. `stage`: plays the scene that the performance began with.
  // The pose as a keyframe of its frame. It replaces the pose of one from here that the scene has there.
  std::string keyframe(const Stage& stage);
  // The drags that have not been recorded, as soft pins.
  std::string pins(const Stage& stage);
  // The cloth so far as a track to follow.
  std::string track(const Stage& stage);

  // Frames of the keyframes from here, ascending; as the scene was when it was read last.
  const std::vector<int>& keyframes() const { return keyframes_; }
  // How many of the drags have not been recorded.
  int unrecorded(const Stage& stage) const;
  // A new performance begins, of the scene as it was read from scene_file().
  void begin(const Scene& scene);

 private:
  // The scene as it is now.
  Scene read();
  void take_keyframes(const Scene& scene);
  // Whether the keyframe's pose is a file from here that the scene names nowhere else.
  bool has_own_pose(const Scene& scene, const scene::Keyframe& keyframe) const;
  // What a table names until its own file is written: a file that is there.
  std::string stand_in() const;
  // Throws InputError where the scene cannot take such tables, before anything is written.
  void refuse_unaddable(const std::vector<AddedTable>& tables) const;
  // In folder(); nothing is there yet.
  std::filesystem::path new_file(const std::string& stem, const std::string& extension);
  // As the copy names it.
  std::string named(const std::filesystem::path& file) const;
  void add(const std::vector<AddedTable>& tables);
  // Behind what was said of a record.
  std::string edited_text() const;

  std::filesystem::path scene_;
  std::string text_;        // of scene_file(), as the performance began or as it was written last
  bool is_edited_ = false;  // by somebody else, since the performance began
  std::filesystem::path copy_, folder_;
  bool has_recorded_ = false;
  std::set<std::filesystem::path> poses_;  // files from here
  std::vector<int> keyframes_;             // ascending
  std::size_t recorded_drags_ = 0;
  int drag_count_ = 0, track_count_ = 0;
};

}  // namespace keydrape
