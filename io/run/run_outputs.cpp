#include "io/run/run_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "io/file/json_lines.h"
#include "io/formats/npy.h"
#include "io/formats/obj_sequence.h"
#include "io/formats/pc2.h"
#include "io/formats/write_cache.h"
#include "io/run/run_cache.h"
#include "io/run/run_records.h"
#include "io/take/recorded_forces.h"
#include "io/take/take_files.h"

namespace keydrape {
namespace {

bool wants(const Scene& scene, scene::CacheFormat format) {
  const auto& caches = scene.output.caches;
  return std::find(caches.begin(), caches.end(), format) != caches.end();
}

const VecX& positions_at(const Shot& shot, const Trajectory& trajectory, int frame_index) {
  return trajectory.states[static_cast<std::size_t>(frame_index) * shot.clock.substeps].x;
}

void write_positions(const Shot& shot, const Trajectory& trajectory, const std::filesystem::path& path) {
  NpyWriter writer(path, {shot.rest().vertex_count(), 3});
  for (int f = 0; f < complete_frame_count(shot, trajectory); ++f)
    writer.append(positions_at(shot, trajectory, f));
  writer.commit();
}

void write_obj_sequence(const Scene& scene, const Shot& shot, const Trajectory& trajectory,
                        const RunFolder& folder) {
  const std::filesystem::path obj_folder = folder.subfolder("obj");
  TriangleMesh mesh = shot.rest();
  for (int f = 0; f < complete_frame_count(shot, trajectory); ++f) {
    const VecX x = positions_at(shot, trajectory, f) / shot.meters_per_unit;
    for (int i = 0; i < mesh.vertex_count(); ++i) mesh.positions[i] = x.segment<3>(3 * i);
    write_obj_frame(obj_folder, scene.shot.name, shot.clock.frames.first + f, mesh);
  }
}

// The others: a file, and the fields that stand in it.
void write_cache(const Scene& scene, const Run& run, const std::filesystem::path& path,
                 const std::vector<std::string>& fields) {
  const RunCache cache(scene, run, fields);
  const std::unique_ptr<CacheWriter> writer = open_cache_writer(path, cache.header());
  for (int f = 0; f < cache.header().frame_count; ++f) writer->append(cache.frame(f));
  writer->commit();
}

void write_caches_with_fields(const Scene& scene, const Run& run, const RunFolder& folder,
                              std::string_view name) {
  if (wants(scene, scene::CacheFormat::kMdd))
    write_cache(scene, run, folder / fmt::format("{}.mdd", name), {});
  if (wants(scene, scene::CacheFormat::kGlb))
    write_cache(scene, run, folder / fmt::format("{}.glb", name), {});
  if (wants(scene, scene::CacheFormat::kUsda))
    write_cache(scene, run, folder / fmt::format("{}.usda", name), {kVelocityField, "miss", "force"});
  if (wants(scene, scene::CacheFormat::kPly))
    write_cache(scene, run, folder.subfolder("ply") / fmt::format("{}.####.ply", name), {"miss", "force"});
  if (!wants(scene, scene::CacheFormat::kVtp)) return;
  std::vector<std::string> fields = {kVelocityField, "miss", "force", "acceleration"};
  // Springs store nothing by triangle.
  if (run.shot.task().cloth.model != ClothModel::kSprings) fields.emplace_back("energy_density");
  write_cache(scene, run, folder / fmt::format("{}.pvd", name), fields);
}

// What this run wrote before it was resumed with other caches is of another state than what it writes now.
void drop_other_caches(const Scene& scene, const RunFolder& folder, const std::string& name) {
  using scene::CacheFormat;
  const std::pair<CacheFormat, std::string> files[] = {{CacheFormat::kPc2, name + ".pc2"},
                                                       {CacheFormat::kPc2, "uncontrolled.pc2"},
                                                       {CacheFormat::kMdd, name + ".mdd"},
                                                       {CacheFormat::kGlb, name + ".glb"},
                                                       {CacheFormat::kUsda, name + ".usda"},
                                                       {CacheFormat::kVtp, name + ".pvd"},
                                                       {CacheFormat::kNpy, std::string(kPositionsFile)}};
  const std::pair<CacheFormat, std::string> folders[] = {
      {CacheFormat::kObj, "obj"}, {CacheFormat::kPly, "ply"}, {CacheFormat::kVtp, name + "_vtp"}};
  for (const auto& [format, file] : files)
    if (!wants(scene, format)) folder.drop(std::array{std::string_view(file)});
  for (const auto& [format, inner] : folders)
    if (!wants(scene, format)) folder.drop_sequence(inner);
}

void write_forces_of_steps(const Shot& shot, const ForceSchedule& forces, const std::filesystem::path& path) {
  NpyWriter writer(path, {shot.rest().vertex_count(), 3});
  VecX u(shot.start().x.size());
  for (int n = 0; n < shot.clock.step_count(); ++n) {
    forces.force(n, u);
    writer.append(u);
  }
  writer.commit();
}

}  // namespace

void write_pc2(const Shot& shot, const Trajectory& trajectory, const std::filesystem::path& path) {
  Pc2Writer writer(path, {shot.rest().vertex_count(), static_cast<double>(shot.clock.frames.first), 1.0});
  for (int f = 0; f < complete_frame_count(shot, trajectory); ++f)
    writer.append(positions_at(shot, trajectory, f) / shot.meters_per_unit);
  writer.commit();
}

void write_uncontrolled(const Scene& scene, const Shot& shot, const Trajectory& trajectory,
                        const RunFolder& folder) {
  if (wants(scene, scene::CacheFormat::kPc2)) write_pc2(shot, trajectory, folder / "uncontrolled.pc2");
}

void write_cloth(const Scene& scene, const Run& run, const RunFolder& folder, std::string_view name) {
  const auto& [shot, trajectory, forces] = run;
  if (wants(scene, scene::CacheFormat::kPc2))
    write_pc2(shot, trajectory, folder / fmt::format("{}.pc2", name));
  if (wants(scene, scene::CacheFormat::kNpy)) write_positions(shot, trajectory, folder / kPositionsFile);
  if (wants(scene, scene::CacheFormat::kObj)) write_obj_sequence(scene, shot, trajectory, folder);
  write_caches_with_fields(scene, run, folder, name);
  drop_other_caches(scene, folder, std::string(name));
}

void write_every_step(bool is_asked_for, const Shot& shot, const Trajectory& trajectory,
                      const RunFolder& folder) {
  if (!is_asked_for) return folder.drop(std::array{kStepsFile});
  NpyWriter writer(folder / kStepsFile, {shot.rest().vertex_count(), 3});
  for (int n = 0; n <= trajectory.first_failure(); ++n) writer.append(trajectory.states[n].x);
  writer.commit();
}

void write_steps_log(const Shot& shot, const Trajectory& trajectory, const RunFolder& folder) {
  std::string lines;
  PairSearch search;
  for (int n = 0; n < trajectory.step_count(); ++n) lines += step_line(shot, trajectory, n, search) + "\n";
  write_file_atomically(folder / "steps.jsonl", lines);
}

// Whether they are not their means over the frames.
bool change_within_frames(const Shot& shot, const ForceSchedule& forces) {
  VecX before = VecX::Zero(3 * shot.rest().vertex_count()), u = before;
  for (int n = 0; n < shot.clock.step_count(); ++n) {
    forces.force(n, u);
    if (shot.clock.substep_of_step(n) > 1 && u != before) return true;
    std::swap(before, u);
  }
  return false;
}

void write_forces(const Scene& scene, const Shot& shot, const ForceSchedule& forces,
                  const RunFolder& folder) {
  NpyWriter writer(folder / kForcesFile, {shot.rest().vertex_count(), 3});
  for (int f = 0; f < shot.clock.frames.count(); ++f)
    writer.append(mean_force(forces, shot.clock, shot.rest().vertex_count(), f));
  writer.commit();
  if (scene.control.hold == scene::Hold::kStep || change_within_frames(shot, forces))
    write_forces_of_steps(shot, forces, folder / kForcesOfStepsFile);
}

}  // namespace keydrape
