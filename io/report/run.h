#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "control/run/trajectory.h"
#include "core/inspect/contact_summary.h"
#include "io/run/shot_record.h"

namespace keydrape {

// The take of a run without control.
inline constexpr const char* kUncontrolledTake = "uncontrolled";

// The cloth over frames, as one of a run's files has it.
struct ReportTake {
  std::string name;          // "controlled", kUncontrolledTake or "simulated"
  std::string source;        // the file it comes from, or "memory"
  std::vector<VecX> frames;  // [m] (3n each), from the shot's first frame on; a failed run has fewer
};

// The window that a search in windows is in.
struct ReportWindow {
  FrameRange frames;
  int number, count;  // which of how many, from 1
};

// Everything that a report shows of one folder of results. A run that has not ended, or failed, lacks
// some of it.
struct ReportRun {
  std::filesystem::path folder;
  ShotRecord shot;
  std::vector<ReportTake> takes;  // controlled or simulated first
  std::vector<VecX> forces;       // [N] (3n each), one a frame as in forces.npy; empty: none
  // Of the first take, by frame of the shot; empty: there is no file.
  std::vector<std::vector<TouchingPair>> contacts;
  // JSON texts, checked to be well-formed.
  std::string summary;                   // an object, or "null" where there is none yet
  std::vector<std::string> convergence;  // an object each, as below
  std::vector<std::string> steps;
  std::vector<std::string> warnings;     // of the scene's files and of the run's log, each once
  std::optional<ReportWindow> window{};  // that is being searched, or was when the search was interrupted
};

// Reads a folder that `simulate` or `solve` has written, or is writing. positions.npy is preferred to
// controlled.pc2, whose single precision and unit it does not have; steps.npy stands in for both. Throws
// InputError: no record of the shot, a file that does not fit it, a file that is damaged. The last line of a
// growing log may be incomplete; it is left out.
ReportRun read_report_run(const std::filesystem::path& folder);

// The positions of a trajectory's complete frames [m] (3n each), for a take.
std::vector<VecX> frames_of(const Trajectory& trajectory, int substeps);

}  // namespace keydrape
