#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "control/goal/keyframe.h"
#include "io/formats/file_summary.h"
#include "io/formats/npy.h"
#include "io/formats/obj.h"
#include "io/formats/pc2.h"
#include "io/formats/read_cache.h"
#include "io/formats/write_cache.h"
#include "io/run/run_cache.h"
#include "io/shot/shot.h"
#include "tests/support/cli_folder.h"
#include "tests/support/small_cache.h"

namespace keydrape {
namespace {

// Caches as inputs of scenes and outputs of runs.
class CliCachesTest : public CliFolder {
 protected:
  // The sheet, swinging over frames 1001 to 1006, as a cache of every format, in centimetres where
  // those say it.
  MeshCache swing() {
    MeshCache cache;
    for (int f = 0; f < 6; ++f) {
      folder_.write("pose.obj", swung_sheet(0.08 * f));
      MeshCache pose = read_cache(folder_ / "pose.obj");
      if (f == 0) cache.header = pose.header;
      cache.frames.push_back(std::move(pose.frames[0]));
    }
    cache.header.first_frame = 1001;
    cache.header.frame_count = 6;
    return cache;
  }

  VecX simulate(const std::string& scene) {
    folder_.write("scene.toml", scene);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out", "--force"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read_npy(folder_ / "out/positions.npy").values;
  }

  // Every file of a run's folder and of those in it.
  std::set<std::string> files_in(const std::string& run) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / run))
      if (!entry.is_directory()) names.insert(entry.path().lexically_relative(folder_ / run).string());
    return names;
  }
};

TEST_F(CliCachesTest, PinsFollowACacheOfAnyFormat) {
  MeshCache cache = swing();
  for (const char* name : {"a.npy", "a.pc2", "a.mdd", "a.####.obj", "a.####.ply"})
    write_cache(folder_ / name, cache);
  change_space(cache, {0.01, UpAxis::kZ});
  write_cache(folder_ / "a.usda", cache);
  const std::string scene = shot_text() + "[[pin]]\nvertices = [0, 35]\nmotion = ";
  const VecX expected = simulate(scene + "\"a.npy\"\n");
  EXPECT_GT((expected.tail(3) - expected.segment<3>(3 * 35)).norm(), 0.05);  // the pin has moved
  for (const char* name : {"a.pc2", "a.mdd", "a.####.obj", "a.####.ply", "a.usda"})
    EXPECT_LT((simulate(scene + "\"" + name + "\"\n") - expected).cwiseAbs().maxCoeff(), 1e-6) << name;
}

// One sample is one frame of the shot: what was exported at another rate moves as many times as fast.
TEST_F(CliCachesTest, AnotherFrameRateIsToldOf) {
  MeshCache cache = swing();
  write_cache(folder_ / "same.mdd", cache);
  cache.header.fps = 48.0;
  write_cache(folder_ / "twice.mdd", cache);
  write_cache(folder_ / "twice.usda", cache);
  cache.header.fps = 29.97;
  write_cache(folder_ / "broadcast.mdd", cache);
  const std::string scene = shot_text() + "[[pin]]\nvertices = [0, 35]\nmotion = ";
  const auto said = [&](const std::string& name) {
    folder_.write("scene.toml", scene + "\"" + name + "\"\n");
    return run({"simulate", "scene.toml", "-o", "out", "--force"}).err;
  };
  EXPECT_FALSE(says(said("same.mdd"), {"frames a second"}));
  for (const char* name : {"twice.mdd", "twice.usda"})
    EXPECT_TRUE(
        says(said(name), {name, "has 48 frames a second where the shot has 24", "0.5 times as fast"}));
  EXPECT_TRUE(says(said("broadcast.mdd"), {"has 29.97 frames a second where the shot has 24"}));
}

// A cache of the pinned vertices alone has them as the scene lists them.
TEST_F(CliCachesTest, PinsFollowPointsInTheOrderOfTheirList) {
  Pc2Writer motion(folder_ / "two.pc2", {2, 1001.0, 1.0});
  for (int f = 0; f < 6; ++f) {
    VecX sample(6);
    sample << 0.25, 0.0, 0.01 * f, 0.0, 0.0, -0.01 * f;  // of vertices 5 and 0
    motion.append(sample);
  }
  motion.commit();
  const VecX x = simulate(shot_text() + "[[pin]]\nvertices = [5, 0]\nmotion = \"two.pc2\"\n");
  EXPECT_NEAR(x[3 * (36 * 5 + 5) + 2], 0.05, 1e-8);
  EXPECT_NEAR(x[3 * (36 * 5 + 0) + 2], -0.05, 1e-8);
}

TEST_F(CliCachesTest, AFrameOfACacheIsAKeyframe) {
  const MeshCache cache = swing();
  for (const char* name : {"a.npy", "a.pc2", "a.mdd", "a.####.obj", "a.usda"})
    write_cache(folder_ / name, cache);
  write_cache(folder_ / "frame.ply", [&] {
    MeshCache one = cache;
    keep_frames(one, {1005, 1005});
    return one;
  }());
  for (const char* name :
       {"a.npy@1005", "a.pc2@1005", "a.mdd@1005", "a.####.obj@1005", "a.usda@1005", "frame.ply"}) {
    simulate(shot_text() + pin_text() + "[[keyframe]]\nframe = 1003\nmesh = \"" + name + "\"\n");
    const auto keyframe = read_json("out/summary.json")["keyframes"][0];
    // The cloth has hardly moved: the miss is that of the pose.
    const VecX offset =
        read_npy(folder_ / "out/positions.npy").values.segment(2 * 108, 108) - cache.at(1005).positions;
    EXPECT_NEAR(keyframe["rms_m"], offset.norm() / 6.0, 1e-7) << name;
    EXPECT_GT(keyframe["rms_m"], 0.01);
  }
}

TEST_F(CliCachesTest, RefusesFramesThatAreNotThere) {
  const MeshCache cache = swing();
  for (const char* name : {"a.pc2", "a.usda", "a.####.obj"}) write_cache(folder_ / name, cache);
  const auto refusal = [&](const std::string& more) {
    folder_.write("scene.toml", shot_text() + more);
    const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
    EXPECT_EQ(result.exit_code, 3);
    return result.err;
  };
  const std::string key = "[[keyframe]]\nframe = 1003\nmesh = ";
  EXPECT_TRUE(
      says(refusal(key + "\"a.pc2@1007\"\n"), {"scene.toml:8:8: [[keyframe]] mesh: ", "1001-1006", "@"}));
  EXPECT_TRUE(says(refusal(key + "\"a.pc2\"\n"), {"has frames 1001-1006", "a.pc2@1001"}));
  EXPECT_TRUE(says(refusal(key + "\"a.####.obj\"\n"), {"is a sequence", "@1030"}));
  EXPECT_TRUE(says(refusal(key + "\"a.####.obj@1007\"\n"), {"a.1007.obj: cannot be read"}));
  EXPECT_TRUE(says(refusal(key + "\"none.pc2@1003\"\n"), {"scene.toml:8:8: ", "there is no file"}));
  EXPECT_TRUE(says(refusal("[[pin]]\nvertices = [0]\nmotion = \"a.pc2@1003\"\n"),
                   {"is one frame", "leave out the @"}));
  MeshCache late = cache;
  late.header.first_frame = 1002;
  write_cache(folder_ / "late.usda", late);
  EXPECT_TRUE(says(refusal("[[pin]]\nvertices = [0]\nmotion = \"late.usda\"\n"),
                   {"has frames 1002-1007; expected frames 1001-1006; "}));
}

// Where frames have numbers, a pin needs those of the frames in which it holds.
TEST_F(CliCachesTest, APinThatHoldsLaterNeedsNoEarlierFrames) {
  MeshCache cache = swing();
  write_cache(folder_ / "whole.usda", cache);
  keep_frames(cache, {1003, 1006});
  for (const char* name : {"part.usda", "part.####.obj"}) write_cache(folder_ / name, cache);
  write_cache(folder_ / "gap.####.obj", cache);
  folder_.write("gap.1001.obj", "no mesh");
  const auto scene = [](const std::string& name, const std::string& frames) {
    return shot_text() + "[[pin]]\nvertices = [0, 35]\nframes = \"" + frames + "\"\nmotion = \"" + name +
           "\"\n";
  };
  const VecX expected = simulate(scene("whole.usda", "1003-1006"));
  for (const char* name : {"part.usda", "part.####.obj", "gap.####.obj"})
    EXPECT_LT((simulate(scene(name, "1003-1006")) - expected).cwiseAbs().maxCoeff(), 1e-6) << name;
  const VecX later = simulate(scene("whole.usda", "1004-1006"));
  for (const char* name : {"part.usda", "part.####.obj"})
    EXPECT_LT((simulate(scene(name, "1004-1006")) - later).cwiseAbs().maxCoeff(), 1e-6) << name;
  folder_.write("scene.toml", scene("part.usda", "1002-1006"));
  const ProgramResult early = run({"simulate", "scene.toml", "-o", "early"});
  EXPECT_EQ(early.exit_code, 3);
  EXPECT_TRUE(says(early.err, {"has frames 1003-1006; expected frames 1002-1006; "}));
}

// A layer that was exported whole, by a writer that leaves out samples which do not change.
TEST_F(CliCachesTest, APinFollowsSamplesThatAreHeld) {
  MeshCache cache = swing();
  for (std::size_t f = 2; f < cache.frames.size(); ++f) cache.frames[f] = cache.frames[1];
  write_cache(folder_ / "whole.usda", cache);
  const auto held = [&](int last) {
    keep_frames(cache, {1001, last});
    write_cache(folder_ / "part.usda", cache);
    const std::string end = fmt::format("endTimeCode = {}", last);
    folder_.write("held.usda", replaced(folder_.read("part.usda"), end, "endTimeCode = 1006"));
  };
  const std::string pin = shot_text() + "[[pin]]\nvertices = [0, 35]\nmotion = ";
  held(1002);
  EXPECT_EQ(simulate(pin + "\"held.usda\"\n"), simulate(pin + "\"whole.usda\"\n"));
  // Where it rests all the time it is one pose, and motion that goes nowhere.
  held(1001);
  MeshCache still = swing();
  for (CacheFrame& frame : still.frames) frame = still.frames[0];
  write_cache(folder_ / "still.usda", still);
  EXPECT_EQ(simulate(pin + "\"held.usda\"\n[[keyframe]]\nframe = 1003\nmesh = \"held.usda\"\n"),
            simulate(pin + "\"still.usda\"\n"));
}

// Springs store nothing by triangle.
TEST_F(CliCachesTest, ClothOfSpringsWritesItsFields) {
  folder_.write("scene.toml",
                shot_text() + "model = \"springs\"\n" + pin_text() + "[output]\ncaches = [\"vtp\"]\n");
  const ProgramResult result = run({"simulate", "scene.toml", "-o", "out"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(summarize_file(folder_ / "out/simulated.pvd").fields,
            (std::vector<std::string>{"velocity", "miss", "force", "acceleration"}));
}

// Of a run that was broken off, to which no targets have been adapted: as its summary measures it.
TEST_F(CliCachesTest, MissesOfASurfaceAreThoseOfTheRun) {
  folder_.write("scene.toml", shot_text() + pin_text() +
                                  "[[keyframe]]\nframe = 1006\nsurface = \"key.obj\"\nmax_angle = 180\n");
  const Scene scene = read_scene(folder_ / "scene.toml");
  const Shot shot = open_shot(scene);
  State swung = shot.start();
  swung.x = stacked(read_obj(folder_ / "key.obj").positions);
  Trajectory run;
  run.states.assign(11, swung);
  StepReport converged;
  converged.end = NewtonEnd::kMinimum;
  run.reports.assign(10, converged);
  const NoForces none;
  const keydrape::Run whole{shot, run, none};
  const RunCache cache(scene, whole, {"miss"});
  EXPECT_LT(cache.frame(5).fields[0].maxCoeff(), 1e-12) << "it is the surface";
  EXPECT_GT(measure_miss(shot.keyframes[0].keyframe, swung.x).max, 1e-3) << "as adapted to the start";
}

TEST_F(CliCachesTest, RunsWriteEveryFormat) {
  write_npy(folder_ / "forces.npy", {{6, 36, 3}, VecX::LinSpaced(648, 0, 1e-4)});
  folder_.write("scene.toml",
                shot_text("meters_per_unit = 0.1\n") + pin_text() + keyframe_text() +
                    "[output]\ncaches = [\"pc2\", \"mdd\", \"obj\", \"ply\", \"npy\", \"usda\", "
                    "\"glb\", \"vtp\"]\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out", "--forces", "forces.npy"}).exit_code, 0);
  const VecX x = read_npy(folder_ / "out/positions.npy").values;
  for (const char* name :
       {"out/simulated.mdd", "out/simulated.usda", "out/ply/simulated.####.ply", "out/simulated.pc2"}) {
    const MeshCache cache = read_cache(folder_ / name);
    EXPECT_EQ(cache.header.frames().text(), "1001-1006") << name;
    EXPECT_LT((0.1 * cache.at(1006).positions - x.tail(108)).cwiseAbs().maxCoeff(), 1e-7) << name;
  }
  EXPECT_EQ(summarize_file(folder_ / "out/simulated.glb").frames, 6);
  EXPECT_EQ(summarize_file(folder_ / "out/simulated.pvd").fields,
            (std::vector<std::string>{"velocity", "miss", "force", "acceleration", "energy_density"}));

  const MeshCache cache = read_cache(folder_ / "out/simulated.usda");
  EXPECT_EQ(cache.header.space.meters_per_unit, 0.1);
  const CacheFrame &last = cache.at(1006), &before = cache.at(1005);
  const double rms = last.fields[1].norm() / 6.0;
  EXPECT_NEAR(rms, read_json("out/summary.json")["keyframes"][0]["rms_m"], 1e-6 * rms);  // miss
  EXPECT_EQ(before.fields[1].norm(), 0.0);
  EXPECT_EQ(last.fields[2].norm(), 0.0);  // force
  EXPECT_LT((before.fields[2] - VecX::LinSpaced(648, 0, 1e-4).segment(4 * 108, 108)).cwiseAbs().maxCoeff(),
            1e-10);
  EXPECT_GT(last.fields[0].norm(), 0.0);  // velocity

  // A second run leaves nothing of the first: the folder is as one that was new.
  folder_.write("scene.toml", shot_text() + pin_text() + "[output]\ncaches = []\n");
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "out", "--force"}).exit_code, 0);
  ASSERT_EQ(run({"simulate", "scene.toml", "-o", "new"}).exit_code, 0);
  EXPECT_EQ(files_in("out"), files_in("new"));
}

}  // namespace
}  // namespace keydrape
