#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace keydrape {

// The file behind a name that picks something in it: cache.pc2 of "cache.pc2@1030" (split_frame()), body.vdb
// of "body.vdb:torso" (VdbReference). Other names stand for themselves.
std::filesystem::path named_file(const std::filesystem::path& name);
// All files that are read by that name: those of a sequence that are there, too.
std::vector<std::filesystem::path> named_files(const std::filesystem::path& name);

// No command writes over what it reads, with --force or without: throws InputError where one of `written` is
// a file of `name`, whatever it is called. `role`: what it is read as.
void refuse_to_write_over(const std::filesystem::path& name, std::string_view role,
                          const std::vector<std::filesystem::path>& written);

}  // namespace keydrape
