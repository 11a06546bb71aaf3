#include "io/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "io/cache/frame_range.h"
#include "io/cli/usage.h"
#include "io/wedge/wedge_plan.h"

namespace keydrape {
namespace {

// Of numbers that are above 0, as those of the scene file.
constexpr double kLeastNumber = 1e-30, kMostNumber = 1e30;

// `force`: what this command replaces with --force.
void add_common_options(CLI::App& command, CommonOptions& options, const char* force) {
  static const std::map<std::string, ProgressStyle> kStyles = {{"auto", ProgressStyle::kAuto},
                                                               {"bar", ProgressStyle::kBar},
                                                               {"lines", ProgressStyle::kLines},
                                                               {"none", ProgressStyle::kNone}};
  command.add_option("--threads", options.threads, "threads to use; the results are the same for any number")
      ->transform(whole_number(1, 1024))
      ->type_name("NUMBER");
  command.add_flag("--quiet", options.quiet, "only warnings and errors on stderr");
  command.add_flag("--json", options.json, "results as JSON on stdout");
  command.add_option("--progress", options.progress, "how progress is shown on stderr")
      ->transform(one_of(kStyles))
      ->type_name("auto|bar|lines|none");
  command.add_flag("--force", options.force, force);
}

constexpr const char* kReplacesRun =
    "replace the results of a finished run, without -o and --take those of the latest";
constexpr const char* kReplacesOut = "replace OUT, if there is such a file";
constexpr const char* kReplacesNothing = "without effect here: nothing is replaced";
constexpr const char* kDryRun = "only say what would be done, how large it is and how long it takes";

void add_scene(CLI::App& command, std::filesystem::path& scene) {
  command.add_option("scene", scene, "scene file")->required()->type_name("SCENE.toml");
}

void add_place(CLI::App& command, std::filesystem::path& folder, std::string& take) {
  CLI::Option* output = command.add_option("-o,--output", folder, "folder of the results")->type_name("DIR");
  command.add_option("--take", take, "name in place of take_001, ..")->excludes(output)->type_name("TAKE");
}

void add_simulate(CLI::App& app, CommandLine& line) {
  SimulateArguments& arguments = line.simulate;
  CLI::App& simulate = *app.add_subcommand("simulate", "Simulate the cloth without control");
  add_scene(simulate, arguments.scene);
  add_place(simulate, arguments.folder, arguments.take);
  simulate.add_option("--forces", arguments.forces, "replay the forces of a solve")->type_name("FORCES.npy");
  simulate.add_option("--channels", arguments.channels, "use what a solve found for [[control.channel]]")
      ->type_name("CHANNELS.json");
  CLI::Option* along =
      simulate.add_option("--along", arguments.along, "repeat the take in this folder")->type_name("DIR");
  simulate.add_flag("--resume", arguments.resume, "go on where the folder's run was broken off");
  simulate.add_flag("--draft", arguments.draft, "a quick preview, by linearised steps")->excludes(along);
  simulate.add_flag("--dry-run", arguments.dry_run, kDryRun);
  add_common_options(simulate, line.common, kReplacesRun);
}

void add_drape(CLI::App& app, CommandLine& line) {
  DrapeArguments& arguments = line.drape;
  CLI::App& drape = *app.add_subcommand("drape", "Where the cloth comes to rest, without time passing");
  add_scene(drape, arguments.scene);
  drape.add_option("-o,--output", arguments.folder, "folder of drape.obj and drape.json")->type_name("DIR");
  drape
      .add_option("--support-radius", arguments.support_radius,
                  "of the round table under a sample [m]: prints its drape coefficient")
      ->transform(between(kLeastNumber, 1e6))
      ->type_name("NUMBER");
  add_common_options(drape, line.common, "replace drape.obj and drape.json, if they are there");
}

CLI::Option* add_positive(CLI::App& command, const char* name, std::optional<double>& value,
                          const char* meaning) {
  return command.add_option(name, value, meaning)
      ->transform(between(kLeastNumber, kMostNumber))
      ->type_name("NUMBER");
}

// A pose, and what it is judged by.
void add_pose(CLI::App& command, PoseArguments& arguments, const std::string& pose) {
  command.add_option("pose", arguments.pose, pose)->required()->type_name("POSE");
  CLI::Option* mesh =
      command.add_option("--mesh", arguments.mesh, "the cloth at rest, of cotton, alone")->type_name("MESH");
  command.add_option("--scene", arguments.scene, "scene whose cloth, fabric, pins and bodies it is, instead")
      ->excludes(mesh)
      ->type_name("SCENE.toml");
  add_positive(command, "--meters-per-unit", arguments.meters_per_unit,
               "one unit of MESH and of POSE, without a scene; default: 1");
  command
      .add_option("--frame", arguments.frame,
                  "at which pins and bodies stand; default: of the keyframe whose mesh is POSE, else that "
                  "behind the @ of POSE, else the scene's last")
      ->transform(whole_number(0, kMaxFrame))
      ->type_name("NUMBER");
}

void add_relax(CLI::App& app, CommandLine& line) {
  CLI::App& relax = *app.add_subcommand("relax", "The nearest pose that the cloth can take on");
  add_pose(relax, line.relax, "mesh, or frame of a cache (NAME.pc2@1030), to be relaxed");
  relax.add_option("-o,--output", line.relax.output, "mesh to write")->required()->type_name("OUT");
  add_common_options(relax, line.common, kReplacesOut);
}

void add_strain(CLI::App& app, CommandLine& line) {
  CLI::App& strain =
      *app.add_subcommand("strain", "How a pose, or every frame of a cache, strains the cloth");
  add_pose(strain, line.strain, "mesh, cache, or frame of a cache (NAME.pc2@1030), to be measured");
  strain.add_option("-o,--output", line.strain.output, "the strains of every vertex, NAME.npy")
      ->type_name("OUT");
  add_common_options(strain, line.common, kReplacesOut);
}

void add_solve(CLI::App& app, CommandLine& line) {
  SolveArguments& arguments = line.solve;
  CLI::App& solve =
      *app.add_subcommand("solve", "Find the smallest forces that make the cloth meet its keyframes");
  add_scene(solve, arguments.scene);
  add_place(solve, arguments.folder, arguments.take);
  solve.add_flag("--resume", arguments.resume, "continue from the folder's checkpoint, if there is one");
  CLI::Option* live = solve.add_flag("--live", arguments.live, "serve the growing report on 127.0.0.1");
  solve
      .add_flag_callback(
          "--no-report", [&arguments] { arguments.report = false; }, "write no report.html")
      ->excludes(live);
  solve.add_flag("--one-window", arguments.one_window,
                 "with [control.windows] stop after the next window (75); --resume does the one after it");
  solve.add_flag("--dry-run", arguments.dry_run, kDryRun);
  add_common_options(solve, line.common, kReplacesRun);
}

void add_play(CLI::App& app, CommandLine& line) {
  PlayArguments& arguments = line.play;
  static const std::map<std::string, bool> kSteps = {{"draft", false}, {"scene", true}};
  CLI::App& command = *app.add_subcommand("play", "The scene live in the browser: drag, pose, record, solve");
  add_scene(command, arguments.scene);
  command.add_option("--port", arguments.port, "of 127.0.0.1; default: a free one")
      ->transform(whole_number(1, 65535))
      ->type_name("NUMBER");
  command.add_option("--step", arguments.is_exact, "linearised steps, or those of the scene; default: draft")
      ->transform(one_of(kSteps))
      ->type_name("draft|scene");
  command.add_option("--substeps", arguments.substeps, "in place of the scene's: 1 is fastest")
      ->transform(whole_number(1, 100000))
      ->type_name("NUMBER");
  command.add_option("--last", arguments.last_frame, "frame to play on to, beyond the scene's last")
      ->transform(whole_number(0, kMaxFrame))
      ->type_name("NUMBER");
  add_common_options(command, line.common, kReplacesNothing);
}

void add_check(CLI::App& app, CommandLine& line) {
  CLI::App& check = *app.add_subcommand("check", "Validate a scene and test the derivatives on it");
  add_scene(check, line.check_scene);
  add_common_options(check, line.common, kReplacesNothing);
}

CLI::Option* add_axis(CLI::App& command, const char* name, std::optional<UpAxis>& value,
                      const char* meaning) {
  static const std::map<std::string, UpAxis> kAxes = {{"Y", UpAxis::kY}, {"Z", UpAxis::kZ}};
  return command.add_option(name, value, meaning)->transform(one_of(kAxes))->type_name("Y|Z");
}

void add_convert(CLI::App& app, CommandLine& line) {
  ConvertArguments& arguments = line.convert;
  CLI::App& convert =
      *app.add_subcommand("convert", "Write a mesh or cache in another format, told by the extension");
  convert
      .add_option("in", arguments.in,
                  "mesh, cache, a frame of it as cache.pc2@1030, or sequence name.####.obj")
      ->required()
      ->type_name("IN");
  convert.add_option("out", arguments.out, "file, or sequence name.####.obj")->required()->type_name("OUT");
  convert.add_option("--mesh", arguments.mesh, "mesh of a cache of points alone")->type_name("REST.obj");
  convert.add_option("--frames", arguments.frames, "frames to keep, such as 1001-1024 or 1030; default: all")
      ->type_name("FRAMES");
  add_positive(convert, "--fps", arguments.fps, "frame rate of OUT");
  convert.add_option("--first-frame", arguments.first_frame, "number of the first frame, whatever IN says")
      ->transform(whole_number(0, kMaxFrame))
      ->type_name("NUMBER");
  add_axis(convert, "--up-axis", arguments.up_axis, "axis that points up in OUT; default: as in IN");
  add_positive(convert, "--meters-per-unit", arguments.meters_per_unit, "unit of OUT; default: as in IN");
  add_axis(convert, "--from-up-axis", arguments.from_up_axis,
           "axis that points up in IN, if IN does not say; default: Y");
  add_positive(convert, "--from-meters-per-unit", arguments.from_meters_per_unit,
               "unit of IN, if IN does not say; default: 1");
  add_common_options(convert, line.common, "replace OUT, or the files of its frames, if they are there");
}

void add_info(CLI::App& app, CommandLine& line) {
  CLI::App& info = *app.add_subcommand(
      "info", "What the solver sees in a mesh, cache or level set, or what a run came to");
  info.add_option("mesh", line.info_mesh,
                  "mesh or cache of any format, sequence name.####.obj, level set file.vdb, file.vdb:grid, "
                  "or folder of a run")
      ->required()
      ->type_name("MESH");
  add_common_options(info, line.common, kReplacesNothing);
}

void add_report(CLI::App& app, CommandLine& line) {
  ReportArguments& arguments = line.report;
  CLI::App& report = *app.add_subcommand("report", "One HTML page to play, judge and compare runs");
  report.add_option("dir", arguments.folders, "folders of results, or of takes")
      ->required()
      ->type_name("DIR");
  report.add_option("-o,--output", arguments.output, "the page (default: DIR/report.html)")
      ->type_name("FILE.html");
  add_common_options(report, line.common, "replace FILE.html, whatever it is");
}

void add_wedge(CLI::App& app, CommandLine& line) {
  WedgeArguments& arguments = line.wedge;
  CLI::App& wedge =
      *app.add_subcommand("wedge", "One scene under several settings, each as a run of its own");
  wedge.add_option("what", arguments.what, "scene file, or the folder of a wedge that is to go on")
      ->required()
      ->type_name("SCENE.toml");
  CLI::Option* lists =
      wedge
          .add_option("--set", arguments.lists,
                      "a key and its values, such as control.effort=1e-5,1e-4; of several the product is run")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false)
          ->type_name("SETTING");
  wedge.add_option("--table", arguments.table, "a row for each element, under a header of keys")
      ->excludes(lists)
      ->type_name("FILE.csv");
  wedge.add_option("-o,--output", arguments.folder, "folder of the wedge (default: NAME_wedge)")
      ->type_name("DIR");
  wedge.add_flag("--simulate", arguments.simulate, "simulate the elements instead of solving them");
  wedge
      .add_option("--jobs", arguments.jobs,
                  "elements that run at the same time; default: processors / threads")
      ->transform(whole_number(1, 1024))
      ->type_name("NUMBER");
  wedge.add_option("--memory", arguments.memory_gb, "GB for all of them; default: what the machine has left")
      ->transform(between(0.001, 1e6))
      ->type_name("NUMBER");
  CLI::Option* element =
      wedge
          .add_option("--element", arguments.element, "only the element of this number; writes no comparison")
          ->transform(whole_number(1, kMostElements))
          ->type_name("NUMBER");
  CLI::Option* again = wedge.add_flag("--again", arguments.again, "the elements that failed, too");
  wedge.add_flag("--one-window", arguments.one_window, "with --element: as that of solve")->needs(element);
  CLI::Option* submit =
      wedge
          .add_option(
              "--submit", arguments.queue,
              "hand them to a farm: slurm, with options of sbatch if need be, or a command with {script}")
          ->excludes(element)
          ->type_name("QUEUE");
  CLI::Option* status = wedge.add_flag("--status", arguments.status, "only say how the elements stand");
  CLI::Option* collect =
      wedge.add_flag("--collect", arguments.collect, "only write the comparison of what is there")
          ->excludes(status);
  CLI::Option* cancel =
      wedge.add_flag("--cancel", arguments.cancel, "take what is left out of Slurm's queue")
          ->excludes(status)
          ->excludes(collect);
  for (CLI::Option* runs_none : {status, collect, cancel})
    for (CLI::Option* of_runs : {element, again, submit}) runs_none->excludes(of_runs);
  add_common_options(wedge, line.common, "remove the results of the wedge in DIR, and begin it anew");
}

void add_new(CLI::App& app, CommandLine& line) {
  NewArguments& arguments = line.new_shot;
  CLI::App& new_shot =
      *app.add_subcommand("new", "A folder with a small shot to begin from: scene and meshes");
  new_shot.add_option("dir", arguments.folder, "folder to write")->required()->type_name("DIR");
  CLI::Option* own_mesh =
      new_shot.add_option("--mesh", arguments.mesh, "make a shot around this mesh instead of a template")
          ->type_name("MESH");
  add_axis(new_shot, "--up-axis", arguments.up_axis,
           "axis of MESH that points up, if its file does not say; default: Y")
      ->needs(own_mesh);
  add_positive(new_shot, "--meters-per-unit", arguments.meters_per_unit,
               "unit of MESH, if its file does not say; default: 1")
      ->needs(own_mesh);
  new_shot.add_option("--template", arguments.name, "what to begin from; default: flag")
      ->excludes(own_mesh)
      ->transform(one_of(template_names()))
      ->type_name(fmt::format("{}", fmt::join(template_names(), "|")));
  add_common_options(new_shot, line.common, "replace shot.toml and the meshes in DIR, if they are there");
}

void add_explain(CLI::App& app, CommandLine& line) {
  CLI::App& explain =
      *app.add_subcommand("explain", "What a key of the scene file means, and when to change it");
  explain.add_option("key", line.explain_key, "key or table, such as substeps, pin or pin.motion; none: all")
      ->type_name("KEY");
  add_common_options(explain, line.common, kReplacesNothing);
}

// What the program says of itself; these have no common options.
void add_references(CLI::App& app, CommandLine& line) {
  app.add_subcommand("schema", "JSON Schema of the scene file, for editors");
  CLI::App* reference = app.add_subcommand("reference", "Every key of the scene file, as a page of Markdown");
  reference->add_flag("--man", line.as_man_page, "the program's man page instead");
  app.add_subcommand("completion", "Script that completes keydrape's command line in a shell")
      ->add_option("shell", line.shell, "bash, zsh or fish")
      ->required()
      ->transform(one_of({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
}

}  // namespace

void add_commands(CLI::App& app, CommandLine& line) {
  app.require_subcommand(1);
  app.set_version_flag("--version", KEYDRAPE_VERSION);
  app.footer(
      "Exit codes: 0 done, 2 usage, 3 bad input or a file that cannot be written, 4 done but a keyframe "
      "missed its\n"
      "tolerance, 5 the simulation failed, 75 interrupted.");
  add_simulate(app, line);
  add_drape(app, line);
  add_relax(app, line);
  add_strain(app, line);
  add_solve(app, line);
  add_play(app, line);
  add_check(app, line);
  add_convert(app, line);
  add_info(app, line);
  add_report(app, line);
  add_wedge(app, line);
  add_new(app, line);
  add_explain(app, line);
  add_references(app, line);
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      if (option->get_expected_max() > 0) option->transform(not_empty());
}

}  // namespace keydrape
