// keydrape_make_ccd_queries vf|ee COUNT SEED
//
// Writes labelled queries for keydrape_ccd to stdout: COUNT of every family in every setting
// (query_families.h), the truth by exact arithmetic (exact_contact.h).

#include <charconv>
#include <cstring>
#include <iostream>
#include <string_view>

#include "tests/oracles/ccd/query_families.h"
#include "tests/oracles/ccd/query_file.h"

namespace {

bool parse_number(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace keydrape::test;
  const std::string_view name = argc == 4 ? argv[1] : "";
  int count = 0, seed = 0;
  if ((name != "vf" && name != "ee") || !parse_number(argv[2], count) || !parse_number(argv[3], seed)) {
    std::cerr << "usage: keydrape_make_ccd_queries vf|ee COUNT SEED\n";
    return 2;
  }
  const PairKind kind = name == "vf" ? PairKind::kVertexFace : PairKind::kEdgeEdge;
  Rng rng(seed);
  for (const QueryFamily& family : query_families())
    for (Setting setting : kSettings)
      for (int i = 0; i < count; ++i) {
        const keydrape::StencilMotion motion = placed(rng, family.make(rng, kind), setting);
        write_query(std::cout, {motion, first_contact(motion, kind).has_value()});
      }
  return std::cout.good() ? 0 : 1;
}
