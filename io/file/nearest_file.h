#pragma once

#include <filesystem>
#include <string>

namespace keydrape {

// What to say of a file that is not there: which one of its folder was probably meant ("did you mean
// \"rest.obj\"?"), or that there is no such folder. Empty: nothing there has a name like it.
std::string missing_file_hint(const std::filesystem::path& missing);

}  // namespace keydrape
