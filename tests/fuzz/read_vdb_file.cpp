#include "io/formats/vdb/vdb_file.h"
#include "io/formats/vdb/vdb_info.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"

namespace keydrape::fuzz {

void run_vdb(std::string_view bytes) {
  constexpr double kBand = 0.04;  // [m]
  const VdbReference reference = VdbReference::parse(input_folder().write("a.vdb", bytes).string());
  expect_answer([&] { expect(read_vdb(reference, {.band = kBand}) != nullptr, "no level set"); });
  expect_answer([&] { read_vdb_info(reference); });
}

}  // namespace keydrape::fuzz
