#pragma once

#include <string>

namespace keydrape {

// Data on stdout. Throws OutputError.
void print_text(const std::string& text);

}  // namespace keydrape
