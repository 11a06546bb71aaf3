#pragma once

#include <openvdb/io/Archive.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/openvdb.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

// For the sources of this room alone: OpenVDB's headers go no further.

namespace keydrape::vdb {

// Throw InputError with "found; expected; remedy".
[[noreturn]] void refuse(const std::string& found, const std::string& expected, const std::string& remedy);
[[noreturn]] void refuse_damaged(const std::string& found);

// The grids of a .vdb file one by one, with the position in the file under our own eyes. All functions throw
// as OpenVDB and streams do; read_or_refuse makes InputErrors of that.
class Reader : public openvdb::io::Archive {
 public:
  // Reads the headers. Throws InputError where their offsets are not those of a whole file.
  explicit Reader(const std::filesystem::path& path);

  const std::vector<std::string>& names() const { return names_; }  // unique ones, at least one
  // Its place in the list, by its unique name or by one that no other grid has; without a name, that of the
  // only grid. Throws InputError: no such one, or several.
  std::size_t find(const std::optional<std::string>& name) const;

  const std::string& type(std::size_t grid) const { return descriptors_[grid].gridType(); }
  bool is_known(std::size_t grid) const { return grids_[grid] != nullptr; }  // to OpenVDB, by its type
  bool is_float(std::size_t grid) const {
    return is_known(grid) && grids_[grid]->isType<openvdb::FloatGrid>();
  }

  // An instance, which has a place of its own and the voxels of another grid, comes with these. Requires a
  // grid of a known type, and one call at most.
  openvdb::GridBase::Ptr read(std::size_t grid);

 private:
  void read_descriptors();
  // The grid whose voxels this one shares. Throws InputError: there is no such one that has voxels itself.
  std::size_t parent_of(std::size_t instance) const;

  std::uintmax_t size_;
  std::ifstream stream_;
  openvdb::io::StreamMetadata::Ptr metadata_;
  std::vector<openvdb::io::GridDescriptor> descriptors_;
  std::vector<openvdb::GridBase::Ptr> grids_;  // empty, until read
  std::vector<std::string> names_;
};

// The result of `read`, which makes a Reader. Throws InputError where it, streams or OpenVDB throw.
template <class Read>
auto read_or_refuse(const Read& read) {
  openvdb::initialize();
  try {
    return read();
  } catch (const std::ios_base::failure&) {
    refuse_damaged("it ends too early");
  } catch (const openvdb::Exception& e) {
    refuse_damaged(e.what());
  }
}

}  // namespace keydrape::vdb
