#include "io/file/available_memory.h"

#include <fstream>
#include <string>

namespace keydrape {

double available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kib = 0.0;
    if (word == "MemAvailable:" && file >> kib) return 1024.0 * kib;
  }
  return 0.0;
}

}  // namespace keydrape
