// The file of labelled queries: what it accepts and refuses, and the two programs that speak it.

#include "tests/oracles/ccd/query_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "tests/oracles/ccd/query_families.h"

namespace keydrape::test {
namespace {

std::string file_of(const std::vector<LabelledQuery>& queries) {
  std::ostringstream out;
  for (const LabelledQuery& query : queries) write_query(out, query);
  return out.str();
}

std::string message_of(const std::string& text) {
  std::istringstream in(text);
  try {
    read_queries(in, "q.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

LabelledQuery sample(unsigned seed) {
  Rng rng(seed);
  return {placed(rng, query_families()[0].make(rng, PairKind::kVertexFace), Setting::kShifted),
          seed % 2 == 1};
}

TEST(QueryFile, ReadsBackTheSameBits) {
  LabelledQuery extreme = sample(1);
  extreme.motion.start(0, 0) = 0x1p-1074;
  extreme.motion.start(1, 0) = -0x1.fffffffffffffp1023;
  extreme.motion.start(2, 0) = 0x1.0000000000001p-1022;
  const std::vector<LabelledQuery> queries{sample(2), extreme, sample(3)};
  std::istringstream in(file_of(queries));
  const std::vector<LabelledQuery> read = read_queries(in, "q.csv");
  ASSERT_EQ(read.size(), queries.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].motion.start, queries[i].motion.start);
    EXPECT_EQ(read[i].motion.end, queries[i].motion.end);
    EXPECT_EQ(read[i].touches, queries[i].touches);
  }
}

TEST(QueryFile, ReducesFractions) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += " 3,-6, 10000000000000000000000,20000000000000000000000, 0,7, 1\r\n";
  std::istringstream in(text);
  EXPECT_EQ(read_queries(in, "q.csv")[0].motion.end, (Vec3(-0.5, 0.5, 0).replicate<1, 4>()));
}

TEST(QueryFile, LeadingZerosChangeNothing) {
  std::string text;
  for (int k = 0; k < 8; ++k) text += "010,1,08,01,-09,1,0\n";
  std::istringstream in(text);
  EXPECT_EQ(read_queries(in, "q.csv")[0].motion.end, (Vec3(10, 8, -9).replicate<1, 4>()));
}

TEST(QueryFile, RefusesWithTheLine) {
  const std::string good = file_of({sample(2)});
  const std::string row = "1,1,1,1,1,1,0\n";
  EXPECT_EQ(message_of(""), "accepted");
  EXPECT_EQ(message_of(good), "accepted");
  EXPECT_NE(message_of(row + "1,3,1,1,1,1,0\n").find("q.csv:2: 1/3 is not exactly a double"),
            std::string::npos);
  EXPECT_NE(message_of(row + "9007199254740993,1,1,1,1,1,0\n").find("q.csv:2"), std::string::npos);
  EXPECT_NE(message_of(row + "1" + std::string(309, '0') + ",1,1,1,1,1,0\n").find("not exactly"),
            std::string::npos);
  EXPECT_NE(message_of(row + std::string(5000, '9') + ",1,1,1,1,1,0\n").find("5000 digits"),
            std::string::npos);
  EXPECT_NE(message_of(row + "1,0,1,1,1,1,0\n").find("q.csv:2: a denominator is 0"), std::string::npos);
  EXPECT_NE(message_of(row + "0.5,1,1,1,1,1,0\n").find("'0.5' is no integer"), std::string::npos);
  EXPECT_NE(message_of(row + "-,1,1,1,1,1,0\n").find("'-' is no integer"), std::string::npos);
  EXPECT_NE(message_of(row + ",1,1,1,1,1,0\n").find("'' is no integer"), std::string::npos);
  EXPECT_NE(message_of(row + "1,1,1,1,1,1\n").find("q.csv:2: 6 fields"), std::string::npos);
  EXPECT_NE(message_of(row + "\n").find("q.csv:2: 1 fields"), std::string::npos);
  EXPECT_NE(message_of(row + "1,1,1,1,1,1,2\n").find("the truth is '2'"), std::string::npos);
  EXPECT_NE(message_of(row + "1,1,1,1,1,1,1\n").find("q.csv:2: the truth differs"), std::string::npos);
  EXPECT_NE(message_of(good + row).find("q.csv:9: the file ends after 1 of the 8 rows"), std::string::npos);
}

class Programs : public ::testing::Test {
 protected:
  Programs()
      : folder_(std::filesystem::temp_directory_path() / ("keydrape_ccd_" + std::to_string(std::rand()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Programs() override { std::filesystem::remove_all(folder_); }

  int run(const std::string& command) const {
    return WEXITSTATUS(std::system((command + " > " + (folder_ / "out").string() + " 2>&1").c_str()));
  }
  std::string output() const {
    std::ifstream in(folder_ / "out");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path folder_;
};

TEST_F(Programs, CountWhatTheyGenerate) {
  for (const std::string kind : {"vf", "ee"}) {
    const std::string file = (folder_ / (kind + ".csv")).string();
    ASSERT_EQ(run(fmt::format("{} {} 3 1", KEYDRAPE_MAKE_CCD_QUERIES, kind)), 0);
    std::filesystem::copy_file(folder_ / "out", file);
    ASSERT_EQ(run(fmt::format("{} {} --toi --kind {}", KEYDRAPE_CCD, file, kind)), 0) << output();
    EXPECT_NE(output().find("queries 99\n"), std::string::npos) << output();
    EXPECT_NE(output().find("misses 0\n"), std::string::npos);
    EXPECT_EQ(output().find("0 "), 0u);
  }
}

TEST_F(Programs, ReportMissesAndBadInput) {
  LabelledQuery query = sample(1);  // labelled as a contact
  query.motion.end = query.motion.start;
  query.motion.start.col(0) = query.motion.end.col(0) = Vec3(9e9, 0, 0);
  const std::string file = (folder_ / "wrong.csv").string();
  std::ofstream(file) << file_of({query});
  EXPECT_EQ(run(std::string(KEYDRAPE_CCD) + " " + file), 1);
  EXPECT_NE(output().find("misses 1\n"), std::string::npos);
  std::ofstream(file) << "1,3,1,1,1,1,0\n";
  EXPECT_EQ(run(std::string(KEYDRAPE_CCD) + " " + file), 3);
  EXPECT_NE(output().find("wrong.csv:1: 1/3"), std::string::npos);
  EXPECT_EQ(run(std::string(KEYDRAPE_CCD) + " " + file + " --kind xx"), 2);
  EXPECT_EQ(run(std::string(KEYDRAPE_CCD) + " /nowhere.csv"), 3);
}

}  // namespace
}  // namespace keydrape::test
