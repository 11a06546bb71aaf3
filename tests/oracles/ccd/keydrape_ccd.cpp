// keydrape_ccd FILE.csv [--kind vf|ee] [--toi]
//
// Runs continuous collision detection on labelled queries (query_file.h) and counts where it is wrong.

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "tests/oracles/ccd/query_file.h"

namespace {

using namespace keydrape;

constexpr const char* kUsage =
    "usage: keydrape_ccd FILE.csv [--kind vf|ee] [--toi]\n"
    "  FILE.csv  labelled queries, eight rows each: the four vertices at time 0, then at time 1. A row holds "
    "the\n"
    "            numerators and denominators of x, y, z (integers, quotients exactly doubles) and the truth "
    "(0 or 1)\n"
    "  --kind    vf: the vertex, then the face's three (default); ee: both ends of one edge, then of the "
    "other\n"
    "  --toi     print the time found for each query, inf where there is none\n"
    "exit code: 0 nothing missed, 1 a contact was missed, 2 usage, 3 bad input\n";

struct Options {
  std::string file;
  bool edges = false;
  bool print_times = false;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--toi") {
      options.print_times = true;
    } else if (argument == "--kind" && i + 1 < argc) {
      const std::string_view kind = argv[++i];
      if (kind != "vf" && kind != "ee") return std::nullopt;
      options.edges = kind == "ee";
    } else if (options.file.empty() && !argument.starts_with('-')) {
      options.file = argument;
    } else {
      return std::nullopt;
    }
  }
  if (options.file.empty()) return std::nullopt;
  return options;
}

int run(const Options& options) {
  std::ifstream in(options.file);
  if (!in) throw InputError(fmt::format("{}: cannot be opened", options.file));
  const std::vector<test::LabelledQuery> queries = test::read_queries(in, options.file);

  std::vector<double> times;
  times.reserve(queries.size());
  const auto start = std::chrono::steady_clock::now();
  for (const test::LabelledQuery& query : queries)
    times.push_back(options.edges ? edge_edge_time_of_impact(query.motion)
                                  : vertex_face_time_of_impact(query.motion));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  int contacts = 0, misses = 0, false_alarms = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    const bool found = times[i] <= 1;
    contacts += queries[i].touches;
    misses += queries[i].touches && !found;
    false_alarms += !queries[i].touches && found;
    if (options.print_times) fmt::print("{} {}\n", i, times[i]);
  }
  fmt::print("queries {}\ncontacts {}\nmisses {}\nfalse_alarms {}\ntime_s {:.6f}\ntime_per_query_us {:.3f}\n",
             queries.size(), contacts, misses, false_alarms, elapsed.count(),
             queries.empty() ? 0.0 : 1e6 * elapsed.count() / static_cast<double>(queries.size()));
  return misses == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = parse(argc, argv);
  if (!options) {
    std::cerr << kUsage;
    return 2;
  }
  try {
    return run(*options);
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return 3;
  }
}
