#include "tests/fuzz/input_folder.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "tests/fuzz/parts.h"

namespace keydrape::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestMessage = 10'000;

fs::path memory_folder() {
  const fs::path memory = "/dev/shm";
  return fs::is_directory(memory) ? memory : fs::temp_directory_path();
}

}  // namespace

InputFolder::InputFolder() : path_(memory_folder() / ("keydrape-fuzz-" + std::to_string(::getpid()))) {
  fs::create_directory(path_);
}

InputFolder::~InputFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path InputFolder::write(std::string_view name, std::string_view bytes) const {
  fs::path file = path_ / name;
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file;
}

void InputFolder::write_parts(std::string_view bytes, std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) ::unlink((path_ / name).c_str());
  for (const Part& part : parts_of(bytes)) {
    for (const std::string_view name : names) {
      if (part.name != name) continue;
      if (const fs::path folder = (path_ / name).parent_path(); folder != path_) fs::create_directory(folder);
      write(name, part.bytes);
    }
  }
}

const InputFolder& input_folder() {
  static const InputFolder folder;
  return folder;
}

void expect_answer(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& refusal) {
    const std::string message = refusal.what();
    if (std::getenv("KEYDRAPE_FUZZ_TALKS")) std::fprintf(stderr, "%s\n", message.c_str());
    expect(message.find(input_folder().path().string()) != std::string::npos, message.c_str());
    expect(message.size() <= kLongestMessage, "a refusal that is too long to be read");
  }
}

void expect(bool is_sound, const char* what) {
  if (is_sound) return;
  std::fprintf(stderr, "not sound: %s\n", what);
  std::abort();
}

}  // namespace keydrape::fuzz
