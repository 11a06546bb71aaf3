#include "io/farm/farm.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "io/farm/job_script.h"
#include "io/file/file.h"
#include "io/file/json_text.h"
#include "io/file/printable.h"

namespace keydrape {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSlurm = "slurm", kScriptWord = "{script}";

// What a command said, without the line breaks at the end.
struct Answer {
  int code;
  std::string text;    // to standard output
  std::string errors;  // to standard error: warnings too, which are no part of an answer

  // For a message: some commands complain on standard output.
  std::string complaint() const { return printable(errors.empty() ? text : errors); }
};

std::string rest_of(std::FILE* file) {
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file))
    text.append(buffer.data(), got);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Answer ask_shell(const std::string& command) {
  // A file, since of two pipes that are read in turn the second could fill and stop the command.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors(std::tmpfile(), std::fclose);
  if (errors == nullptr)
    throw OutputError(fmt::format("{}: cannot be run: found no room for a temporary file in {}; make some",
                                  printable(command), P_tmpdir));
  // Of all that the command holds, and of the shell itself where it cannot read the command. By its name:
  // dash copies no descriptor of two digits.
  const std::string whole = fmt::format("exec 2>/proc/self/fd/{}\n{}", ::fileno(errors.get()), command);
  std::FILE* pipe = ::popen(whole.c_str(), "re");
  if (pipe == nullptr)
    throw OutputError(fmt::format("{}: cannot be run: no process can be had", printable(command)));
  Answer answer{0, rest_of(pipe), {}};
  const int status = ::pclose(pipe);
  answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  answer.errors = rest_of(errors.get());
  return answer;
}

// `before`: jobs of this submission that the queue has taken. Throws OutputError where it refuses this one.
std::string submitted(const std::string& command, std::size_t before) {
  const Answer answer = ask_shell(command);
  if (answer.code == 0) return answer.text;
  const std::string taken = before == 0
                                ? ""
                                : fmt::format(
                                      "; before that it took {} of these jobs, which are in farm/jobs.json: "
                                      "cancel them or let them end",
                                      before);
  throw OutputError(fmt::format("{}: refused: {}{}; correct what it complains of, and submit again",
                                printable(command), answer.complaint(), taken));
}

// "12", or "12;name" where there are several clusters.
struct SlurmJob {
  std::string number;
  std::string cluster;  // option that squeue and scancel need; empty: their own

  explicit SlurmJob(const std::string& answer) : number(answer.substr(0, answer.find(';'))) {
    if (number.size() + 1 < answer.size())
      cluster = fmt::format(" -M {}", shell_word(answer.substr(number.size() + 1)));
  }
};

// The answer, if it names a job.
std::string slurm_answer(const std::string& answer) {
  const std::string number = SlurmJob(answer).number;
  const bool is_number = std::all_of(number.begin(), number.end(),
                                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  if (is_number && !number.empty()) return answer;
  throw OutputError(
      fmt::format("sbatch --parsable: found the answer {}; expected the number of a job; look "
                  "with squeue for the job that it may have made, cancel it, and submit again",
                  in_quotes(answer)));
}

void write_submissions(const fs::path& wedge, const std::vector<FarmSubmission>& submissions) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const FarmSubmission& each : submissions)
    list.push_back({{"queue", each.is_slurm ? "slurm" : "command"}, {"answers", each.answers}});
  write_file_atomically(wedge / "farm/jobs.json", json_text(list, 2) + "\n");
}

// On the disk before the queue is asked again: it may refuse the next one, and what it has taken runs.
void keep_answer(const fs::path& wedge, std::vector<FarmSubmission>& all, std::string answer) {
  all.back().answers.push_back(std::move(answer));
  write_submissions(wedge, all);
}

// Of all submissions to Slurm.
std::vector<std::string> slurm_jobs(const fs::path& wedge) {
  std::vector<std::string> jobs;
  for (const FarmSubmission& each : read_submissions(wedge))
    if (each.is_slurm) jobs.insert(jobs.end(), each.answers.begin(), each.answers.end());
  return jobs;
}

// Fills the last one of `all`.
void submit_to_slurm(const fs::path& wedge, const WedgePlan& plan, const FarmRequest& request,
                     std::vector<FarmSubmission>& all) {
  int windows = 0;
  for (const int index : request.indices)
    windows = std::max(windows, plan.elements[static_cast<std::size_t>(index)].windows);
  const fs::path script = wedge / "farm/array.sbatch";
  write_file_atomically(script, slurm_script(wedge, plan, request, windows > 1));
  const std::vector<std::string>& jobs = all.back().answers;
  for (int link = 0; link < std::max(1, windows); ++link) {
    const std::string after = link > 0 ? fmt::format(" --dependency=aftercorr:{} --kill-on-invalid-dep=yes",
                                                     SlurmJob(jobs.back()).number)
                                       : "";
    const std::string command = fmt::format("sbatch --parsable{}{} {}", request.queue.substr(kSlurm.size()),
                                            after, shell_word(script.string()));
    keep_answer(wedge, all, slurm_answer(submitted(command, jobs.size())));
  }
}

// As above.
void submit_by_command(const fs::path& wedge, const WedgePlan& plan, const FarmRequest& request,
                       std::vector<FarmSubmission>& all) {
  for (const int index : request.indices) {
    const WedgeElement& element = plan.elements[static_cast<std::size_t>(index)];
    const fs::path script = wedge / "farm" / fmt::format("element_{:03}.sh", element.number);
    write_file_atomically(script, element_script(wedge, element, request));
    const std::string word = shell_word(script.string());
    std::string command = request.queue;
    for (std::size_t at = 0; (at = command.find(kScriptWord, at)) != std::string::npos; at += word.size())
      command.replace(at, kScriptWord.size(), word);
    keep_answer(wedge, all, submitted(command, all.back().answers.size()));
  }
}

bool is_slurms(const std::string& queue) {
  return queue == kSlurm || queue.starts_with(fmt::format("{} ", kSlurm));
}

void refuse_other_queue(const std::string& queue) {
  if (!is_slurms(queue) && queue.find(kScriptWord) == std::string::npos)
    throw InputError(
        fmt::format("--submit {}: found neither slurm nor a command with {}; expected one of them, "
                    "such as --submit \"slurm --time=2:00:00\" or --submit \"qsub {}\"",
                    in_quotes(queue), kScriptWord, kScriptWord));
}

[[noreturn]] void refuse_queued(const fs::path& wedge, int number, const std::string& state) {
  throw InputError(
      fmt::format("{}: element {} is in the queue already ({}); wait for it, or take it out with "
                  "--cancel",
                  wedge.string(), number, state));
}

}  // namespace

void refuse_queued_elements(const fs::path& wedge) {
  for (const auto& [number, state] : queue_states(wedge)) refuse_queued(wedge, number, state);
}

void refuse_unknown_queue(const std::string& queue) {
  refuse_other_queue(queue);
  if (is_slurms(queue) && ask_shell("command -v sbatch").code != 0)
    throw InputError(
        fmt::format("--submit {}: found no sbatch on this machine; expected one of the farm, from which "
                    "jobs are handed in",
                    in_quotes(queue)));
}

FarmSubmission submit(const fs::path& wedge, const WedgePlan& plan, const FarmRequest& request) {
  refuse_other_queue(request.queue);
  const bool is_slurm = is_slurms(request.queue);
  const std::map<int, std::string> queued = queue_states(wedge);
  for (const int index : request.indices) {
    const int number = plan.elements[static_cast<std::size_t>(index)].number;
    if (const auto found = queued.find(number); found != queued.end())
      refuse_queued(wedge, number, found->second);
  }
  fs::create_directories(wedge / "farm");
  std::vector<FarmSubmission> all = read_submissions(wedge);
  all.push_back({is_slurm, {}});
  if (is_slurm)
    submit_to_slurm(wedge, plan, request, all);
  else
    submit_by_command(wedge, plan, request, all);
  return all.back();
}

std::vector<FarmSubmission> read_submissions(const fs::path& wedge) {
  std::vector<FarmSubmission> submissions;
  const fs::path file = wedge / "farm/jobs.json";
  if (!fs::exists(file)) return submissions;
  try {
    for (const auto& each : parse_json(read_file(file)))
      submissions.push_back(
          {each.at("queue") == "slurm", each.at("answers").get<std::vector<std::string>>()});
  } catch (const nlohmann::json::exception&) {
    throw InputError(
        fmt::format("{}: this record of the jobs that were submitted is damaged; remove it, once your queue "
                    "holds none of them",
                    file.string()));
  }
  return submissions;
}

std::map<int, std::string> queue_states(const fs::path& wedge) {
  std::map<int, std::string> states;
  // One by one: Slurm refuses a whole list for one job that it has forgotten.
  for (const std::string& each : slurm_jobs(wedge)) {
    const SlurmJob job(each);
    const Answer answer =
        ask_shell(fmt::format("squeue{} -h -r -o '%K %T' -j {}", job.cluster, shell_word(job.number)));
    if (answer.code != 0 && answer.errors.find("Invalid job id") == std::string::npos)
      throw OutputError(
          fmt::format("squeue: cannot be asked: {}; ask on a machine of the farm", answer.complaint()));
    if (answer.code != 0) continue;
    std::istringstream lines(answer.text);
    for (std::string line, state; std::getline(lines, line);) {
      int number = 0;
      std::istringstream words(line);  // of a job, or "CLUSTER: name"
      if (words >> number >> state && state != "COMPLETED" && state != "FAILED" && state != "CANCELLED")
        states.emplace(number, state);
    }
  }
  return states;
}

std::vector<std::string> cancel(const fs::path& wedge) {
  std::vector<std::string> jobs = slurm_jobs(wedge);
  if (jobs.empty())
    throw InputError(
        fmt::format("{}: found no jobs of Slurm's; expected a wedge that was submitted to it; in "
                    "another queue cancel what it answered, which is in farm/jobs.json",
                    wedge.string()));
  for (const std::string& each : jobs) {
    const SlurmJob job(each);
    const Answer answer = ask_shell(fmt::format("scancel{} {}", job.cluster, shell_word(job.number)));
    if (answer.code != 0 && answer.errors.find("Invalid job id") == std::string::npos)
      throw OutputError(fmt::format("scancel: refused: {}", answer.complaint()));
  }
  return jobs;
}

}  // namespace keydrape
