#include "tests/support/cli_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <thread>

namespace keydrape {

std::string CliFolder::sheet(const std::function<void(double& x, double& y, double& z)>& move, int side) {
  std::string text = "g cloth\n";
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      double x = 0.25 * j / (side - 1), y = -0.25 * i / (side - 1), z = 0.0;
      if (move) move(x, y, z);
      text += fmt::format("v {} {} {}\n", x, y, z);
    }
  for (int i = 0; i + 1 < side; ++i)
    for (int j = 0; j + 1 < side; ++j) {
      const int v = i * side + j + 1;
      text += fmt::format("f {} {} {}\nf {} {} {}\n", v, v + side, v + 1, v + 1, v + side, v + side + 1);
    }
  return text;
}

std::string CliFolder::swung_sheet(double angle) {
  return sheet([&](double&, double& y, double& z) {
    z = -y * std::sin(angle);
    y = y * std::cos(angle);
  });
}

std::string CliFolder::crossed_sheet() {
  return sheet([](double& x, double& y, double& z) {
    constexpr double kRows[kSide][3] = {{0, 0, 0},
                                        {0, -0.05, 0},
                                        {0, -0.1, 0},
                                        {0.004, -0.14, 0.03},
                                        {0.009, -0.1, 0.032},
                                        {0.013, -0.072, -0.012}};
    const double* row = kRows[std::lround(-y / 0.05)];
    y = row[1] + 0.02 * x;
    z = row[2];
    x += row[0];
  });
}

std::string CliFolder::shot_text(const std::string& rest) {
  return "[shot]\nframes = \"1001-1006\"\nsubsteps = 2\n" + rest + "[cloth]\nrest = \"rest.obj\"\n";
}

std::string CliFolder::pin_text() { return "[[pin]]\nvertices = [0, 1, 2, 3, 4, 5]\n"; }

std::string CliFolder::keyframe_text(const std::string& more) {
  return "[[keyframe]]\nframe = 1006\nmesh = \"key.obj\"\n" + more;
}

std::string CliFolder::scene_text() { return shot_text() + pin_text() + keyframe_text(); }

CliFolder::CliFolder() {
  folder_.write("rest.obj", sheet());
  folder_.write("key.obj", swung_sheet(0.4));
  folder_.write("scene.toml", scene_text());
}

void CliFolder::write_scene_in_windows() const {
  folder_.write("half.obj", swung_sheet(0.15));
  folder_.write("scene.toml",
                shot_text() + pin_text() +
                    "[[keyframe]]\nframe = 1003\nmesh = \"half.obj\"\ntolerance = 1e-4\n" +
                    keyframe_text("tolerance = 1e-4\n") +
                    "[control]\nmax_forward_simulations = 4\n[control.windows]\nlength = 3\noverlap = 1\n");
}

CliFolder::Process CliFolder::start(const std::vector<std::string>& arguments,
                                    const std::function<void()>& prepare) const {
  std::vector<std::string> words = {KEYDRAPE_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string out = folder_ / ".out", err = folder_ / ".err";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
    if (::chdir(folder_.path().c_str()) != 0) ::_exit(126);
    if (prepare) prepare();
    ::execv(KEYDRAPE_BINARY, argv.data());
    ::_exit(127);
  }
  return {child};
}

bool CliFolder::is_running(const Process& process) {
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(process.id), &ended, WEXITED | WNOHANG | WNOWAIT);
  return ended.si_pid == 0;
}

void CliFolder::wait_for(const Process& process, const std::string& file, const std::string& text) const {
  while (is_running(process) && folder_.read(file).find(text) == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

ProgramResult CliFolder::finish(const Process& process) const {
  int status = 0;
  ::waitpid(process.id, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder_.read(".out"), folder_.read(".err")};
}

ProgramResult CliFolder::run(const std::vector<std::string>& arguments,
                             const std::function<void()>& prepare) const {
  return finish(start(arguments, prepare));
}

nlohmann::json CliFolder::read_json(const std::string& name) const {
  return nlohmann::json::parse(folder_.read(name));
}

std::vector<nlohmann::json> CliFolder::read_json_lines(const std::string& name) const {
  std::istringstream lines(folder_.read(name));
  std::vector<nlohmann::json> objects;
  std::string line;
  while (std::getline(lines, line)) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

std::vector<std::string> CliFolder::left_overs(const std::string& name) const {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / name))
    if (entry.path().extension() == ".tmp") found.push_back(entry.path().string());
  return found;
}

std::vector<std::string> keys(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;  // ascending: nlohmann::json sorts them
}

}  // namespace keydrape
