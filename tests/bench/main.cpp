// keydrape_bench: how fast, and how far for how much. Run it from the root of the repository.

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/linear/library_threads.h"
#include "tests/bench/benchmarks.h"

namespace keydrape::bench {
namespace {

constexpr const char* kUsage =
    "usage: keydrape_bench [step] [drape] [draft] [contact] [rounds] [gradient] [solve] [memory] [headline]\n"
    "                      [reach] [bending] [--json FILE] [--quick] [--scene SCENE.toml]... [--evaluations "
    "N] [--threads N]\n"
    "                      [--vertices N]...\n"
    "Without names: step and gradient. --scene: for solve and memory; default examples/flag/flag.toml.\n"
    "--evaluations: forward simulations that L-BFGS may spend; default 150. --threads: default 1, since "
    "others\n"
    "of a shared machine would be measured too. --vertices: of the sheets of rounds; default 1024, 2500 and "
    "10000.\n";

struct Benchmark {
  std::string_view name;
  Table (*run)(const BenchOptions&);
};
constexpr Benchmark kBenchmarks[] = {
    {"step", bench_step},         {"gradient", bench_gradient}, {"drape", bench_drape},
    {"draft", bench_draft},       {"solve", bench_solve},       {"memory", bench_memory},
    {"headline", bench_headline}, {"reach", bench_reach},       {"contact", bench_contact},
    {"rounds", bench_rounds},     {"bending", bench_bending}};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::vector<Benchmark> benchmarks;
  BenchOptions options;
  std::string json;  // file; empty: none
  int threads = 1;
};

int positive_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    throw UsageError(fmt::format("found '{}'; expected a number from 1", text));
  return number;
}

Arguments parse(const std::vector<std::string_view>& words) {
  Arguments arguments;
  std::vector<std::filesystem::path> scenes;
  std::vector<int> vertices;
  for (size_t k = 0; k < words.size(); ++k) {
    const std::string_view word = words[k];
    const auto value = [&] {
      if (++k == words.size()) throw UsageError(fmt::format("{} needs a value", word));
      return words[k];
    };
    const auto* named = std::find_if(std::begin(kBenchmarks), std::end(kBenchmarks),
                                     [&](const Benchmark& benchmark) { return benchmark.name == word; });
    if (named != std::end(kBenchmarks))
      arguments.benchmarks.push_back(*named);
    else if (word == "--quick")
      arguments.options.quick = true;
    else if (word == "--json")
      arguments.json = value();
    else if (word == "--scene")
      scenes.emplace_back(value());
    else if (word == "--evaluations")
      arguments.options.lbfgs_evaluations = positive_number(value());
    else if (word == "--vertices")
      vertices.push_back(positive_number(value()));
    else if (word == "--threads")
      arguments.threads = positive_number(value());
    else
      throw UsageError(fmt::format("unknown argument '{}'", word));
  }
  if (!scenes.empty()) arguments.options.scenes = std::move(scenes);
  if (!vertices.empty()) arguments.options.vertices = std::move(vertices);
  if (arguments.benchmarks.empty()) arguments.benchmarks = {kBenchmarks[0], kBenchmarks[1]};
  return arguments;
}

void run(const Arguments& arguments) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(arguments.threads));
  nlohmann::ordered_json results;
  for (const Benchmark& benchmark : arguments.benchmarks) {
    const Table table = benchmark.run(arguments.options);
    print(table);
    results[table.name] = to_json(table);
  }
  if (arguments.json.empty()) return;
  std::ofstream file(arguments.json);
  file << results.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", arguments.json));
}

}  // namespace
}  // namespace keydrape::bench

int main(int argc, char** argv) {
  using namespace keydrape::bench;
  keydrape::limit_library_threads();
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const UsageError& error) {
    fmt::print(stderr, "{}\n{}", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
