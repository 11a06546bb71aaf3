// A mesh that changes while a wedge stands: elements that have read it before and others that read it now
// would stand beside each other.

#include "io/wedge/element_files.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "io/wedge/wedge_pool.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
constexpr const char* kOther = "v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n";

// Two elements, each with a mesh of its own.
class ElementFilesTest : public testing::Test {
 protected:
  ElementFilesTest() {
    folder_.write("a.obj", kTriangle), folder_.write("b.obj", kTriangle);
    folder_.write("s.toml", "[shot]\nframes = \"1-3\"\n[cloth]\nrest = \"a.obj\"\n");
    make();
  }
  void make(EarlierWedge earlier = EarlierWedge::kContinue) const {
    write_wedge(wedge_,
                make_wedge_plan(folder_ / "s.toml", WedgeCommand::kSimulate,
                                settings_of_lists({"cloth.rest=a.obj,b.obj"})),
                earlier);
  }
  WedgePlan plan() const { return read_wedge(wedge_); }
  // In the first element's folder.
  void write(const std::string& name, const std::string& text) const {
    folder_.write("w/" + plan().elements[0].name + "/" + name, text);
  }
  void begin() const { write("keydrape.log", ""); }
  void fail() const { write("element.json", R"({"exit_code": 3, "reason": "bad mesh", "seconds": 1})"); }
  // What somebody who goes on is told; nothing: he may.
  std::string refusal(bool again = false) const {
    try {
      refuse_changed_files(wedge_, plan(), again);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::filesystem::path wedge_ = folder_ / "w";
};

TEST_F(ElementFilesTest, MakingTheSameWedgeIsRefusedWhereResultsAreOfAnotherMesh) {
  begin();
  make();
  folder_.write("a.obj", kOther);
  EXPECT_TRUE(says(message_of<InputError>([&] { make(); }),
                   {"element 1 has changed since it was begun", "a.obj was a.obj (", "--force"}));
  folder_.write("a.obj", kTriangle);
  make();
  folder_.write("b.obj", kOther);  // nothing has been made of it yet
  make();
  EXPECT_EQ(refusal(), "");
  folder_.write("a.obj", kOther);
  make(EarlierWedge::kReplace);
  EXPECT_EQ(refusal(), "");
}

TEST_F(ElementFilesTest, GoingOnIsRefused) {
  EXPECT_EQ(refusal(), "");
  folder_.write("b.obj", kOther);
  EXPECT_TRUE(says(refusal(), {"element 2", "b.obj was b.obj ("}));
  EXPECT_THROW(refuse_changed_files(wedge_, plan(), plan().elements[1]), InputError);
  EXPECT_NO_THROW(refuse_changed_files(wedge_, plan(), plan().elements[0]));
}

TEST_F(ElementFilesTest, WhatFailedMayBeRunAgainWithAMendedMesh) {
  fail();
  folder_.write("a.obj", kOther);
  EXPECT_TRUE(says(refusal(), {"element 1"}));
  EXPECT_EQ(refusal(true), "");
  EXPECT_EQ(refusal(), "");  // it is the element's mesh now
  folder_.write("a.obj", kTriangle), folder_.write("b.obj", kOther);
  EXPECT_TRUE(says(refusal(true), {"element 2"}));
  folder_.write("b.obj", kTriangle);
  EXPECT_TRUE(says(refusal(), {"element 1"}));  // the refused one has renewed nothing
}

TEST_F(ElementFilesTest, AnElementThatIsAboutToBeginFails) {
  folder_.write("a.obj", kOther);
  const PoolOptions options{
      .program = "/bin/true", .jobs = 1, .threads = 1, .one_window = false, .again = false, .memory_gb = 1};
  run_elements(wedge_, plan(), {0, 1}, options, [](const auto&, const auto&) {});
  const ElementOutcome first = element_outcome(element_folder(wedge_, plan().elements[0]));
  EXPECT_EQ(first.state, ElementState::kFailed);
  EXPECT_EQ(first.exit_code, 3);
  EXPECT_TRUE(says(first.reason, {"a.obj was a.obj ("}));
  EXPECT_EQ(element_outcome(element_folder(wedge_, plan().elements[1])).exit_code, 0);
}

TEST_F(ElementFilesTest, ADamagedRecordIsRefusedAndNoneIsNot) {
  write("element_files.json", "{");
  EXPECT_TRUE(says(refusal(), {"element_files.json: damaged"}));
  std::filesystem::remove(element_folder(wedge_, plan().elements[0]) / kElementFilesFile);
  folder_.write("a.obj", kOther);
  EXPECT_EQ(refusal(), "");  // of a wedge that is older than such records
  begin();
  make();
  EXPECT_FALSE(std::filesystem::exists(element_folder(wedge_, plan().elements[0]) / kElementFilesFile));
}

// Whoever reads one frame of a sequence does not read the others.
TEST_F(ElementFilesTest, OnlyTheFrameThatIsReadCounts) {
  for (const char* name : {"m.0001.obj", "m.0002.obj"}) folder_.write(name, kTriangle);
  folder_.write("s.toml", folder_.read("s.toml") + "initial = \"m.####.obj@2\"\n");
  make();
  folder_.write("m.0001.obj", kOther);
  EXPECT_EQ(refusal(), "");
  folder_.write("m.0002.obj", kOther);
  EXPECT_TRUE(says(refusal(), {"element 1", "m.####.obj"}));
}

}  // namespace
}  // namespace keydrape
