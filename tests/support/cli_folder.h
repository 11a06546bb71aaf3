#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace keydrape {

struct ProgramResult {
  int exit_code;  // -1: ended by a signal
  std::string out;
  std::string err;
};

using Shape = std::vector<std::int64_t>;  // of an array in a .npy

// A folder with a small cloth, and the program itself to run on it.
class CliFolder : public testing::Test {
 protected:
  static constexpr int kSide = 6;  // vertices along each side of a square of 0.25 m
  static constexpr int kVertices = kSide * kSide;
  static constexpr int kFrames = 6;  // of shot_text()

  // A sheet in the plane z = 0 that hangs down from y = 0; `move` changes its positions.
  static std::string sheet(const std::function<void(double& x, double& y, double& z)>& move = {},
                           int side = kSide);
  // The sheet swung about its upper edge.
  static std::string swung_sheet(double angle);
  // The sheet with its lower end bent up and through it.
  static std::string crossed_sheet();

  static std::string shot_text(const std::string& rest = {});
  static std::string pin_text();
  static std::string keyframe_text(const std::string& more = "tolerance = 0.02\n");
  static std::string scene_text();

  CliFolder();
  // The scene with a keyframe in each of two windows, which hardly any run meets.
  void write_scene_in_windows() const;

  struct Process {
    pid_t id;
  };

  // Starts the program; its output goes to the files out and err. `prepare` runs in the child first.
  Process start(const std::vector<std::string>& arguments, const std::function<void()>& prepare = {}) const;
  static bool is_running(const Process& process);
  // Until the file has the text, or the process has ended: how long that is depends on the build.
  void wait_for(const Process& process, const std::string& file, const std::string& text) const;
  ProgramResult finish(const Process& process) const;
  ProgramResult run(const std::vector<std::string>& arguments,
                    const std::function<void()>& prepare = {}) const;

  nlohmann::json read_json(const std::string& name) const;
  // The objects of a .jsonl file; a line that is none fails the test.
  std::vector<nlohmann::json> read_json_lines(const std::string& name) const;

  // Temporary files that a run has left in its folder.
  std::vector<std::string> left_overs(const std::string& name) const;

  TemporaryFolder folder_;
};

std::vector<std::string> keys(const nlohmann::json& object);  // ascending

}  // namespace keydrape
