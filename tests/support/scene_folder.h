#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "io/scene/scene.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {

// The four lines that every scene needs; what a test adds starts in line 5, inside of [cloth].
inline const std::string kSmallestScene =
    "[shot]\n"
    "frames = \"1001-1060\"\n"
    "[cloth]\n"
    "rest = \"rest.obj\"\n";

// A folder with a scene file and the (empty) files that it names.
class SceneFolder : public testing::Test {
 protected:
  SceneFolder() {
    for (const char* file :
         {"rest.obj", "start.obj", "key.obj", "pins.pc2", "map.txt", "velocity.npy", "body.vdb"}) {
      folder_.write(file, "");
    }
  }

  std::filesystem::path scene_path() const { return folder_ / "skirt.toml"; }

  Scene read(std::string_view text) const { return read_scene(folder_.write("skirt.toml", text)); }

  // What refuses the scene, without the path of the scene file: "line:column: ...".
  std::string refusal(std::string_view text) const {
    const std::string message = message_of<InputError>([&] { read(text); });
    const std::string path = scene_path().string() + ":";
    EXPECT_EQ(message.substr(0, path.size()), path);
    return message.substr(std::min(message.size(), path.size()));
  }

  TemporaryFolder folder_;
};

}  // namespace keydrape
