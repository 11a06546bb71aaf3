#pragma once

#include <filesystem>

namespace keydrape {

// The file behind a name that picks something in it: cache.pc2 of "cache.pc2@1030" (split_frame()), body.vdb
// of "body.vdb:torso" (VdbReference). Other names stand for themselves.
std::filesystem::path named_file(const std::filesystem::path& name);

}  // namespace keydrape
