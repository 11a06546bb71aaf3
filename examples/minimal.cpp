// Solves the shot of a scene file and prints how near it came to every target.
#include <cstdio>

#include "control/search/search.h"
#include "core/linear/library_threads.h"
#include "io/shot/shot.h"

int main(int argc, char** argv) {
  using namespace keydrape;
  limit_library_threads();  // for the same bits on every machine
  if (argc != 2) return std::fputs("usage: minimal SCENE.toml\n", stderr), 2;
  try {
    const Shot shot = open_shot(read_scene(argv[1]));
    SearchObserver observer;  // of one's own: to follow the search, and to stop it
    const SearchResult found = search(shot.prepared, shot.options, observer);
    std::printf("%s\n", found.summary.sentence().c_str());
    for (const TargetOutcome& target : found.targets)
      std::printf("target %d: %.3g mm, without control %.3g mm\n", target.number, 1e3 * target.miss.rms,
                  1e3 * target.uncontrolled_rms);
    return found.reached() ? 0 : 4;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 3;
  }
}
