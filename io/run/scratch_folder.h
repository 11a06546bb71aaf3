#pragma once

#include <filesystem>

#include "control/derivatives/scratch.h"

namespace keydrape {

// Scratch files in a folder. They have no name there: however the program ends, their room is free again. On
// file systems without such files (O_TMPFILE) they have one as they are made.
class ScratchFolder final : public Scratch {
 public:
  // memory_bytes: what the program will take of the memory that is free now. The folder is made where it is
  // missing. Throws OutputError where it cannot be, or cannot be written to.
  ScratchFolder(std::filesystem::path folder, double capacity_bytes, double memory_bytes = 0.0);

  double capacity_bytes() const override { return capacity_bytes_; }
  // Throws OutputError where `size` bytes are not free.
  std::unique_ptr<ScratchFile> open(double size) override;

 private:
  std::filesystem::path folder_;
  double capacity_bytes_;
  double cached_bytes_;  // larger files go past the system's cache
};

}  // namespace keydrape
