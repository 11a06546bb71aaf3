// The equation of motion, recomputed from a run's files; and that the audit can fail.

#include "tests/oracles/audit/audit.h"

#include <cmath>

#include "io/formats/npy.h"
#include "tests/support/cli_folder.h"

namespace keydrape {
namespace {

class AuditTest : public CliFolder {
 protected:
  std::vector<FrameAudit> audited() const {
    return audit(open_shot(read_scene(folder_ / "scene.toml")), folder_ / "out");
  }

  void solve(const std::string& more) {
    folder_.write("scene.toml", scene_text() + more);
    const int code = run({"solve", "scene.toml", "-o", "out", "--no-report", "--force"}).exit_code;
    ASSERT_TRUE(code == 0 || code == 4);
  }

  // Adds to one coordinate of a sample.
  void tamper(const std::string& name, int sample, double change) const {
    NpyArray array = read_npy(folder_ / "out" / name);
    array.values[sample * 3 * kSide * kSide + 3 * 20 + 1] += change;
    write_npy(folder_ / "out" / name, array);
  }
};

constexpr char kEverything[] =
    "[wind]\nvelocity = [1, 0, 2]\nlift = 0.3\n"
    "[[pin]]\nvertices = [30]\naxis = [0, 1, 0]\n"
    "[[collider]]\nsphere = { center = [0.12, -0.2, 0.12], radius = 0.08 }\nfriction = 0.3\n"
    "[contact]\nthickness = 0.01\n";

TEST_F(AuditTest, EveryFrameOfASearchObeysTheEquationOfMotion) {
  solve(kEverything);
  const std::vector<FrameAudit> frames = audited();
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_TRUE(passes(frames));
  for (const FrameAudit& f : frames) EXPECT_GT(f.residual, 0.0) << f.frame;  // it is measured at all
}

TEST_F(AuditTest, ForcesThatChangeWithEveryStep) {
  solve("[control]\nhold = \"step\"\n");
  EXPECT_TRUE(passes(audited()));
}

// A micrometre in one position, a millionth of the cloth's weight in one force.
TEST_F(AuditTest, FailsWhereAFileWasChanged) {
  solve("");
  tamper("steps.npy", 4, 1e-6);  // a sample at a frame's end
  const std::vector<FrameAudit> moved = audited();
  EXPECT_FALSE(passes(moved));
  EXPECT_GT(moved[1].residual, 1e-6);
  EXPECT_GT(moved[1].positions_differ, 0.0);
  EXPECT_LT(moved[4].residual, 1e-6);

  solve("");
  const Shot shot = open_shot(read_scene(folder_ / "scene.toml"));
  tamper("forces.npy", 3, 2e-6 * 9.8 * shot.model().vertex_mass().norm());
  const std::vector<FrameAudit> pushed = audited();
  EXPECT_FALSE(passes(pushed));
  EXPECT_GT(pushed[3].residual, 1e-6);
  EXPECT_LT(pushed[2].residual, 1e-6);
}

}  // namespace
}  // namespace keydrape
