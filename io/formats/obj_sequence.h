#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/mesh/mesh.h"
#include "io/cache/frame_range.h"

// One OBJ file a frame, with the artists' frame number in its name.

namespace keydrape {

// A file name with a place for the frame number, in any notation of the trade: #### (one digit each), @@@@,
// %04d or %d, $F4 or $F. Shorter numbers are padded with zeros, longer ones keep all their digits, negative
// ones put the sign in front of the padding.
class FramePattern {
 public:
  // None if the file name holds no such place: it is a file like any other (folders are not looked at).
  // Throws InputError if there are two.
  static std::optional<FramePattern> parse(const std::filesystem::path& path);

  std::filesystem::path path(int frame) const;
  // The frames of which there is a file, ascending; frames from 0 to kMaxFrame.
  std::vector<int> existing_frames() const;

 private:
  FramePattern(std::filesystem::path folder, std::string prefix, std::string suffix, int digits);

  std::filesystem::path folder_;
  std::string prefix_;
  std::string suffix_;
  int digits_;
};

// folder/name.0001.obj: at least four digits.
std::filesystem::path obj_frame_path(const std::filesystem::path& folder, const std::string& name, int frame);

// Writes `mesh` to obj_frame_path(folder, name, frame), whole or not at all; the folder has to exist.
// Throws OutputError, see write_obj.
void write_obj_frame(const std::filesystem::path& folder, const std::string& name, int frame,
                     const TriangleMesh& mesh);

}  // namespace keydrape
