#include "io/farm/job_script.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "io/file/file.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

WedgePlan plan_of(int count) {
  WedgePlan plan{"/shots/it's.toml", WedgeCommand::kSolve, {}};
  for (int k = 0; k < count; ++k) plan.elements.push_back({k + 1, "e", {}, 4.0, 3});
  return plan;
}

TEST(JobScriptTest, NamesTheElementsThatAreLeft) {
  const FarmRequest request{"/opt/key drape", 2, {0, 1, 2, 5, 7, 8}, false, "slurm"};
  const std::string script = slurm_script("/farm disk/w", plan_of(9), request, false);
  for (const char* line :
       {"#SBATCH --job-name=keydrape-it_s\n", "#SBATCH --array=1-3,6,8-9\n", "#SBATCH --cpus-per-task=2\n",
        "#SBATCH --mem=5800M\n", "#SBATCH --requeue\n", "#SBATCH --signal=B:TERM@60\n",
        "\n'/opt/key drape' wedge '/farm disk/w' --element \"$SLURM_ARRAY_TASK_ID\" --threads 2 &"})
    EXPECT_NE(script.find(line), std::string::npos) << line << "\nin\n" << script;
  EXPECT_EQ(script.find("--one-window"), std::string::npos);
  EXPECT_NE(slurm_script("/w", plan_of(9), request, true).find(" --one-window &"), std::string::npos);
}

TEST(JobScriptTest, AsksForMoreMemoryThanAnIntCounts) {
  WedgePlan plan = plan_of(1);
  plan.elements[0].memory_gb = 1e7;
  const FarmRequest request{"/bin/keydrape", 1, {0}, false, "slurm"};
  const std::string script = slurm_script("/w", plan, request, false);
  EXPECT_NE(script.find("#SBATCH --mem=12000001000M\n"), std::string::npos) << script;
}

TEST(JobScriptTest, IsOneThatBashUnderstands) {
  TemporaryFolder folder;
  const FarmRequest request{"/bin/it's", 1, {0}, true, "qsub {script}"};
  folder.write("a", slurm_script("/w", plan_of(1), request, true));
  folder.write("b", element_script("/w", plan_of(1).elements[0], request));
  for (const char* name : {"a", "b"})
    EXPECT_EQ(std::system(("bash -n " + (folder / name).string()).c_str()), 0) << folder.read(name);
}

// What the queue tells the script reaches the run, and what the run says reaches the queue.
TEST(JobScriptTest, PassesTheSignalOnAndWaits) {
  TemporaryFolder folder;
  folder.write("program", "#!/bin/bash\ntrap 'sleep 0.2; echo saved > " + (folder / "saved").string() +
                              "; exit 75' TERM\ntouch " + (folder / "begun").string() +
                              "\nfor i in {1..600}; do sleep 0.1; done\n");
  std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder / "farm");
  const FarmRequest request{folder / "program", 1, {0}, false, "x {script}"};
  folder.write("job", element_script(folder.path(), plan_of(1).elements[0], request));
  const std::string at = folder.path().string();
  const std::string command = "bash " + at + "/job & job=$!; for i in {1..1200}; do [ -e " + at +
                              "/begun ] && break; sleep 0.05; done; kill -TERM $job; wait $job; [ $? = 75 ]";
  EXPECT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
  EXPECT_EQ(folder.read("saved"), "saved\n");
}

// A signal as the run starts is passed on, and so is the code of a run that ends at once.
TEST(JobScriptTest, LosesNoSignalAndNoCode) {
  TemporaryFolder folder;
  folder.write("program",
               "#!/bin/bash\ntrap 'exit 75' TERM\nkill -TERM $PPID\n"
               "for i in {1..600}; do sleep 0.1; done\n");
  std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder / "farm");
  const FarmRequest request{folder / "program", 1, {0}, false, "x {script}"};
  folder.write("job", element_script(folder.path(), plan_of(1).elements[0], request));
  const std::string command =
      "for i in {1..30}; do bash " + (folder / "job").string() + "; [ $? = 75 ] || exit 1; done";
  EXPECT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
}

// Told before the run has a handler: it ends by the signal, and is to be submitted again all the same.
TEST(JobScriptTest, GoesOnWithARunThatWasToldTooEarly) {
  TemporaryFolder folder;
  folder.write("program", "#!/bin/bash\nkill -TERM $PPID\nfor i in {1..600}; do sleep 0.1; done\n");
  std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder / "farm");
  const FarmRequest request{folder / "program", 1, {0}, false, "x {script}"};
  folder.write("job", element_script(folder.path(), plan_of(1).elements[0], request));
  EXPECT_EQ(std::system(("bash " + (folder / "job").string() + "; [ $? = 75 ]").c_str()), 0);
}

TEST(FarmTest, RefusesAQueueWithoutTheScript) {
  TemporaryFolder folder;
  const FarmRequest request{"/bin/true", 1, {0}, false, "qsub"};
  EXPECT_THROW(submit(folder.path(), plan_of(1), request), InputError);
  EXPECT_THROW(cancel(folder.path()), InputError);
  const FarmRequest refused{"/bin/true", 1, {0}, false, "false {script}"};
  EXPECT_THROW(submit(folder.path(), plan_of(1), refused), OutputError);
}

}  // namespace
}  // namespace keydrape
