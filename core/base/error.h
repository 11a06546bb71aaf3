#pragma once

#include <stdexcept>
#include <string>

namespace keydrape {

// Bad input (law 6): the message names file, line, key, vertex or triangle, says what was expected and how to
// mend it. Programs that catch it exit with 3.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace keydrape
