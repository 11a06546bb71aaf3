#include "io/wedge/wedge_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "io/file/file.h"
#include "io/file/interrupt.h"
#include "io/file/json_text.h"
#include "io/wedge/element_files.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutputFile = "element.log";  // what the run said
constexpr int kInterruptedCode = 75;                     // that an interrupted run ends with
constexpr int kBadInputCode = 3;                         // one whose input is refused
constexpr int kNotStartedCode = 127;                     // that a process ends with which becomes none
constexpr useconds_t kPollPause = 20'000;                // between two looks at the runs [us]

struct RunningElement {
  int index;  // in the plan
  std::unique_ptr<ElementLock> lock;
  pid_t process = -1;  // -1: not begun; the lock may be somebody else's still
  double seconds_before = 0;
  Stopwatch clock{};
  bool is_told = false;  // to stop
};

// The last line that the run called an error, or what it wrote last.
std::string last_words(const fs::path& file) {
  std::string last, error, line;
  for (std::ifstream text(file); std::getline(text, line);) {
    if (line.starts_with("error: ")) error = line.substr(7);
    if (!line.empty()) last = line;
  }
  return error.empty() ? last : error;
}

// `code`: none while the element runs. If the wedge is killed then, the summary says how that run ended.
void write_end(const fs::path& folder, const std::optional<int>& code, const std::string& reason,
               double seconds) {
  nlohmann::ordered_json end = {{"exit_code", nullptr}, {"reason", reason}, {"seconds", seconds}};
  if (code) end["exit_code"] = *code;
  write_file_atomically(folder / kElementFile, json_text(end, 2) + "\n");
}

// What a wedge that was killed while it wrote a file of its own has left in the folder of an element.
// Requires the element's lock.
void remove_torn_files_of(const fs::path& wedge, const WedgePlan& plan, const WedgeElement& element) {
  const std::string scene = element_scene(wedge, plan, element).filename().string();
  for (const auto& entry : fs::directory_iterator(element_folder(wedge, element))) {
    const std::string name = entry.path().filename().string();
    for (const std::string_view own : {kElementFile, kElementFilesFile, std::string_view(scene)})
      if (name.starts_with(fmt::format(".{}.", own)) && name.ends_with(".tmp")) fs::remove(entry.path());
  }
}

// Holds SIGTERM back from this thread while it lives. By that alone a run is told to stop, by its wedge or as
// that dies; while it has the wedge's handlers, it would note it in its copy of a flag, and become a program
// that does not know. A Ctrl-C may be lost there: the wedge gets it, too, and tells the run.
class HeldSigterm {
 public:
  HeldSigterm() {
    sigset_t held{};
    ::sigemptyset(&held);
    ::sigaddset(&held, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSigterm() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSigterm(const HeldSigterm&) = delete;
  HeldSigterm& operator=(const HeldSigterm&) = delete;

  // As it was, for a process that becomes another program.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

// `signals`: that are held back from the run.
[[noreturn]] void become_run(const std::vector<char*>& words, const char* output, int lock, pid_t parent,
                             const sigset_t& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kInterruptedCode);  // it died before
  ::setpgid(0, 0);            // the terminal's Ctrl-C is for the wedge, which passes it on
  ::fcntl(lock, F_SETFD, 0);  // held for as long as the run lives
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);  // what has come until now acts here
  ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
  ::dup2(STDIN_FILENO, STDOUT_FILENO);
  ::dup2(::open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
  ::execv(words[0], words.data());
  ::_exit(kNotStartedCode);
}

class Pool {
 public:
  Pool(const fs::path& wedge, const WedgePlan& plan, const PoolOptions& options, const PoolObserver& observer)
      : wedge_(wedge), plan_(plan), options_(options), observer_(observer) {}

  PoolEnd run(std::vector<int> indices);

 private:
  const WedgeElement& element(int index) const { return plan_.elements[static_cast<std::size_t>(index)]; }
  fs::path folder(int index) const { return element_folder(wedge_, element(index)); }
  bool has_room(int index) const;
  // Whether there was something left to run.
  bool start(RunningElement& run) const;
  // Whether it has ended.
  bool look(RunningElement& run) const;
  void record_end(const RunningElement& run, int status) const;

  const fs::path& wedge_;
  const WedgePlan& plan_;
  const PoolOptions& options_;
  const PoolObserver& observer_;
  std::vector<RunningElement> running_;
};

bool Pool::has_room(int index) const {
  if (running_.empty()) return true;
  if (static_cast<int>(running_.size()) >= options_.jobs) return false;
  double memory = element(index).memory_gb;
  for (const RunningElement& run : running_) memory += element(run.index).memory_gb;
  return memory <= options_.memory_gb;
}

bool Pool::start(RunningElement& run) const {
  const fs::path at = folder(run.index);
  remove_torn_files_of(wedge_, plan_, element(run.index));
  const ElementOutcome before = element_outcome(at);
  if (!is_due(before, options_.again)) return false;
  try {
    refuse_changed_files(wedge_, plan_, element(run.index));
  } catch (const InputError& error) {
    write_end(at, kBadInputCode, error.what(), before.seconds);
    return false;
  }
  run.seconds_before = before.seconds;
  write_end(at, {}, "", before.seconds);
  std::vector<std::string> words = {options_.program.string(),
                                    std::string(word(plan_.command)),
                                    element_scene(wedge_, plan_, element(run.index)).string(),
                                    "-o",
                                    at.string(),
                                    "--resume",
                                    "--progress",
                                    "none",
                                    "--threads",
                                    fmt::format("{}", options_.threads)};
  if (plan_.command == WedgeCommand::kSolve) words.emplace_back("--no-report");
  if (options_.one_window && element(run.index).windows > 0) words.emplace_back("--one-window");
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& each : words) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  const std::string output = (at / kOutputFile).string();
  ElementOutcome begun;
  begun.state = ElementState::kRunning;
  observer_(element(run.index), begun);
  const pid_t parent = ::getpid();
  run.clock = {};
  const HeldSigterm held;
  run.process = ::fork();
  if (run.process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (run.process == 0) become_run(pointers, output.c_str(), run.lock->descriptor(), parent, held.before());
  return true;
}

void Pool::record_end(const RunningElement& run, int status) const {
  const fs::path at = folder(run.index);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  // Told before it caught signals, or together with its wedge.
  if ((run.is_told || interrupt_requested()) && code == -SIGTERM) code = kInterruptedCode;
  std::string reason;
  if (code < 0) reason = fmt::format("ended by signal {} ({})", -code, ::strsignal(-code));
  if (code > 0 && code != 4 && code != kInterruptedCode) reason = last_words(at / kOutputFile);
  if (code == kNotStartedCode && reason.empty())
    reason = fmt::format("{}: could not be started; expected the program that runs the wedge",
                         options_.program.string());
  write_end(at, code, reason, run.seconds_before + run.clock.seconds());
}

bool Pool::look(RunningElement& run) const {
  if (run.process < 0) {
    if (interrupt_requested()) return true;
    return run.lock->try_again() && !start(run);
  }
  if (interrupt_requested() && !run.is_told) {
    ::kill(run.process, SIGTERM);
    run.is_told = true;
  }
  int status = 0;
  const pid_t ended = ::waitpid(run.process, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  if (ended < 0) throw std::system_error(errno, std::generic_category(), "waitpid");
  record_end(run, status);
  return true;
}

PoolEnd Pool::run(std::vector<int> indices) {
  std::reverse(indices.begin(), indices.end());
  while (!running_.empty() || !(indices.empty() || interrupt_requested())) {
    while (!indices.empty() && !interrupt_requested() && has_room(indices.back())) {
      const int index = indices.back();
      running_.push_back({index, std::make_unique<ElementLock>(folder(index))});
      indices.pop_back();
    }
    for (std::size_t k = running_.size(); k-- > 0;) {
      if (!look(running_[k])) continue;
      const int index = running_[k].index;
      const bool is_given_up = running_[k].process < 0 && interrupt_requested();  // others may run it
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(k));
      if (!is_given_up) observer_(element(index), element_outcome(folder(index)));
    }
    ::usleep(kPollPause);
  }
  return interrupt_requested() ? PoolEnd::kInterrupted : PoolEnd::kFinished;
}

}  // namespace

PoolEnd run_elements(const fs::path& wedge, const WedgePlan& plan, const std::vector<int>& indices,
                     const PoolOptions& options, const PoolObserver& observer) {
  for (const int index : indices)
    refuse_missing_folder(element_folder(wedge, plan.elements[static_cast<std::size_t>(index)]));
  return Pool(wedge, plan, options, observer).run(indices);
}

void remove_torn_files(const fs::path& wedge, const WedgePlan& plan) {
  for (const WedgeElement& element : plan.elements) {
    const fs::path folder = element_folder(wedge, element);
    if (!fs::is_directory(folder)) continue;
    const ElementLock lock(folder);
    if (lock.is_held()) remove_torn_files_of(wedge, plan, element);
  }
}

void divide_processors(int processors, int elements, PoolOptions& options) {
  if (options.jobs == 0)
    options.jobs = std::max(1, std::min(elements, processors / std::max(1, options.threads)));
  if (options.threads == 0) options.threads = std::max(1, processors / options.jobs);
}

}  // namespace keydrape
