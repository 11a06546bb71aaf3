#include "io/formats/vdb/vdb_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/file/printable.h"

namespace keydrape::vdb {

void refuse(const std::string& found, const std::string& expected, const std::string& remedy) {
  throw InputError(fmt::format("{}; expected {}; {}", found, expected, remedy));
}

void refuse_damaged(const std::string& found) {
  refuse("is damaged: " + found, "a whole .vdb file", "export or copy it again");
}

Reader::Reader(const std::filesystem::path& path) : size_(std::filesystem::file_size(path)) {
  stream_.exceptions(std::ios::failbit | std::ios::badbit | std::ios::eofbit);
  stream_.open(path, std::ios::binary);
  readHeader(stream_);
  metadata_.reset(new openvdb::io::StreamMetadata);
  metadata_->setSeekable(true);
  openvdb::io::setStreamMetadataPtr(stream_, metadata_, /*transfer=*/false);
  setFormatVersion(stream_);
  setLibraryVersion(stream_);
  setDataCompression(stream_);
  openvdb::MetaMap().readMeta(stream_);
  if (!inputHasGridOffsets()) {
    refuse("was written as a stream, without the offsets that show whether it is complete",
           "a file written by openvdb::io::File", "export it again");
  }
  read_descriptors();
}

openvdb::GridBase::Ptr Reader::read(std::size_t grid) {
  openvdb::io::GridDescriptor& descriptor = descriptors_[grid];
  descriptor.seekToGrid(stream_);
  readGrid(grids_[grid], descriptor, stream_);
  if (stream_.tellg() != descriptor.getEndPos()) refuse_damaged("its data do not end where its header says");
  if (descriptor.isInstance()) grids_[grid]->setTree(read(parent_of(grid))->baseTreePtr());
  return grids_[grid];
}

std::size_t Reader::parent_of(std::size_t instance) const {
  const auto parent = std::find_if(descriptors_.begin(), descriptors_.end(), [&](const auto& descriptor) {
    return descriptor.uniqueName() == descriptors_[instance].instanceParentName();
  });
  const auto place = static_cast<std::size_t>(parent - descriptors_.begin());
  if (parent == descriptors_.end() || parent->isInstance() || !is_known(place))
    refuse_damaged("the grid whose voxels another one shares is missing");
  return place;
}

std::size_t Reader::find(const std::optional<std::string>& name) const {
  std::vector<std::size_t> unique, plain;  // of that name
  std::string known, alike;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string shown = fmt::format("\"{}\"", printable(names_[i]));
    known += (known.empty() ? "" : ", ") + shown;
    if (!name) continue;
    if (*name == names_[i]) unique.push_back(i);
    if (*name != descriptors_[i].gridName()) continue;
    plain.push_back(i);
    alike += (alike.empty() ? "" : ", ") + shown;
  }
  if (!unique.empty()) return unique.front();
  if (plain.size() == 1) return plain.front();
  if (!plain.empty()) {
    refuse(fmt::format("holds {} grids \"{}\"", plain.size(), printable(*name)), "one of " + alike,
           "write the number, too, or give each grid a name of its own");
  }
  if (name)
    refuse(fmt::format("has no grid \"{}\"", printable(*name)), "one of " + known,
           "choose a grid of the file");
  if (names_.size() > 1) {
    refuse(fmt::format("holds {} grids: {}", names_.size(), known), "a single one, or its name",
           "write file.vdb:name");
  }
  return 0;
}

void Reader::read_descriptors() {
  const std::int32_t count = readGridCount(stream_);
  std::int64_t end = stream_.tellg();
  for (std::int32_t i = 0; i < count; ++i) {
    openvdb::io::GridDescriptor descriptor;
    grids_.push_back(descriptor.read(stream_));
    const std::int64_t at = descriptor.getGridPos(), blocks = descriptor.getBlockPos();
    end = descriptor.getEndPos();
    const bool is_in_order = descriptor.isInstance() ? at <= end : at <= blocks && blocks <= end;
    if (at != stream_.tellg() || !is_in_order) refuse_damaged("the offsets of its grids are out of order");
    if (end > static_cast<std::int64_t>(size_))
      refuse_damaged(fmt::format("it ends after {} bytes, and a grid would end at {}", size_, end));
    names_.push_back(openvdb::io::GridDescriptor::nameAsString(descriptor.uniqueName()));
    descriptors_.push_back(descriptor);
    stream_.seekg(end);
  }
  if (count <= 0) refuse("holds no grid", "a level set", "export one");
  if (end != static_cast<std::int64_t>(size_))
    refuse_damaged(fmt::format("it has {} bytes, and its grids end at {}", size_, end));
}

}  // namespace keydrape::vdb
