// Repeats every input that is kept, in a build like any other, and changes of each at random:
//   keydrape_fuzz_replay CORPUS CHANGES SEED [TARGET ...]
// Where the program ends in an input, the last line says of which file; the environment's KEYDRAPE_FUZZ_LAST
// names a file that then holds the input itself.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/linear/library_threads.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

namespace {

namespace fs = std::filesystem;
using keydrape::fuzz::Random;
using keydrape::fuzz::Target;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string changed(const Target& target, const std::string& bytes, Random& random) {
  if (random() % 3 == 0) return keydrape::fuzz::with_other_part(bytes, random);
  std::string other = keydrape::fuzz::with_noise(bytes, random);
  if (!target.repair || random() % 2 == 0) return other;
  const std::size_t size = other.size();
  other.resize(size + 256);  // room for the header of an array
  other.resize(target.repair(reinterpret_cast<std::uint8_t*>(other.data()), size, other.size()));
  return other;
}

// The file that is run, so that it is there where the program ends in it.
void note(const std::string& bytes) {
  if (const char* file = std::getenv("KEYDRAPE_FUZZ_LAST")) std::ofstream(file, std::ios::binary) << bytes;
}

int replay(const Target& target, const fs::path& corpus, int changes, std::uint64_t seed) {
  Random random(seed);
  const std::vector<fs::path> files = files_in(corpus / target.name);
  for (const fs::path& file : files) {
    std::fprintf(stderr, "%s\n", file.c_str());
    const std::string bytes = bytes_of(file);
    target.run(bytes);
    for (int k = 0; k < changes; ++k) {
      const std::string other = changed(target, bytes, random);
      note(other);
      target.run(other);
    }
  }
  return static_cast<int>(files.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: keydrape_fuzz_replay CORPUS CHANGES SEED [TARGET ...]\n");
    return 2;
  }
  const std::vector<std::string> wanted(argv + 4, argv + argc);
  keydrape::limit_library_threads();
  for (const Target& target : keydrape::fuzz::targets()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), target.name) == wanted.end()) continue;
    const int count = replay(target, argv[1], std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
    std::printf("%s: %d\n", std::string(target.name).c_str(), count);
    if (count == 0) return 1;
  }
  return 0;
}
