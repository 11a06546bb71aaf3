#include "io/cli/console_text.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "io/file/file.h"

namespace keydrape {

void print_text(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw OutputError("stdout cannot be written: " + std::generic_category().message(errno));
}

}  // namespace keydrape
