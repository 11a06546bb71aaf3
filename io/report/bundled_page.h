#pragma once

#include <string_view>

// Made by the build from io/report (CMakeLists.txt).

namespace keydrape {

// The page without data: HTML with the marks <!--title-->, <!--manifest--> and <!--buffer-->. Empty where the
// program was built without Node.
std::string_view report_page();

// Likewise that of a stage.
std::string_view play_page();

// Then: why. Empty otherwise.
std::string_view report_page_obstacle();

}  // namespace keydrape
