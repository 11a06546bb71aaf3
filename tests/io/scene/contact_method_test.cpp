#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "io/scene/scene_words.h"
#include "tests/support/scene_folder.h"

namespace keydrape {
namespace {

// Methods of contact and what a step has to be for them.
class ContactMethodTest : public SceneFolder {
 protected:
  std::string refused(const std::string& contact, const std::string& rest = "") const {
    return refusal(kSmallestScene + rest + "[contact]\n" + contact);
  }
};

const std::string kLinearized = "[solver]\nintegrator = \"linearized\"\n";

TEST_F(ContactMethodTest, PassesStandBehindStepsThatMinimiseNothing) {
  const std::string linearized = kSmallestScene + kLinearized;
  const std::string bdf2 = kSmallestScene + "[solver]\nintegrator = \"bdf2\"\n";
  for (const auto& [word, method] : scene::words(ContactMethod{})) {
    const std::string contact = fmt::format("[contact]\nmethod = \"{}\"\nself = false\n", word);
    EXPECT_EQ(read(linearized + contact).contact->method, method);
    if (!is_pass(method)) {
      EXPECT_EQ(read(kSmallestScene + contact).contact->method, method);
      continue;
    }
    EXPECT_EQ(
        refusal(kSmallestScene + contact),
        fmt::format("6:10: [contact] method: found '{}' with steps of [solver] integrator that solve for "
                    "contact themselves; expected integrator = \"linearized\" under [solver], behind "
                    "whose steps it acts; or method = \"barrier\", which newton and bdf2 solve",
                    word));
    EXPECT_EQ(refusal(bdf2 + contact).substr(0, 4), "8:10");
  }
}

TEST_F(ContactMethodTest, MethodsOfBodiesDoNotKnowTheClothItself) {
  for (const std::string method : {"projection", "filter", "penalty", "constraint"}) {
    const std::string without_self = fmt::format("method = \"{}\"\n", method);
    const std::string expected = fmt::format(
        "8:10: [contact] method: found '{}' without self = false; expected self = false beside it: it keeps "
        "cloth out of closed bodies and knows no triangle, so not the cloth itself; or method = \"barrier\" "
        "or \"impulses\"",
        method);
    EXPECT_EQ(refused(without_self, kLinearized), expected);
    EXPECT_EQ(refused(without_self + "self = true\n", kLinearized), expected);
  }
  EXPECT_NO_THROW(read(kSmallestScene + kLinearized + "[contact]\nmethod = \"impulses\"\n"));
}

TEST_F(ContactMethodTest, KeysWithoutEffectAreRefused) {
  const std::string impulses = "method = \"impulses\"\n";
  EXPECT_EQ(refused("restitution = 0.5\n"),
            "6:15: [contact] restitution: found 0.5, which has no effect; expected it only with method = "
            "\"impulses\"");
  EXPECT_EQ(refused(impulses + "start_crossings = \"exempt\"\n", kLinearized),
            "9:19: [contact] start_crossings: found 'exempt', which has no effect; expected it only with "
            "method = \"barrier\"");
  const std::string draped = kSmallestScene + "initial = \"drape\"\n" + kLinearized + "[contact]\n";
  for (const std::string key : {"activation", "stiffness", "sliding_speed"}) {
    const std::string contact = fmt::format("{}{} = 0.01\n", impulses, key);
    EXPECT_EQ(
        refused(contact, kLinearized),
        fmt::format("9:{}: [contact] {}: found 0.01, which has no effect; expected it only with method = "
                    "\"barrier\" or \"penalty\", or where the cloth begins draped",
                    key.size() + 4, key));
    EXPECT_NO_THROW(read(draped + contact + "friction = 0.1\n"));
  }
  EXPECT_EQ(
      refused("restitution = 1.5\n").rfind("6:15: [contact] restitution: found 1.5; expected number", 0), 0u);
}

// What a pass moves may end beyond the limit, where no further step can begin.
TEST_F(ContactMethodTest, NothingMovesWhatAStrainLimitHolds) {
  const std::string limited = kSmallestScene + "[cloth.material]\nstrain_limit = 0.02\n" + kLinearized;
  for (const auto& [word, method] : scene::words(ContactMethod{})) {
    const std::string contact = fmt::format("[contact]\nmethod = \"{}\"\nself = false\n", word);
    if (is_pass(method)) {
      EXPECT_EQ(refusal(limited + contact),
                fmt::format("10:10: [contact] method: found '{}' together with a strain_limit, which what it "
                            "moves may go past unawares; expected method = \"barrier\" or \"penalty\", or no "
                            "strain_limit in [cloth.material]",
                            word));
    } else {
      EXPECT_NO_THROW(read(limited + contact)) << word;
    }
  }
  EXPECT_EQ(refusal(limited + "max_edge_stretch = 0.1\n"),
            "9:20: [solver] max_edge_stretch: found it together with a strain_limit, which what it moves may "
            "go past unawares; expected one of the two");
}

TEST_F(ContactMethodTest, EdgesAreLimitedBehindStepsThatMinimiseNothing) {
  EXPECT_EQ(
      refusal(kSmallestScene + "[solver]\nmax_edge_stretch = 0.1\n"),
      "6:20: [solver] max_edge_stretch: found 0.1, which has no effect; expected it only with integrator = "
      "\"linearized\" or one with rounds: newton and bdf2 solve for what it would move; they have "
      "[cloth.material] strain_limit");
  EXPECT_EQ(read(kSmallestScene + kLinearized + "max_edge_stretch = 0.1\n").solver.max_edge_stretch, 0.1);
  const std::string predictor = "[solver]\nintegrator = \"predictor\"\n";
  EXPECT_EQ(read(kSmallestScene + predictor + "max_edge_stretch = 0.2\n").solver.max_edge_stretch, 0.2);
}

// Rounds know no barrier; what acts behind them may.
TEST_F(ContactMethodTest, RoundsHaveContactBehindThem) {
  const std::string rounds = "[solver]\nintegrator = \"prefactored\"\n";
  const Scene scene = read(kSmallestScene + rounds + "[contact]\nmethod = \"impulses\"\nrestitution = 0.4\n");
  EXPECT_EQ(scene.contact->method, ContactMethod::kImpulses);
  EXPECT_EQ(scene.contact->restitution, 0.4);
  EXPECT_NE(refused("", rounds).find("of which its steps know nothing"), std::string::npos);
  // A penalty is finite: those that look whether the potential falls take it.
  const std::string penalty =
      "method = \"penalty\"\nself = false\n[[collider]]\nplane = {point = "
      "[0, -1, 0], normal = [0, 1, 0]}\n";
  const auto scene_of = [&](const std::string& integrator) {
    return fmt::format("{}[solver]\nintegrator = \"{}\"\n[contact]\n{}", kSmallestScene, integrator, penalty);
  };
  for (const std::string integrator : {"prefactored", "descent"})
    EXPECT_EQ(read(scene_of(integrator)).contact->method, ContactMethod::kPenalty);
  for (const std::string integrator : {"predictor", "explicit"})
    EXPECT_NE(refusal(scene_of(integrator)).find("of which its steps know nothing"), std::string::npos);
  EXPECT_NE(refused("method = \"constraint\"\nself = false\n", rounds).find("without a linear system"),
            std::string::npos);
}

}  // namespace
}  // namespace keydrape
