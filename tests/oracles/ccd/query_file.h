#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/contact/ccd/time_of_impact.h"

namespace keydrape::test {

struct LabelledQuery {
  StencilMotion motion;
  bool touches;  // the truth
};

// Queries of continuous collision detection as text, eight rows each: the four vertices at time 0, then at
// time 1. A row:  x numerator, x denominator, y .., y .., z .., z .., truth (0 or 1, the same in all eight)
// The numbers are integers of any size whose quotients are exactly doubles. (The layout of the data sets of
// Wang et al. 2021, "A large scale benchmark and an inclusion-based algorithm for continuous collision
// detection".) `name` stands in messages. Throws InputError with name and line for anything else.
std::vector<LabelledQuery> read_queries(std::istream& in, const std::string& name);
void write_query(std::ostream& out, const LabelledQuery& query);

}  // namespace keydrape::test
