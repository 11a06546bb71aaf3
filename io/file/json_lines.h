#pragma once

#include <filesystem>
#include <string_view>

namespace keydrape {

// A log of one JSON object a line that others may read while it grows: each line reaches the file whole, by
// one write, as soon as it is known.
class JsonLines {
 public:
  // Starts the file anew with `text`, whole lines or nothing. Throws OutputError.
  JsonLines(std::filesystem::path path, std::string_view text = {});
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  // Adds a line. Requires an object without line breaks. Throws OutputError; a part of a line is taken back.
  void append(std::string_view object);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace keydrape
