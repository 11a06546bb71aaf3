#include "io/play/protocol.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tests/support/number_at.h"

namespace keydrape {
namespace {

using Kind = StageCommand::Kind;

TEST(StageProtocol, UnderstandsCommands) {
  EXPECT_EQ(parse_command(R"({"do":"play"})", 9)->kind, Kind::kPlay);
  EXPECT_EQ(parse_command(R"({"do":"let go"})", 9)->kind, Kind::kLetGo);
  EXPECT_EQ(parse_command(R"({"do":"grab","vertex":8})", 9)->vertex, 8);
  const auto drag = parse_command(R"({"do":"drag","way":[1,-2.5,0],"stamp":12.5})", 9);
  ASSERT_TRUE(drag);
  EXPECT_EQ(drag->way, Vec3(1, -2.5, 0));
  EXPECT_EQ(drag->stamp, 12.5);
  EXPECT_FALSE(parse_command(R"({"do":"wind","on":false})", 9)->is_on);
  EXPECT_TRUE(parse_command(R"({"do":"bodies","on":true})", 9)->is_on);
  EXPECT_EQ(parse_command(R"({"do":"speed","factor":0.25})", 9)->speed, 0.25);
}

TEST(StageProtocol, TakesNothingElse) {
  for (const char* text : {"",
                           "play",
                           "[]",
                           "{}",
                           R"({"do":1})",
                           R"({"do":"format the disk"})",
                           R"({"do":"grab"})",
                           R"({"do":"grab","vertex":9})",
                           R"({"do":"grab","vertex":-1})",
                           R"({"do":"grab","vertex":1.5})",
                           R"({"do":"grab","vertex":1e300})",
                           R"({"do":"drag","way":[1,2],"stamp":0})",
                           R"({"do":"drag","way":[1,2,"3"],"stamp":0})",
                           R"({"do":"drag","way":[1,2,1e4],"stamp":0})",
                           R"({"do":"drag","way":[1,2,null],"stamp":0})",
                           R"({"do":"drag","way":[0,0,0]})",
                           R"({"do":"wind","on":1})",
                           R"({"do":"wind"})",
                           R"({"do":"speed","factor":0})",
                           R"({"do":"speed","factor":2})",
                           "{\"do\":\"\xff\"}",
                           R"({"do":"drag","way":{},"stamp":0})"})
    EXPECT_FALSE(parse_command(text, 9)) << text;
  EXPECT_FALSE(parse_command(std::string(1000, '['), 9));
}

TEST(StageProtocol, AFrameHasAHeadAndPositions) {
  VecX x(6);
  x << 1, 2, 3, -4, 5e-3, 0.1;
  const std::string bytes = frame_bytes({7, 1010, 0.02, 0.5, 123456.75}, x);
  ASSERT_EQ(bytes.size(), kFrameHeadBytes + 24);
  EXPECT_EQ(bytes.substr(0, 4), "KDF1");
  EXPECT_EQ(number_at<std::int32_t>(bytes, 4), 7);
  EXPECT_EQ(number_at<std::int32_t>(bytes, 8), 1010);
  EXPECT_EQ(number_at<std::int32_t>(bytes, 12), 2);
  EXPECT_EQ(number_at<float>(bytes, 16), 0.02f);
  EXPECT_EQ(number_at<float>(bytes, 20), 0.5f);
  EXPECT_EQ(number_at<double>(bytes, 24), 123456.75);
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(number_at<float>(bytes, kFrameHeadBytes + 4 * static_cast<std::size_t>(k)),
              static_cast<float>(x[k]));
}

TEST(StageProtocol, WhatItSaysIsJson) {
  StageStatus status;
  status.frame = 1003;
  status.frames = {1001, 1010};
  status.fps = 25.0;
  status.substeps = 2;
  status.speed = 0.25;
  status.wind = true;
  status.keyframes = {1003};
  const auto json = nlohmann::json::parse(status_text(status));
  EXPECT_EQ(json["type"], "status");
  EXPECT_EQ(json["frames"], (std::vector<int>{1001, 1010}));
  EXPECT_EQ(json["fps"], 25.0);
  EXPECT_EQ(json["substeps"], 2);
  EXPECT_EQ(json["speed"], 0.25);
  EXPECT_EQ(json["wind"], true);
  EXPECT_TRUE(json["bodies"].is_null());
  EXPECT_EQ(json["keyframes"], std::vector<int>{1003});
  EXPECT_EQ(nlohmann::json::parse(note_text(NoteKind::kRefused, "a \"b\"\n"))["text"], "a \"b\"\n");
  SolveStatus solve;
  EXPECT_TRUE(nlohmann::json::parse(solve_text(solve))["report"].is_null());
  solve.report = 2;
  solve.is_reached = false;
  const auto said = nlohmann::json::parse(solve_text(solve));
  EXPECT_EQ(said["report"], "report/2");
  EXPECT_EQ(said["reached"], false);
}

}  // namespace
}  // namespace keydrape
