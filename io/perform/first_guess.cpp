#include "io/perform/first_guess.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/file/file.h"
#include "io/file/json_text.h"

namespace keydrape {
namespace {

constexpr std::string_view kGuessFiles[] = {"first_guess.json", "first_guess.npy"};

void copy_whole(const std::filesystem::path& from, const std::filesystem::path& to) {
  InputFile source(from);
  AtomicFile copy(to);
  std::vector<char> bytes(std::size_t{1} << 20);
  for (std::uint64_t left = source.size(); left > 0;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size()));
    source.read(bytes.data(), count);
    copy.append(bytes.data(), count);
    left -= count;
  }
  copy.commit();
}

}  // namespace

void begin_with_first_guess(const RunFolder& folder) {
  const std::filesystem::path file = folder / kCheckpointFiles[0];
  const std::string values = parse_json(read_file(file)).at("values");
  copy_whole(folder / values, folder / kGuessFiles[1]);
  copy_whole(file, folder / kGuessFiles[0]);
  std::vector<std::string_view> kept(std::begin(kCheckpointFiles), std::end(kCheckpointFiles));
  kept.insert(kept.end(), std::begin(kGuessFiles), std::end(kGuessFiles));
  folder.empty_but(kept);
}

std::optional<SavedRun> read_first_guess(const RunFolder& folder, const SceneFingerprint& scene,
                                         const Shot& shot) {
  const std::filesystem::path file = folder / kGuessFiles[0];
  if (!std::filesystem::exists(file)) return {};
  Checkpoint guess = read_checkpoint(file, folder / kGuessFiles[1], scene, shot, CheckpointOf::kAnyScene);
  return std::move(guess.search).forces();
}

void remove_first_guess(const RunFolder& folder) { folder.drop(kGuessFiles); }

}  // namespace keydrape
