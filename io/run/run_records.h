#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "control/goal/surface_coverage.h"
#include "control/search/observer.h"
#include "control/shooting/search_memory.h"
#include "control/task/force_figures.h"
#include "io/run/crossing_figures.h"
#include "io/run/run_status.h"
#include "io/shot/shot.h"

// The JSON that a run leaves behind (io/OUTPUTS.md): other people's scripts read it, keys
// never change meaning.

namespace keydrape {

// A target, or one frame of a track, after the run.
struct KeyframeOutcome : TargetOutcome {
  int frame = 0;
  std::optional<FrameRange> track{};   // that the frame is one of
  std::optional<FrameRange> window{};  // in which `frame` was chosen
  // Vertices that are farther off than wanted, the farthest first: than tolerance_max, or else than so many
  // tolerances that nobody means it (farthest_wanted).
  struct FarVertex {
    int vertex;
    double distance;  // [m]
  };
  std::vector<FarVertex> far_vertices{};
  double farthest_wanted = std::numeric_limits<double>::infinity();  // [m]
  std::optional<SurfaceCoverage> coverage{};                         // of a target that is a surface
};

// The frames of one track, after the run.
struct TrackOutcome {
  FrameRange range;
  int target_id;            // Keyframe::target_id
  double rms, max;          // over all its frames [m]
  double uncontrolled_rms;  // likewise [m]
  KeyframeOutcome worst;    // the frame with the largest miss
  std::vector<KeyframeOutcome> frames;
};
std::vector<TrackOutcome> track_outcomes(const std::vector<KeyframeOutcome>& keyframes);

// The frame at which a miss was measured.
inline int frame_of(const Shot& shot, const KeyframeMiss& miss) {
  return shot.clock.frame_of_step(miss.state);
}

// Of a run of the shot.
ForceFigures measure_forces(const Shot& shot, const ForceSchedule& forces);

// Of a keyframe whose miss was measured at `frame`; that of the run without forces is not known.
KeyframeOutcome keyframe_outcome(const ShotKeyframe& keyframe, const KeyframeMiss& miss, int frame);

// One outcome for each of the shot's keyframes.
std::vector<KeyframeOutcome> keyframe_outcomes(const Shot& shot, const std::vector<KeyframeMiss>& misses,
                                               const std::vector<KeyframeMiss>& uncontrolled);
// What a miss does not say: the far vertices of each, and how much of a surface the cloth lies on. In the run
// that they are of, at the state where the miss was measured. `keyframes`: all of the shot's.
void find_behind_misses(const Shot& shot, const Trajectory& run, std::vector<KeyframeOutcome>& keyframes);
// For each one of a part of the search, a window or a coarser level; without the run without forces.
std::vector<KeyframeOutcome> keyframe_outcomes(const Shot& shot, const SearchPart& part,
                                               const std::vector<KeyframeMiss>& misses);
// For each one that a coarser level that is done has measured; likewise.
std::vector<KeyframeOutcome> keyframe_outcomes(const Shot& shot, const LevelOutcome& level);
// Of a run that may have been broken off: those that it came to.
std::vector<KeyframeOutcome> outcomes_so_far(const Shot& shot, const Trajectory& run);

// How far steps that are not solved are from solved ones.
struct DraftFigures {
  double largest_residual = 0.0;  // at the end of a step, over the cloth's weight
  int cut_steps = 0;  // that something was in the way of, or of which a round went a part of its way
};
bool leaves_residuals(const Simulator& simulator);  // linearised steps and rounds
DraftFigures draft_figures(const Trajectory& run);

struct RunSummary {
  RunStatus status = RunStatus::kDone;
  bool is_preview = false;  // of linearised steps where the scene has others: simulate --draft
  int frames_done = 0;      // of the shot, that the result covers with converged steps
  std::vector<KeyframeOutcome> keyframes;
  ForceFigures effort;
  std::optional<ForceFigures> added;  // of it, what a search has added to the take of relative_to
  std::optional<DraftFigures> draft;  // of linearised steps
  std::optional<CrossingFigures> crossings{};
  FastestVertex fastest;               // of the run
  FastestVertex uncontrolled_fastest;  // of the run without forces, of solve
  std::vector<VecX> channels;          // values of each [[control.channel]]; empty: there are none
  // What held the cloth back, a sentence for each keyframe that was missed.
  std::vector<std::string> obstacles;
  ShootingWork work;                   // without that of the levels
  std::vector<LevelOutcome> levels;    // in the order in which they were searched, the coarsest first
  std::optional<SearchMemory> memory;  // of solve
  // Wall-clock times [s]. What a run that is gone on with took until the state that it goes on from counts
  // in the total, as in `work`; files are those of the last start.
  double total_s = 0.0, start_s = 0.0, io_s = 0.0;
};

// summary.json
std::string summary_json(const Shot& shot, const RunSummary& summary);

// One line of convergence.jsonl. All counts and times run from the first start, over resumed runs too.
struct ConvergenceRecord {
  int iteration;
  double objective;
  ObjectiveTerms terms;
  double gradient_norm;
  double step_length;
  int forward_simulations;
  int cg_iterations;
  double time_s;
  std::optional<FrameRange> window{};  // that is being solved; none: the whole shot
};
std::string convergence_line(const ConvergenceRecord& record, const std::vector<KeyframeOutcome>& outcomes);

// One line of steps.jsonl: step n of a trajectory. `frame`: the step runs within the frame interval
// that starts there. `search`: serves one line after the other.
std::string step_line(const Shot& shot, const Trajectory& trajectory, int n, PairSearch& search);

}  // namespace keydrape
