#include <cmath>

#include "io/formats/file_summary.h"
#include "io/formats/npy.h"
#include "io/formats/pc2.h"
#include "io/formats/read_cache.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/sound.h"

namespace keydrape::fuzz {
namespace {

void read_as_cache(const std::filesystem::path& file) {
  expect_answer([&] {
    std::vector<std::string> warnings;
    MeshCache cache = read_cache(file, {.warnings = &warnings});
    expect_sound(cache);
  });
}

void summarize(const char* name, std::string_view bytes) {
  const auto file = input_folder().write(name, bytes);
  expect_answer([&] {
    const FileSummary summary = summarize_file(file);
    expect(summary.vertices >= 0 && summary.triangles >= 0 && summary.frames >= 1,
           "a summary of fewer than none");
    expect(!summary.fps || (std::isfinite(*summary.fps) && *summary.fps > 0), "a summary of no frame rate");
  });
}

}  // namespace

void run_pc2(std::string_view bytes) {
  const auto file = input_folder().write("a.pc2", bytes);
  read_as_cache(file);
  expect_answer([&] {
    const PointCache cache = read_pc2(file);
    const auto again = input_folder() / "again.pc2";
    Pc2Writer writer(again, {cache.point_count, cache.start, cache.rate});
    for (const VecX& sample : cache.samples) writer.append(sample);
    writer.commit();
    expect(read_pc2(again).samples == cache.samples, "a PC2 that is written reads otherwise");
  });
}

void run_mdd(std::string_view bytes) { read_as_cache(input_folder().write("a.mdd", bytes)); }

void run_npy(std::string_view bytes) {
  const auto file = input_folder().write("a.npy", bytes);
  read_as_cache(file);
  expect_answer([&] {
    const NpyArray array = read_npy(file);
    const auto again = input_folder() / "again.npy";
    write_npy(again, array);
    const NpyArray other = read_npy(again);
    expect(other.shape == array.shape && other.values == array.values,
           "a NPY that is written reads otherwise");
  });
}

void run_sequence(std::string_view bytes) {
  input_folder().write_parts(bytes, {"s.0001.obj", "s.0002.obj", "s.0003.obj", "s.0001.ply", "s.0002.ply"});
  read_as_cache(input_folder() / "s.####.obj");
  read_as_cache(input_folder() / "s.####.ply");
}

void run_glb(std::string_view bytes) { summarize("a.glb", bytes); }

void run_vtp(std::string_view bytes) {
  summarize("a.vtp", bytes);
  summarize("a.pvd", bytes);  // names a.vtp, where the bytes are such a list
}

}  // namespace keydrape::fuzz
