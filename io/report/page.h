#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/report/run.h"

// report.html: one file that opens from disk in any browser of 2023 or later, without a network. Its page
// (player, plots, tables; io/report/README.md) is built from JavaScript with Node; the data of the runs goes
// into two places:
//
//   <script id="manifest">  JSON: names, figures, logs, and where in the buffer each array stands
//   <script id="buffer">    base64 of the deflated arrays: 16-bit and 32-bit numbers, and motion as in
//                           motion_code.h

namespace keydrape {

// Why this program cannot write reports and how to mend it; none: it can.
std::optional<std::string> report_obstacle();

// The whole page, for a file. Requires one run or more. Throws InputError where
// `report_obstacle` speaks, OutputError.
std::string report_html(const std::vector<ReportRun>& runs);

// The page of a stage (io/play): the same data of one run, of which the first take's first frame is shown
// until the stage sends others. Throws as report_html.
std::string play_html(const ReportRun& run);

// Whether a file is a page of report_html.
bool is_report_page(const std::filesystem::path& file);

// Throws InputError with this remedy where a file is there that is no page of report_html: nothing else is
// lost to a page.
void refuse_to_replace_other_file(const std::filesystem::path& file, std::string_view remedy);

// The same page as the given version, which asks the server that it comes from (live_server.h)
// for newer ones.
std::string live_html(std::string html, int version);

}  // namespace keydrape
