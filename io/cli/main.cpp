#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/error.h"
#include "core/linear/library_threads.h"
#include "io/cli/command_line.h"
#include "io/cli/command_reference.h"
#include "io/cli/console_text.h"
#include "io/cli/described_commands.h"
#include "io/cli/log.h"
#include "io/cli/usage.h"
#include "io/file/file.h"
#include "io/file/interrupt.h"
#include "io/file/printable.h"
#include "io/scene/reference/reference_page.h"
#include "io/scene/reference/scene_schema.h"

namespace keydrape {
namespace {

std::string completion(const ProgramReference& program, const std::string& shell) {
  if (shell == "bash") return bash_completion(program);
  return shell == "zsh" ? zsh_completion(program) : fish_completion(program);
}

ExitCode print(const std::string& text) {
  print_text(text);
  return ExitCode::kDone;
}

ExitCode run(const CLI::App& app, const CommandLine& line) {
  if (app.got_subcommand("simulate")) return simulate(line.simulate, line.common);
  if (app.got_subcommand("drape")) return drape(line.drape, line.common);
  if (app.got_subcommand("relax")) return relax(line.relax, line.common);
  if (app.got_subcommand("strain")) return strain(line.strain, line.common);
  if (app.got_subcommand("solve")) return solve(line.solve, line.common);
  if (app.got_subcommand("play")) return play(line.play, line.common);
  if (app.got_subcommand("check")) return check(line.check_scene, line.common);
  if (app.got_subcommand("report")) return report(line.report, line.common);
  if (app.got_subcommand("wedge")) return wedge(line.wedge, line.common);
  if (app.got_subcommand("convert")) return convert(line.convert, line.common);
  if (app.got_subcommand("new")) return new_shot(line.new_shot, line.common);
  if (app.got_subcommand("explain")) return explain(line.explain_key, line.common);
  if (app.got_subcommand("schema")) return print(scene_schema());
  if (app.got_subcommand("completion")) return print(completion(described_commands(app), line.shell));
  if (app.got_subcommand("reference"))
    return print(line.as_man_page ? man_page(described_commands(app)) : reference_page());
  return info(line.info_mesh, line.common);
}

// A sentence on stderr, and for --json the same on stdout as data.
ExitCode fail(const CommandLine& line, ExitCode code, std::string_view kind, const std::string& message) {
  log_error("{}", message);
  if (line.common.json) std::cout << error_json(code, kind, message) << std::flush;
  return code;
}

constexpr const char* kOutOfMemory =
    "out of memory; use a smaller memory_gb in [solver], or fewer vertices, frames or substeps";

// Where nothing can be thrown any more: in destructors of nlohmann-json, which allocate; before run_guarded.
[[noreturn]] void end_without_handler() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    for (const std::string_view part : {"error: ", kOutOfMemory, "\n"})
      if (write(STDERR_FILENO, part.data(), part.size()) < 0) break;
    _exit(static_cast<int>(ExitCode::kFailed));
  } catch (...) {
  }
  std::abort();
}

// Law 6 at the outermost edge: every kind of failure has its code and its sentence.
ExitCode run_guarded(const CommandLine& line, const std::function<ExitCode()>& work) {
  try {
    return work();
  } catch (const InputError& error) {
    return fail(line, ExitCode::kBadInput, "input", error.what());
  } catch (const OutputError& error) {
    return fail(line, ExitCode::kBadInput, "output", error.what());
  } catch (const Interrupted&) {
    return fail(line, ExitCode::kInterrupted, "interrupted", "interrupted");
  } catch (const std::bad_alloc&) {
    return fail(line, ExitCode::kFailed, "memory", kOutOfMemory);
  } catch (const std::filesystem::filesystem_error& error) {
    if (error.code() == std::errc::not_enough_memory)
      return fail(line, ExitCode::kFailed, "memory", kOutOfMemory);
    return fail(
        line, ExitCode::kBadInput, "input",
        fmt::format("{}: cannot be used: {}; expected the name of a file or folder that can be opened "
                    "here; correct it",
                    in_quotes(error.path1().string()), error.code().message()));
  } catch (const std::exception& error) {
    return fail(line, ExitCode::kFailed, "unexpected",
                fmt::format("unexpected: {}; please report it with the scene", error.what()));
  }
}

// Where the caller has closed stdin, stdout or stderr, a file of the run would get its number, and with that
// what is said to people. A closed stdout is opened for reading: writing there still fails.
void open_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY) == descriptor) continue;
    fmt::print(stderr,
               "error: /dev/null: cannot be opened; expected it where stdin, stdout or stderr is closed\n");
    std::exit(static_cast<int>(ExitCode::kBadInput));
  }
}

// A step frees and allocates vectors and factors of megabytes all the time. By default the allocator hands
// each of them back to the system, which then faults every page in again. What this saves was not measured
// on its own.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace keydrape

int main(int argc, char** argv) {
  using namespace keydrape;
  open_closed_descriptors();
  catch_signals();
  std::set_terminate(end_without_handler);
  keep_freed_memory();
  limit_library_threads();
  CLI::App app("keydrape: keyframe control of cloth", "keydrape");
  CommandLine line;
  add_commands(app, line);
  std::vector<std::string> words = understood(app, std::vector<std::string>(argv + 1, argv + argc));
  try {
    refuse_empty_values(app, words);
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    open_log(line.common.quiet);
    return static_cast<int>(run_guarded(line, [&] { return say_usage(app, error, words); }));
  }
  open_log(line.common.quiet);
  const unsigned threads = line.common.threads > 0 ? static_cast<unsigned>(line.common.threads)
                                                   : std::max(1U, std::thread::hardware_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  return static_cast<int>(run_guarded(line, [&] { return run(app, line); }));
}
