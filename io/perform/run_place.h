#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/run/run_folder.h"
#include "io/scene/scene.h"

// Where runs go. Who names a folder, by -o or [output] dir, gets that folder. Without a name a run is a take:
// a folder of its own in SHOT_out, take_001, take_002, .., where `latest` is a link to the newest.

namespace keydrape {

enum class RunCommand { kSimulate, kSolve };
std::string_view word(RunCommand command);

struct PlaceOrder {
  std::filesystem::path folder{};            // -o; empty: as the scene says
  std::string take{};                        // --take; empty: none is named
  EarlierRun earlier = EarlierRun::kRefuse;  // what becomes of an earlier run that is not continued
  bool resume = false;                       // go on with what is there, if it can be gone on with
  bool is_draft = false;                     // of simulate: by linearised steps
};

// The place of one run, chosen but not touched.
class RunPlace {
 public:
  // A take without a name is a new one; with --force it is the command's latest, if there is any, and with
  // --resume the latest of those that can be gone on with.
  // Throws InputError: both a folder and a take are named; a name that no take can have.
  RunPlace(const Scene& scene, const PlaceOrder& order, RunCommand command);

  // Where the results go. Of a new take another run may take this name first: open() says the last word.
  const std::filesystem::path& path() const { return path_; }

  // Throws as RunFolder does.
  RunFolder open() const;
  // Begins the run in the folder that open() gave, once nothing refuses it: RunFolder::begin(), and `latest`
  // is this take. A sentence where a take is to be gone on with and none can be, where there can be no link,
  // and for each file that the scene names by way of the link, which this run moves.
  std::vector<std::string> begin(const RunFolder& folder) const;

 private:
  RunFolder open_new_take() const;

  std::filesystem::path path_;
  std::filesystem::path takes_;  // the folder that it is a take of; empty: it is none
  std::vector<std::string> warnings_;
  RunCommand command_;
  EarlierRun earlier_;
  bool resume_;
  bool is_new_ = false;
};

// The take that a link `latest` leads to; any other folder itself.
std::filesystem::path take_behind(const std::filesystem::path& folder);

// Folders of runs to be looked at: `folder` itself where a run has been in it, or else the takes in it, in
// the order in which they began. Throws InputError: there are neither.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& folder);

}  // namespace keydrape
