#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string_view>

namespace keydrape::fuzz {

// A folder of this process in memory, gone with it.
class InputFolder {
 public:
  InputFolder();
  ~InputFolder();
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  // Without any of the code under test; over what was there.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const;
  // Writes those parts (parts.h) that have one of the names, and removes the others of these files.
  void write_parts(std::string_view bytes, std::initializer_list<std::string_view> names) const;

 private:
  std::filesystem::path path_;
};

// The one of the targets.
const InputFolder& input_folder();

// Runs a reader, which may refuse: by an InputError that says which of the folder's files is to blame, and is
// short enough to be read. Ends the program where it does otherwise. Prints the refusal where
// KEYDRAPE_FUZZ_TALKS is in the environment.
void expect_answer(const std::function<void()>& read);

// Ends the program: what the reader returned is not sound.
void expect(bool is_sound, const char* what);

}  // namespace keydrape::fuzz
