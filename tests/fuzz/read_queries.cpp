#include <sstream>
#include <string>

#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"
#include "tests/oracles/ccd/query_file.h"

namespace keydrape::fuzz {

void run_queries(std::string_view bytes) {
  const std::string name = (input_folder() / "queries.csv").string();
  expect_answer([&] {
    std::istringstream in{std::string(bytes)};
    const auto queries = test::read_queries(in, name);
    std::stringstream text;
    for (const test::LabelledQuery& query : queries) test::write_query(text, query);
    const auto again = test::read_queries(text, name);
    expect(again.size() == queries.size(), "queries that are written read otherwise");
    for (std::size_t k = 0; k < queries.size(); ++k)
      expect(again[k].motion.start == queries[k].motion.start && again[k].motion.end == queries[k].motion.end,
             "a query that is written reads otherwise");
  });
}

}  // namespace keydrape::fuzz
