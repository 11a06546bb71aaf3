#include "tests/fuzz/small_shot.h"

#include <array>
#include <functional>
#include <string>

#include "control/run/rollout.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "tests/fuzz/input_folder.h"

namespace keydrape::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 3, kFrames = 4;
constexpr int kVertices = kSide * kSide;
constexpr double kSpacing = 0.1;  // [m]

constexpr const char* kScene =
    "[shot]\nframes = \"1001-1004\"\nsubsteps = 1\n[cloth]\nrest = \"rest.obj\"\n"
    "[wind]\nvelocity = [0, 0, 1]\n[[pin]]\nvertices = [0, 2]\n[[keyframe]]\nframe = 1004\nmesh = "
    "\"pose.obj\"\ntolerance = 1e-4\n"
    "[control]\nmax_forward_simulations = 2\n[[control.channel]]\nkind = \"wind\"\nknots_every = 3\n";

// Hangs down from y = 0, and swings by so much [m].
VecX sheet(double swing) {
  VecX x(3 * kVertices);
  for (int i = 0; i < kVertices; ++i) {
    const int row = i / kSide, column = i % kSide;
    const double down = kSpacing * row;
    x.segment<3>(3 * i) << kSpacing * column, -down, swing * down;
  }
  return x;
}

std::string sheet_obj(double swing) {
  const VecX x = sheet(swing);
  std::string text = "g all\n";
  for (int i = 0; i < kVertices; ++i)
    text += "v " + std::to_string(x[3 * i]) + ' ' + std::to_string(x[3 * i + 1]) + ' ' +
            std::to_string(x[3 * i + 2]) + '\n';
  for (int row = 1; row < kSide; ++row)
    for (int k = 1; k < kSide; ++k) {
      const int a = (row - 1) * kSide + k;
      text += "f " + std::to_string(a) + ' ' + std::to_string(a + kSide) + ' ' +
              std::to_string(a + kSide + 1) + ' ' + std::to_string(a + 1) + '\n';
    }
  return text;
}

void write_text(const fs::path& file, std::string_view text) {
  input_folder().write(fs::relative(file, input_folder().path()).string(), text);
}

// One array for all frames, of the sheet that swings more and more.
void write_frames(const fs::path& file) {
  NpyWriter writer(file, {kVertices, 3});
  for (int f = 0; f < kFrames; ++f) writer.append(sheet(0.1 * f));
  writer.commit();
}

void write_motion(const fs::path& file) {
  Pc2Writer writer(file, {kVertices});
  for (int f = 0; f < kFrames; ++f) writer.append(sheet(0.1 * f));
  writer.commit();
}

struct SmallFile {
  std::string_view name;
  std::function<void(const fs::path&)> write;
};

const std::array<SmallFile, 11>& small_files() {
  static const std::array<SmallFile, 11> files = {{
      {"shot.toml", [](const fs::path& file) { write_text(file, kScene); }},
      {"rest.obj", [](const fs::path& file) { write_text(file, sheet_obj(0)); }},
      {"pose.obj", [](const fs::path& file) { write_text(file, sheet_obj(0.4)); }},
      {"body.obj",
       [](const fs::path& file) {
         write_text(file, "v -1 -1 -2\nv 1 -1 -2\nv 0 1 -2\nv 0 0 -1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
       }},
      {"motion.pc2", write_motion},
      {"track.npy", write_frames},
      {"forces.npy",
       [](const fs::path& file) {
         write_npy(file, {{kFrames, kVertices, 3}, VecX::Constant(3 * kVertices * kFrames, 1e-4)});
       }},
      {"velocity.npy",
       [](const fs::path& file) {
         write_npy(file, {{kVertices, 3}, VecX::Constant(3 * kVertices, 0.1)});
       }},
      {"weights.txt", [](const fs::path& file) { write_text(file, "0 1\n4 0.5\n8 0.25\n"); }},
      {"curve.csv", [](const fs::path& file) { write_text(file, "0,0\n0.01,3\n0.05,40\n"); }},
      {"landmarks.txt", [](const fs::path& file) { write_text(file, "8 0.2 -0.2 0.1\n6 0 -0.2 0.1\n"); }},
  }};
  return files;
}

}  // namespace

bool is_small_file(std::string_view name) {
  static const bool are_there = [] {
    for (const SmallFile& file : small_files()) file.write(input_folder() / file.name);
    return true;
  }();
  for (const SmallFile& file : small_files())
    if (file.name == name) return are_there;
  return false;
}

void write_small_file(std::string_view name) {
  for (const SmallFile& file : small_files())
    if (file.name == name) file.write(input_folder() / name);
}

const Scene& small_scene() {
  static const Scene scene = [] {
    fs::create_directory(input_folder() / "base");
    for (const SmallFile& file : small_files()) file.write(input_folder() / "base" / std::string(file.name));
    return read_scene(input_folder() / "base" / "shot.toml");
  }();
  return scene;
}

const Shot& small_shot() {
  static const Shot shot = open_shot(small_scene());
  return shot;
}

const Shot& stepped_shot() {
  static const Shot shot = [] {
    Scene scene = small_scene();
    scene.shot.frames.last = scene.shot.frames.first + 1;
    scene.shot.substeps = kStepsBetweenClearStarts;
    scene.keyframes.clear();
    return open_shot(scene);
  }();
  return shot;
}

}  // namespace keydrape::fuzz
