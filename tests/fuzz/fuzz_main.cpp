// libFuzzer's side. The program's name says the target: fuzz_obj runs "obj".

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/linear/library_threads.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t capacity);

namespace {

const keydrape::fuzz::Target* chosen = nullptr;

constexpr unsigned kValues = 3;    // one mutation of so many changes a value of JSON, where there is any
constexpr unsigned kRepaired = 3;  // of the others, so many are repaired to one that is not

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** arguments) {
  const std::string name = std::filesystem::path((*arguments)[0]).filename().string();
  const std::size_t prefix = std::string("fuzz_").size();
  chosen = name.size() > prefix ? keydrape::fuzz::find_target(name.substr(prefix)) : nullptr;
  if (!chosen) {
    std::fprintf(stderr, "%s: no target; call it by one of its names:", name.c_str());
    for (const auto& target : keydrape::fuzz::targets())
      std::fprintf(stderr, " fuzz_%s", std::string(target.name).c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  keydrape::limit_library_threads();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(bytes), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t capacity,
                                               unsigned seed) {
  keydrape::fuzz::Random random(seed);
  if (random() % kValues == 0) {
    const std::string other =
        keydrape::fuzz::with_other_part({reinterpret_cast<const char*>(bytes), size}, random);
    if (other.size() > capacity) return size;
    std::copy(other.begin(), other.end(), bytes);
    return other.size();
  }
  const std::size_t mutated = LLVMFuzzerMutate(bytes, size, capacity);
  const bool is_repaired = chosen->repair && random() % (kRepaired + 1) != 0;
  return is_repaired ? chosen->repair(bytes, mutated, capacity) : mutated;
}
