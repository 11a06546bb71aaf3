#include "io/formats/vdb/vdb_reader.h"

#include <fmt/format.h>

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
  return grids_[grid];
}

std::size_t Reader::find(const std::optional<std::string>& name) const {
  std::string known;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (name && (*name == names_[i] || *name == descriptors_[i].gridName())) return i;
    known += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", printable(names_[i]));
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
    if (at != stream_.tellg() || blocks < at || descriptor.getEndPos() < blocks)
      refuse_damaged("the offsets of its grids are out of order");
    end = descriptor.getEndPos();
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
