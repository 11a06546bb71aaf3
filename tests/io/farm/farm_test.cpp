// Queues that are scripts: what each of their streams says, and a refusal after jobs were taken.

#include "io/farm/farm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/base/error.h"
#include "io/file/file.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

using Answers = std::vector<std::string>;

class FarmQueueTest : public testing::Test {
 protected:
  FarmQueueTest() : path_(::getenv("PATH")) {
    std::filesystem::create_directories(folder_ / "bin");
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
    write_command("squeue", "exit 0");
  }
  ~FarmQueueTest() override { ::setenv("PATH", path_.c_str(), 1); }

  void write_command(const std::string& name, const std::string& script) const {
    const std::filesystem::path file = folder_.write("bin/" + name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  // Counts its calls in the variable n.
  std::string counted(const std::string& script) const {
    const std::string count = (folder_ / "count").string();
    return fmt::format("echo >> {0}; n=$(wc -l < {0}); {1}", count, script);
  }
  // Three elements of `windows` windows.
  FarmSubmission submit_to(const std::string& queue, int windows = 0) const {
    WedgePlan plan{"/shots/a.toml", WedgeCommand::kSolve, {}};
    for (int k = 0; k < 3; ++k) plan.elements.push_back({k + 1, "e", {}, 4.0, windows});
    return submit(folder_.path(), plan, {"/bin/true", 1, {0, 1, 2}, false, queue});
  }
  // Of the submission that was last.
  Answers kept() const { return read_submissions(folder_.path()).back().answers; }

  TemporaryFolder folder_;

 private:
  std::string path_;
};

TEST_F(FarmQueueTest, KnowsTheJobsBeforeARefusal) {
  write_command("sbatch", counted("[ $n -lt 3 ] || { echo over the limit >&2; exit 1; }; echo 4$n"));
  const std::string told = message_of<OutputError>([&] { submit_to("slurm", 3); });
  EXPECT_TRUE(says(told, {"refused: over the limit; before that it took 2 of these jobs", "farm/jobs.json"}));
  EXPECT_EQ(kept(), (Answers{"41", "42"}));
  write_command("scancel", "exit 0");
  EXPECT_EQ(cancel(folder_.path()), (Answers{"41", "42"}));
  write_command("squeue", "echo 2 PENDING");
  EXPECT_TRUE(says(message_of<InputError>([&] { submit_to("slurm", 3); }), {"element 2", "already"}));
}

TEST_F(FarmQueueTest, KnowsWhatAnotherQueueTookBeforeARefusal) {
  const std::string queue = counted(": {script}; [ $n -lt 3 ] && echo job $n");
  EXPECT_TRUE(says(message_of<OutputError>([&] { submit_to(queue); }), {"it took 2 of these jobs"}));
  EXPECT_EQ(kept(), (Answers{"job 1", "job 2"}));
}

TEST_F(FarmQueueTest, WarningsAreNoPartOfAnAnswer) {
  write_command("sbatch", counted("echo \"warning: $*\" >&2; echo \"5$n;cluster\""));
  EXPECT_EQ(submit_to("slurm", 2).answers, (Answers{"51;cluster", "52;cluster"}));
  EXPECT_EQ(kept(), (Answers{"51;cluster", "52;cluster"}));
  write_command("squeue", "echo 9 warnings >&2; echo 3 RUNNING");
  EXPECT_EQ(queue_states(folder_.path()), (std::map<int, std::string>{{3, "RUNNING"}}));
  write_command("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  EXPECT_TRUE(queue_states(folder_.path()).empty());
  write_command("squeue", "echo no controller >&2; exit 1");
  EXPECT_TRUE(says(message_of<OutputError>([&] { queue_states(folder_.path()); }), {"no controller"}));
  write_command("squeue", "exit 0");
  EXPECT_EQ(submit_to("echo slow >&2; echo {script} | wc -l; echo late >&2").answers,
            (Answers{"1", "1", "1"}));
}

// Numbers of jobs are those of a cluster.
TEST_F(FarmQueueTest, AsksTheClusterThatTookTheJobs) {
  const std::string words = (folder_ / "words").string();
  write_command("sbatch", fmt::format("echo \"$*\" >> {}; echo '12;farm b'", words));
  submit_to("slurm -M farmb", 2);
  EXPECT_TRUE(says(folder_.read("words"), {"-M farmb", "aftercorr:12 "}));
  const std::string expects = "[ \"$1 $2\" = '-M farm b' ] || exit 1; ";
  write_command("squeue", expects + "echo CLUSTER: farm b; echo 3 RUNNING");
  EXPECT_EQ(queue_states(folder_.path()), (std::map<int, std::string>{{3, "RUNNING"}}));
  write_command("scancel", expects + "[ \"$3\" = 12 ]");
  EXPECT_EQ(cancel(folder_.path()), (Answers{"12;farm b", "12;farm b"}));
}

TEST_F(FarmQueueTest, EveryScriptOfACommandIsNamed) {
  EXPECT_EQ(submit_to("test -r {script} && echo {script} | grep -c element").answers,
            (Answers{"1", "1", "1"}));
}

TEST_F(FarmQueueTest, AnAnswerWithoutANumberIsRefused) {
  for (const char* answer : {"", "Submitted batch job 7", "7a", ";cluster"}) {
    write_command("sbatch", fmt::format("echo '{}'", answer));
    const std::string told = message_of<OutputError>([&] { submit_to("slurm"); });
    EXPECT_TRUE(says(told, {fmt::format("the answer '{}'; expected the number of a job", answer)}));
    EXPECT_TRUE(read_submissions(folder_.path()).empty());
  }
}

}  // namespace
}  // namespace keydrape
