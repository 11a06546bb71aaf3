#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "io/file/folder_lock.h"

namespace keydrape {

// A scene NAME.toml has its takes in NAME_out, by default, and there a link to the newest.
inline constexpr std::string_view kEndOfTakes = "_out";
inline constexpr std::string_view kLatestTake = "latest";

// While a simulation is under way, what it depends on and its steps (io/run/simulation_checkpoint.h).
inline constexpr std::string_view kSimulationFile = "simulation.json";
inline constexpr std::string_view kSimulationFolder = "simulation";

// What to do with the results of an earlier run.
enum class EarlierRun {
  kRefuse,   // a folder that holds finished results, or a run that can be resumed, is left alone
  kReplace,  // --force
  kContinue  // --resume: nothing is removed
};

// Whether a run whose results go to `folder` removes `file`, or writes over it. Neither has to exist.
bool is_result_of_run_in(const std::filesystem::path& folder, const std::filesystem::path& file);

// Whether a run has begun in this folder, as its files tell; its lock alone does not.
bool has_run(const std::filesystem::path& folder);

// The folder of one run's results, and of nobody else's for as long as this lives. No mixture: what an
// earlier run wrote there is removed first, and so are temporary files of one that was killed. Nothing else
// is: of sequences, files go by the names that runs give them.
class RunFolder {
 public:
  // Creates the folder and its parents if need be, locks it and leaves what is in it as it is. `mark`: a file
  // whose presence, once nobody else writes there, means that the earlier run is continued whatever `earlier`
  // says; empty: it never is. Throws InputError if another run is writing there, if it holds results that
  // `earlier` protects, files called like results where no run has been, or a link in place of a folder that
  // a run writes; OutputError if it cannot be created or locked.
  explicit RunFolder(std::filesystem::path path, EarlierRun earlier, std::string_view mark = {});

  // Once nothing refuses a run of the command any more: its lock says so from now on, and what an earlier run
  // has left goes, but where that is continued. Throws OutputError if something cannot be removed.
  void begin(std::string_view command) const;

  // Whether the earlier run is continued.
  bool goes_on() const { return earlier_ == EarlierRun::kContinue; }

  // Removes what the run before has left, after all, but for files of these names.
  void empty_but(std::span<const std::string_view> kept) const;
  // Removes these files. One that cannot be removed stays for the next run to.
  void drop(std::span<const std::string_view> names) const;

  // Removes what runs write into this folder of a sequence, likewise.
  void drop_sequence(std::string_view inner) const;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  // The folder of a sequence ("obj", "ply") or of the shot's record ("shot"), created.
  std::filesystem::path subfolder(std::string_view name) const;

 private:
  std::filesystem::path path_;
  FolderLock lock_;
  EarlierRun earlier_;
};

}  // namespace keydrape
