#pragma once

#include <span>
#include <vector>

namespace keydrape {

// An order of elements in blocks of neighbours, and of blocks in colours: no two blocks of one colour share a
// vertex, so that threads may write there at the same time, and a vertex receives its contributions in the
// same order whatever the number of threads.
struct ElementOrder {
  std::vector<int> elements;      // their former numbers
  std::vector<int> block_begin;   // where each block begins among them, then the end
  std::vector<int> colour_begin;  // the first block of each colour, then the number of blocks
};

// Of elements with `per_element` vertices each, one after the other in `vertices`; `block_size` > 0 of them a
// block. Neighbours are found from the elements themselves, whatever the numbers of their vertices.
ElementOrder order_elements(std::span<const int> vertices, int per_element, int block_size);

}  // namespace keydrape
