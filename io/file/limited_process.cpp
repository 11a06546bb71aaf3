#include "io/file/limited_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

namespace keydrape {
namespace {

// First byte of what the child sends.
constexpr char kAnswer = 'A';
constexpr char kFailure = 'F';
constexpr char kOutOfMemory = 'M';

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::size_t mapped_bytes() {
  std::size_t pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t value) {
  rlimit now{};
  ::getrlimit(static_cast<__rlimit_resource_t>(resource), &now);
  if (now.rlim_cur != RLIM_INFINITY && now.rlim_cur < value) return;
  now.rlim_cur = value;
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

void send(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(pipe, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) ::_exit(1);  // the parent has given up
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

[[noreturn]] void be_child(int pipe, const std::function<std::string()>& work, const ProcessLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal : {SIGPIPE, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) ::signal(signal, SIG_DFL);
  // What ends the program is the parent's to answer: SIGINT reaches both from the terminal, SIGTERM a whole
  // group. Should it die, so does this process.
  for (int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_AS, mapped_bytes() + limits.memory_bytes);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(limits.processor_seconds)));
  limit(RLIMIT_CORE, 0);
  // The threads that the parent's arena shares its work with are not here: a loop in it would wait for them.
  tbb::task_arena alone(1);
  try {
    const std::string answer = alone.execute(work);
    send(pipe, {&kAnswer, 1});
    send(pipe, answer);
  } catch (const std::bad_alloc&) {
    send(pipe, {&kOutOfMemory, 1});
  } catch (const std::exception& e) {
    send(pipe, {&kFailure, 1});
    send(pipe, e.what());
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);  // no destructors of what belongs to the parent
}

// All that the child sends until it closes the pipe; false at the deadline, or once it is too long.
bool receive(int pipe, const ProcessLimits& limits, std::string& bytes) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(limits.wall_seconds);
  std::array<char, 1 << 16> buffer;
  const auto seconds_left = [&] { return std::chrono::duration<double>(deadline - Clock::now()).count(); };
  for (double left = seconds_left(); left > 0; left = seconds_left()) {
    pollfd ready{pipe, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::ceil(1000 * left)));
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    const ssize_t got = count < 0 ? -1 : ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes.size() > limits.answer_bytes) return false;
  }
  return false;
}

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec; }
double gibibytes(std::size_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// `bytes`: what the child sent; `complete`: that it closed the pipe in time; `status`, `used`: of wait4.
ProcessAnswer answer_of(std::string bytes, bool complete, int status, const rusage& used,
                        const ProcessLimits& limits) {
  ProcessAnswer answer;
  answer.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  const auto fail_with = [&](ProcessEnd end, std::string failure) {
    answer.end = end;
    answer.failure = std::move(failure);
    return answer;
  };
  if (bytes.size() > limits.answer_bytes) {
    return fail_with(ProcessEnd::kMemory,
                     fmt::format("takes more than {:.1f} GiB", gibibytes(limits.answer_bytes)));
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
    return fail_with(ProcessEnd::kTime,
                     fmt::format("takes longer than {:.3g} s of processor time", limits.processor_seconds));
  }
  if (!complete)
    return fail_with(ProcessEnd::kHang, fmt::format("is not read after {:.3g} s", limits.wall_seconds));
  if (WIFSIGNALED(status)) {
    return fail_with(ProcessEnd::kCrash,
                     fmt::format("crashes its reader ({})", ::strsignal(WTERMSIG(status))));
  }
  if (WEXITSTATUS(status) != 0 || bytes.empty())
    return fail_with(ProcessEnd::kCrash, "makes its reader give up without a reason");
  if (bytes[0] == kOutOfMemory) {
    return fail_with(ProcessEnd::kMemory,
                     fmt::format("needs more than {:.1f} GiB of memory", gibibytes(limits.memory_bytes)));
  }
  if (bytes[0] == kFailure) return fail_with(ProcessEnd::kThrown, bytes.substr(1));
  answer.bytes = bytes.substr(1);
  return answer;
}

}  // namespace

ProcessAnswer run_limited(const std::function<std::string()>& work, const ProcessLimits& limits) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  const pid_t child = ::fork();
  if (child < 0) {
    const int error_number = errno;
    ::close(ends[0]), ::close(ends[1]);
    errno = error_number;
    fail("fork");
  }
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], work, limits);
  }
  ::close(ends[1]);
  std::string bytes;
  bool complete = false;
  std::exception_ptr problem;
  try {
    complete = receive(ends[0], limits, bytes);
  } catch (...) {  // out of memory: the child must not stay behind
    problem = std::current_exception();
  }
  ::close(ends[0]);
  if (!complete) ::kill(child, SIGKILL);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (problem) std::rethrow_exception(problem);

  return answer_of(std::move(bytes), complete, status, used, limits);
}

}  // namespace keydrape
