// What simulations take decides how many of a wedge run side by side.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "io/wedge/wedge_plan.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

class ForwardMemoryTest : public testing::Test {
 protected:
  // A strip of 2 n vertices.
  void write_strip(const std::string& name, int n) const {
    std::string text;
    for (int k = 0; k < n; ++k) text += fmt::format("v {0} 0 0\nv {0} 0 1\n", k);
    for (int k = 1; k < 2 * n - 2; k += 2)
      text += fmt::format("f {} {} {}\nf {} {} {}\n", k, k + 1, k + 2, k + 2, k + 1, k + 3);
    folder_.write(name, text);
  }
  // Of the elements of a wedge of simulations of s.obj [GB].
  std::vector<double> memory(const std::vector<std::string>& lists) const {
    folder_.write("s.toml", "[shot]\nframes = \"1-11\"\nsubsteps = 4\n[cloth]\nrest = \"s.obj\"\n");
    WedgePlan plan = make_wedge_plan(folder_ / "s.toml", WedgeCommand::kSimulate, settings_of_lists(lists));
    element_inputs(plan);
    std::vector<double> all;
    for (const WedgeElement& element : plan.elements) all.push_back(element.memory_gb);
    return all;
  }

  TemporaryFolder folder_;
};

// The bounds are those of io/measurements/farm.md, of 10,201 vertices and 12 steps.
TEST_F(ForwardMemoryTest, CoversWhatWasMeasured) {
  write_strip("s.obj", 5100);
  const std::vector<double> gb = memory({"contact.self=false,true"});
  ASSERT_EQ(gb.size(), 2u);
  EXPECT_GT(gb[0], 0.302);
  EXPECT_LT(gb[0], 0.45);
  EXPECT_GT(gb[1], 0.045 + 68e3 * 10200 / 1e9);  // crumpled
  EXPECT_LT(gb[1], 1.0);
}

TEST_F(ForwardMemoryTest, GrowsWithVerticesAndSteps) {
  write_strip("s.obj", 1000), write_strip("large.obj", 2000);
  const std::vector<double> of_meshes = memory({"cloth.rest=s.obj,large.obj"});
  EXPECT_NEAR((of_meshes[1] - of_meshes[0]) * 1e9, 2000 * (30e3 + 41 * 48), 1e3);
  const std::vector<double> of_frames = memory({"shot.frames=\"1-11\",\"1-21\""});
  EXPECT_NEAR((of_frames[1] - of_frames[0]) * 1e9, 2000 * 40 * 48, 1e3);
}

TEST_F(ForwardMemoryTest, AMeshThatIsNoClothIsRefusedWithItsSetting) {
  write_strip("s.obj", 3);
  folder_.write("bad.obj", "v 0 0 0\n");
  EXPECT_TRUE(says(message_of<InputError>([&] { memory({"cloth.rest=s.obj,bad.obj"}); }),
                   {"with cloth.rest = \"bad.obj\": ", "bad.obj"}));
}

}  // namespace
}  // namespace keydrape
