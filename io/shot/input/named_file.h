#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "io/scene/scene.h"

namespace keydrape {

// A file that a key of the scene names: what is wrong inside of it is told with both places.
struct NamedFile {
  const scene::FilePath& file;
  std::string_view role;  // "[[pin]] motion"

  // "shot.toml:5:8: [cloth] rest: rest.obj:3:7: ..": `said` with the scene's place, if it has none yet.
  std::string sentence(const std::string& said) const;

  // What `read` returns. Throws InputError: that of `read`, as such a sentence.
  template <class Read>
  auto read(const Read& read) const {
    try {
      return read();
    } catch (const InputError& error) {
      throw InputError(sentence(error.what()));
    }
  }
};

}  // namespace keydrape
