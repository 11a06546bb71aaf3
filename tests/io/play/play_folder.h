#pragma once

#include <fmt/format.h>

#include <string>

#include "io/play/recorder.h"
#include "io/play/stage.h"
#include "tests/support/cli_folder.h"

namespace keydrape {

// A folder with a scene to act on.
class PlayFolder : public CliFolder {
 protected:
  static constexpr int kFirst = 1001, kLast = 1020, kGrabbed = 21;

  PlayFolder() { folder_.write("scene.toml", scene_text()); }
  // A comment with bytes of its own, and no newline at its end.
  static std::string scene_text(const std::string& more = "") {
    return fmt::format(
        "# étude\t\n[shot]\nframes = \"{}-{}\"\nfps = 25\nsubsteps = 2\n[cloth]\nrest = \"rest.obj\"\n{}{}",
        kFirst, kLast, more, pin_text());
  }
  Scene scene(const std::string& name = "scene.toml") const { return read_scene(folder_ / name); }

  // Plays to the end with a drag in between; `grab` and `leave` are frames.
  static void perform(Stage& stage, int grab, int leave) {
    while (!stage.is_at_end()) {
      if (stage.frame() == grab) stage.grab(kGrabbed);
      if (stage.frame() == leave) stage.let_go();
      if (stage.is_held()) stage.drag((stage.frame() - grab) * Vec3(0.004, 0.01, 0.02));
      const PlayedFrame played = stage.advance();
      ASSERT_EQ(played.problem, "");
    }
  }
  // As an artist does it, in an editor.
  void edit(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = folder_.read(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    folder_.write(name, text.replace(at, from.size(), to));
  }
};

}  // namespace keydrape
