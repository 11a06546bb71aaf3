#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/cache/up_axis.h"
#include "io/cli/exit_code.h"
#include "io/cli/progress.h"
#include "io/run/run_folder.h"
#include "io/shot/shot.h"

// The commands of the program. Each throws InputError and OutputError; main turns them into exit codes.

namespace keydrape {

struct Scene;

struct CommonOptions {
  int threads = 0;  // 0: as many as there are processors
  bool quiet = false;
  bool json = false;
  bool force = false;
  ProgressStyle progress = ProgressStyle::kAuto;

  // What becomes of an earlier run in the folder that is not continued.
  EarlierRun earlier_run() const { return force ? EarlierRun::kReplace : EarlierRun::kRefuse; }
};

struct SimulateArguments {
  std::filesystem::path scene;
  std::filesystem::path folder;    // empty: as the scene says
  std::string take;                // empty: the next one, or that which is gone on with
  std::filesystem::path forces;    // empty: none
  std::filesystem::path channels;  // empty: none
  std::filesystem::path along;     // folder of a take to repeat; empty: none
  bool resume = false;
  bool draft = false;    // a preview, by linearised steps
  bool dry_run = false;  // only say what would be done
};

struct DrapeArguments {
  std::filesystem::path scene;
  std::filesystem::path folder;          // empty: <scene>_drape beside the scene
  std::optional<double> support_radius;  // of the round table under the middle of a sample [m]
};

struct SolveArguments {
  std::filesystem::path scene;
  std::filesystem::path folder;  // empty: as the scene says
  std::string take;              // empty: the next one, or that which is gone on with
  bool resume = false;
  bool report = true;       // write report.html, if the program can
  bool live = false;        // and serve it
  bool dry_run = false;     // only say what would be done
  bool one_window = false;  // stop after the next window, if it is not the last
};

struct PlayArguments {
  std::filesystem::path scene;
  int port = 0;                   // 0: a free one
  bool is_exact = false;          // steps as the scene says, in place of linearised ones
  std::optional<int> substeps;    // in place of the scene's
  std::optional<int> last_frame;  // to play on to, beyond the scene's
};

struct ReportArguments {
  std::vector<std::filesystem::path> folders;  // of runs, or of takes; one or more
  std::filesystem::path output;                // empty: report.html
};

// Of `relax` and `strain`.
struct PoseArguments {
  std::filesystem::path pose;
  std::filesystem::path mesh;             // at rest; empty: the scene's
  std::filesystem::path scene;            // empty: cotton, with nothing around it
  std::filesystem::path output;           // empty: none
  std::optional<int> frame;               // at which pins and bodies stand; absent: asked_frame()
  std::optional<double> meters_per_unit;  // of `mesh` and the pose; absent: 1, or as the scene says
};

struct ConvertArguments {
  std::filesystem::path in;
  std::filesystem::path out;
  std::filesystem::path mesh;      // whose triangles a cache of points gets; empty: none
  std::string frames;              // "1001-1024" or "1030"; empty: all
  std::optional<int> first_frame;  // number of IN's first frame, whatever IN says; `frames` counts from it
  // Of OUT; absent: as IN says.
  std::optional<double> fps;
  std::optional<UpAxis> up_axis;
  std::optional<double> meters_per_unit;
  // Of IN, where the file does not say; absent: Y and 1.
  std::optional<UpAxis> from_up_axis;
  std::optional<double> from_meters_per_unit;
};

struct NewArguments {
  std::filesystem::path folder;
  std::string name = "flag";   // of the template
  std::filesystem::path mesh;  // to make a shot around, instead; empty: none
  // Of the mesh, where its file does not say; absent: Y and 1.
  std::optional<UpAxis> up_axis;
  std::optional<double> meters_per_unit;
};

struct WedgeArguments {
  std::filesystem::path what;      // a scene file, or the folder of a wedge
  std::vector<std::string> lists;  // "control.effort=1e-5,1e-4"
  std::filesystem::path table;     // a CSV file, instead; empty: none
  std::filesystem::path folder;    // empty: NAME_wedge beside the scene
  bool simulate = false;           // instead of solve
  int jobs = 0;                    // at once; 0: as many as there are processors for
  double memory_gb = 0;            // of all; 0: what the machine has
  int element = 0;                 // to be run alone; 0: all
  bool again = false;              // those that failed, too
  bool one_window = false;         // as that of solve
  std::string queue;               // to hand them to (io/farm/farm.h); empty: they run here
  bool status = false, collect = false, cancel = false;
};

ExitCode drape(const DrapeArguments& arguments, const CommonOptions& options);
// The nearest pose to a given one that the cloth can take on.
ExitCode relax(const PoseArguments& arguments, const CommonOptions& options);
// How a pose, or every frame of a cache, strains the cloth.
ExitCode strain(const PoseArguments& arguments, const CommonOptions& options);
ExitCode simulate(const SimulateArguments& arguments, const CommonOptions& options);
ExitCode solve(const SolveArguments& arguments, const CommonOptions& options);
// The scene live on a page of this machine's browsers, until somebody interrupts it.
ExitCode play(const PlayArguments& arguments, const CommonOptions& options);
ExitCode check(const std::filesystem::path& scene, const CommonOptions& options);
ExitCode convert(const ConvertArguments& arguments, const CommonOptions& options);
// A mesh, a cache of any format, or a level set ("body.vdb", "body.vdb:torso").
ExitCode info(const std::filesystem::path& mesh, const CommonOptions& options);
// Likewise of a finished run, by its folder.
ExitCode run_info(const std::filesystem::path& folder, const CommonOptions& options);
ExitCode report(const ReportArguments& arguments, const CommonOptions& options);
// What the command would do with the scene's shot, how large it is and how long it takes. Writes nothing.
enum class DryRun { kSimulate, kSolve };
ExitCode dry_run(const Scene& scene, const Shot& shot, DryRun command, const CommonOptions& options);
// One scene under several settings.
ExitCode wedge(const WedgeArguments& arguments, const CommonOptions& options);
// A folder with a shot to begin from.
ExitCode new_shot(const NewArguments& arguments, const CommonOptions& options);
std::vector<std::string> template_names();
// A key or table of the scene file; empty: all of them.
ExitCode explain(const std::string& name, const CommonOptions& options);

}  // namespace keydrape
