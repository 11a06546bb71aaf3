// What derivatives by channels take: as much as is said beforehand, and paid for by the memory of a search.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/derivatives/channel_derivatives.h"
#include "control/shooting/search_memory.h"
#include "control/shooting/shooting_iterate.h"
#include "control/unknowns/channel/cloth_channels.h"
#include "tests/support/channel_run.h"

namespace keydrape {
namespace {

using test::ChannelList;
using test::ChannelRun;

constexpr double kColumn = 3.0 * test::kChannelSide * test::kChannelSide * sizeof(double);

void give_hard_pin(ClothDescription&, ChannelList& channels) {
  channels.push_back(std::make_unique<PinChannel>(
      PinKind::kHard, 0, test::channel_knots(3, CourseStart::kZero), ChannelSize{test::kChannelLength}));
}

void give_soft_pin(ClothDescription& cloth, ChannelList& channels) {
  SoftPin pin{{24}, {1.0}, {{cloth.mesh.positions[24]}, 1.0}};
  pin.stiffness = 50.0;
  cloth.soft_pins = {pin};
  channels.push_back(std::make_unique<PinChannel>(
      PinKind::kSoft, 0, test::channel_knots(3, CourseStart::kZero), ChannelSize{test::kChannelLength}));
}

void give_wind(ClothDescription& cloth, ChannelList& channels) {
  cloth.wind = Wind::Shared{Animated<Vec3>(Vec3(1, 0, 2)), 1.2, 1.0, 0.4};
  channels.push_back(std::make_unique<WindChannel>(test::channel_knots(3, CourseStart::kFree),
                                                   ChannelSize{test::kChannelLength}));
}

void give_stretch_scale(ClothDescription&, ChannelList& channels) {
  channels.push_back(std::make_unique<StretchScaleChannel>(test::channel_knots(3, CourseStart::kZero)));
}

struct MemoryCase {
  std::string name;
  std::function<void(ClothDescription& cloth, ChannelList& channels)> make;
  StepMethod method = StepMethod::kConverged;
  bool is_draped = false;
};

std::unique_ptr<ChannelRun> run_with(const MemoryCase& c) {
  ClothDescription cloth = test::channel_sheet();
  ChannelList channels;
  c.make(cloth, channels);
  return std::make_unique<ChannelRun>(cloth, std::move(channels), std::vector<Keyframe>{},
                                      ChannelRun::Options{.method = c.method, .is_draped = c.is_draped});
}

// What is kept, and what was said of it.
struct KeptBytes {
  double kept, counted;
};

KeptBytes bytes_of(const MemoryCase& c) {
  const std::unique_ptr<ChannelRun> run = run_with(c);
  const VecX none = VecX::Zero(run->problem().size());
  ShootingIterate at(run->problem(), none);
  EXPECT_TRUE(at.is_complete()) << c.name;
  const std::unique_ptr<const ClothVariant> variant = run->problem().variant(none);
  const ChannelDerivatives derivatives(run->channels(), *variant->simulator, at.trajectory(),
                                       variant->drape ? &*variant->drape : nullptr);
  return {static_cast<double>(derivatives.memory_bytes()),
          channel_derivative_bytes(run->channels(), *variant->simulator, test::kChannelSteps)};
}

TEST(ChannelMemory, IsCountedBeforehand) {
  const MemoryCase cases[] = {{"pin", give_hard_pin},
                              {"pin in rounds", give_hard_pin, StepMethod::kPrefactored},
                              {"soft pin", give_soft_pin},
                              {"soft pin in bdf2", give_soft_pin, StepMethod::kBdf2},
                              {"wind in rounds", give_wind, StepMethod::kPrefactored},
                              {"stretch scale", give_stretch_scale},
                              {"material", test::add_material}};
  for (const MemoryCase& c : cases) {
    const auto [kept, counted] = bytes_of(c);
    EXPECT_GT(kept, 0.9 * counted) << c.name;
    EXPECT_LE(kept, counted) << c.name;
  }
}

// With the matrices of the rounds by which other cloth comes to rest.
TEST(ChannelMemory, OfADrapedStartIsCountedBeforehand) {
  const auto [kept, counted] =
      bytes_of({"material", test::one_number(MaterialNumber::kBend), StepMethod::kConverged, true});
  EXPECT_GT(counted, 2.0 * test::kChannelSteps * kColumn);
  EXPECT_NEAR(kept, counted, 0.2 * counted);
}

// R of every round, and Y, which is the same in all, once.
TEST(ChannelMemory, RoundsKeepWhatPinsHoldOnce) {
  constexpr int kRounds = 10;  // default_rounds()
  const auto [kept, counted] = bytes_of({"pin", give_hard_pin, StepMethod::kPrefactored});
  EXPECT_EQ(kept, test::kChannelSteps * (3 * kRounds + 3) * kColumn);
}

TEST(ChannelMemory, IsPaidForBeforeOtherDerivatives) {
  const std::unique_ptr<ChannelRun> run = run_with({"pin", give_hard_pin});
  const auto plan = [&](double budget, const Channels* channels) {
    return plan_search_memory(run->simulator(), run->layout(), StoredMethod::kGaussNewton, 2, 10, {budget},
                              channels);
  };
  const double kept = channel_derivative_bytes(run->channels(), run->simulator(), test::kChannelSteps);
  const SearchMemory without = plan(1e9, nullptr), with = plan(1e9, &run->channels());
  EXPECT_EQ(without.channels, 0.0);
  EXPECT_EQ(with.channels, kept);
  EXPECT_EQ(with.needed, without.needed + kept);
  EXPECT_EQ(with.derivatives, without.derivatives - kept);
  EXPECT_EQ(with.of_derivatives(), with.plan.bytes + kept);
  EXPECT_EQ(with.of_run(), without.of_run());  // which what they keep is taken from
  EXPECT_FALSE(plan(without.needed, &run->channels()).fits());
  EXPECT_TRUE(plan(with.needed, &run->channels()).fits());
}

}  // namespace
}  // namespace keydrape
