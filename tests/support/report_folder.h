#pragma once

#include <string>

#include "io/report/page.h"
#include "tests/support/cli_folder.h"

namespace keydrape {

// A folder of runs whose reports are read. Skips where this program cannot write any.
class ReportFolder : public CliFolder {
 protected:
  void SetUp() override {
    if (const auto obstacle = report_obstacle())
      GTEST_SKIP() << "SKIPPED, reports were NOT tested: " << *obstacle;
  }
  // The manifest of a page.
  nlohmann::json manifest(const std::string& name) const {
    const std::string html = folder_.read(name), mark = "id=\"manifest\">";
    const std::size_t begin = html.find(mark) + mark.size();
    return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  }
};

}  // namespace keydrape
