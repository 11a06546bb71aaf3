#include "io/run/contact_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "io/formats/npy.h"
#include "io/run/run_cache.h"
#include "io/take/shown_numbers.h"

namespace keydrape {
namespace {

constexpr std::int64_t kColumns = 8;

[[noreturn]] void refuse_contacts(const std::filesystem::path& file, const std::string& found) {
  throw InputError(fmt::format("{}: {}; expected the rows that a run writes there; run the scene again",
                               file.string(), found));
}

}  // namespace

void write_contacts(const Shot& shot, const Trajectory& trajectory, const RunFolder& folder) {
  if (!shot.model().touchable().any()) return;
  NpyWriter writer(folder / kContactFile, {kColumns});
  PairSearch search;
  for (int f = 0; f < complete_frame_count(shot, trajectory); ++f) {
    const int n = f * shot.clock.substeps;
    const auto pairs = touching_pairs(shot.model(), trajectory.states[n], n * shot.clock.dt(), search);
    VecX rows(kColumns * static_cast<Eigen::Index>(pairs.size()));
    for (std::size_t k = 0; k < pairs.size(); ++k)
      rows.segment<kColumns>(kColumns * static_cast<Eigen::Index>(k)) << shot.clock.frames.first + f,
          pairs[k].with == TouchingPair::With::kBody ? 1.0 : 0.0, pairs[k].on_cloth, pairs[k].opposite;
    writer.append(rows);
  }
  writer.commit();
}

std::vector<std::vector<TouchingPair>> read_contacts(const std::filesystem::path& file,
                                                     const FrameRange& frames) {
  if (!std::filesystem::exists(file)) return {};
  const NpyArray array = read_npy(file);
  if (array.shape.size() != 2 || array.shape[1] != kColumns)
    refuse_contacts(file, fmt::format("has shape ({})", fmt::join(array.shape, ", ")));
  refuse_large(file, array.values);
  std::vector<std::vector<TouchingPair>> contacts(frames.count());
  int last = frames.first;
  for (std::int64_t k = 0; k < array.shape[0]; ++k) {
    const auto row = array.values.segment<kColumns>(kColumns * k);
    if (row[0] < last || row[0] > frames.last || row[0] != static_cast<int>(row[0]) ||
        (row[1] != 0.0 && row[1] != 1.0))
      refuse_contacts(file, fmt::format("row {} says frame {} and {}", k, row[0], row[1]));
    last = static_cast<int>(row[0]);
    contacts[last - frames.first].push_back(
        {row[1] == 1.0 ? TouchingPair::With::kBody : TouchingPair::With::kLayer, row.segment<3>(2),
         row.segment<3>(5)});
  }
  return contacts;
}

}  // namespace keydrape
