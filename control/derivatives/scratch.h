#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace keydrape {

// Bytes outside of memory, written once and read by every sweep.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;

  // Returns where the bytes begin. Throws where the file cannot take them (disk full).
  virtual std::uint64_t append(std::span<const std::byte> bytes) = 0;
  // Fills `bytes` with what was appended from `begin` on; called by one thread at a time. Throws on
  // a read error.
  virtual void read(std::uint64_t begin, std::span<std::byte> bytes) const = 0;
};

// A place for such files, which leave nothing behind.
class Scratch {
 public:
  virtual ~Scratch() = default;

  virtual double capacity_bytes() const = 0;  // of one file
  // A file that will take about `size` bytes. Throws where there is no room for them.
  virtual std::unique_ptr<ScratchFile> open(double size) = 0;
};

}  // namespace keydrape
