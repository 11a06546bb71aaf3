#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cli_folder.h"

namespace keydrape {

// A scene with one thing wrong.
struct HostileScene {
  std::string line;   // of the scene below, which is replaced; empty: something is added at its end
  std::string by;     // what stands there instead
  std::string place;  // "5:8", of the mistake
  std::string says;   // what is wrong, or how to mend it
};

// A PC2 cache of zeros.
inline std::string small_cache_of(int points, int samples) {
  const auto bytes = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  return std::string("POINTCACHE2\0", 12) + bytes(1) + bytes(points) + bytes(1001.0F) + bytes(1.0F) +
         bytes(samples) + std::string(12 * static_cast<std::size_t>(points * samples), '\0');
}

// A weight for each vertex.
inline std::string lines_of(const std::string& word) {
  std::string text;
  for (int i = 0; i < 36; ++i) text += word + "\n";
  return text;
}

// Hostile scenes are refused, or warned of: with their line and a remedy, in a dry run, which writes nothing.
class CliHostileTest : public CliFolder {
 protected:
  CliHostileTest() {
    folder_.write("rest.obj", sheet() + "g top\np 1 2 3 4 5 6\ng hem\np 31 32 33 34 35 36\n");
  }

  // 1  [shot]                                6  [[pin]]
  // 2  frames = "1001-1006"                  7  vertices = [0, 1, 2, 3, 4, 5]
  // 3  substeps = 2                          8  [[keyframe]]
  // 4  [cloth]                               9  frame = 1006
  // 5  rest = "rest.obj"                    10  mesh = "key.obj"
  //                                         11  tolerance = 0.02
  static std::string scene() { return shot_text() + pin_text() + keyframe_text(); }

  void refused(const std::vector<HostileScene>& scenes) { expect(scenes, 3, "error: "); }
  void warned(const std::vector<HostileScene>& scenes) { expect(scenes, 0, "warning: "); }
  // A whole file.
  void refused(const std::string& text, const std::string& place, const std::string& says) {
    expect(text, {"", "", place, says}, 3, "error: ");
  }

  // What the scenes name beside rest.obj and key.obj: other formats, damaged files, caches that do not fit.
  void write_files() const;

 private:
  void expect(const std::vector<HostileScene>& scenes, int exit_code, const std::string& level) {
    for (const HostileScene& each : scenes) {
      std::string text = scene();
      const std::size_t at = each.line.empty() ? text.size() : text.find(each.line);
      ASSERT_NE(at, std::string::npos) << each.line;
      expect(text.replace(at, each.line.size(), each.by), each, exit_code, level);
    }
  }

  void expect(const std::string& text, const HostileScene& each, int exit_code, const std::string& level) {
    folder_.write("scene.toml", text);
    const ProgramResult result = run({"solve", "scene.toml", "--dry-run", "--quiet"});
    EXPECT_EQ(result.exit_code, exit_code) << each.by << '\n' << result.err;
    const std::string place = fmt::format("{}scene.toml:{}: ", level, each.place);
    EXPECT_TRUE(says(result.err, {place, each.says})) << each.by << '\n' << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "scene_out")) << each.by;
  }
};

inline void CliHostileTest::write_files() const {
  const std::string rest = folder_.read("rest.obj"), key = folder_.read("key.obj");
  const std::string cache = small_cache_of(36, 6);
  const std::vector<std::pair<const char*, std::string>> files = {
      {"broken.obj", "v 0 0 0\nv 1 0 0\nv 0 1 x\nf 1 2 3\n"},
      {"empty.obj", ""},
      {"png.obj", "\x89PNG\r\n\x1a\n"},
      {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"},
      {"loose.obj", rest + "v 9 9 9\n"},
      {"other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
      {"reorder.obj", std::string(key).replace(key.find("f 1 7 2"), 7, "f 7 2 1")},
      {"nonmani.obj", rest + "f 1 7 20\nf 1 7 30\n"},
      {"flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"},
      {"cm.obj", sheet([](double& x, double& y, double& z) { x *= 100, y *= 100, z = 1; })},
      {"st.obj", sheet([](double& x, double& y, double&) { x *= 1.3, y *= 1.3; })},
      {"seq.1001.obj", rest},
      {"seq.1002.obj", rest},
      {"seq.1004.obj", rest},
      {"c.pc2", cache},
      {"few.pc2", small_cache_of(36, 3)},
      {"pts.pc2", small_cache_of(7, 6)},
      {"cut.pc2", cache.substr(0, 300)},
      {"trunc.npy", "\x93NUMPY\x01"},
      {"short.txt", "1 1 1"},
      {"zero.txt", lines_of("0")},
      {"high.txt", lines_of("2")},
      {"word.txt", lines_of("a")},
      {"neg.txt", lines_of("-0.5")},
      {"afile", "x"}};
  for (const auto& [name, text] : files) folder_.write(name, text);
  for (const char* name : {"a.abc", "a.fbx", "a.glb", "a.gltf", "a.blend", "a.usd", "a.usdc", "a.stl",
                           "a.txt", "a.vtp", "noext"})
    folder_.write(name, "x");
}

}  // namespace keydrape
