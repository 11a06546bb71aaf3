#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/goal/target_surface.h"
#include "io/run/recorded_body.h"
#include "io/run/run_folder.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

// What a run was asked to do, kept beside its results in DIR/shot: enough to look at them when the scene's
// own files have moved on. Lengths in metres, whatever the unit of those files.
//
//   scene.toml              the scene as it was read, byte for byte
//   rest.obj                the cloth
//   mass.npy                (n)        [kg]
//   keyframes.npy           (K, n, 3)  targets [m], in the order of shot.json's list; absent where K = 0
//   keyframe_weights.npy    (K, n)     painted weights; likewise
//   target_K.obj            the surface that keyframe K of that list asks for, K from 0; of other topology
//                           than the cloth
//   collider_K.npy          where body K of shot.json's list goes; recorded_body.h
//   shot.json               name, frames, fps, substeps, up axis, keyframes, controlled vertices, colliders,
//                           warnings

namespace keydrape {

// Throws OutputError. Each file appears whole or not at all, shot.json last.
void write_shot_record(const Scene& scene, const Shot& shot, const RunFolder& folder);

// What a keyframe's targets are: positions of the whole cloth, by themselves or as a frame of a track,
// nearest points on a surface, or positions of some vertices.
enum class TargetKind { kPose, kTrack, kSurface, kLandmarks };
std::string_view word(TargetKind kind);

struct RecordedKeyframe {
  int frame = 0;
  std::optional<double> tolerance{};           // on the RMS distance [m]
  std::optional<double> velocity_tolerance{};  // on that of velocities [m/s]
  std::optional<double> tolerance_max{};       // on the farthest vertex [m]
  Keyframe goal{};                             // positions and painted weights; no velocities
  TargetKind kind = TargetKind::kPose;
  std::optional<FrameRange> track{};               // of the track that it is a frame of
  std::optional<FrameRange> window{};              // of the frames among which `frame` was chosen
  std::shared_ptr<const TargetSurface> surface{};  // null unless the kind is kSurface; the goal refers to it
};

struct ShotRecord {
  std::string name;
  FrameRange frames;
  double fps;
  int substeps;
  double meters_per_unit;  // of the folder's PC2 and OBJ files
  std::string up_axis;     // "Y" or "Z"
  std::string scene_text;  // scene.toml
  TriangleMesh rest;       // [m]
  VecX mass;               // [kg] (n)
  std::vector<RecordedKeyframe> keyframes;
  std::vector<int> controlled;        // vertices that control forces may push, ascending
  std::vector<RecordedBody> bodies;   // of [[collider]], in the scene's order
  std::vector<std::string> warnings;  // about the scene's files
};

// The same without a folder.
ShotRecord shot_record(const Scene& scene, const Shot& shot);

// Throws InputError: the folder holds no such record, or one whose parts do not fit each other.
ShotRecord read_shot_record(const std::filesystem::path& folder);

}  // namespace keydrape
