#pragma once

#include <string_view>

// What each target reads (target.h).

namespace keydrape::fuzz {

// Meshes. What is read is sound, and what is written of it reads as the same.
void run_obj(std::string_view bytes);
void run_ply(std::string_view bytes);
void run_usda(std::string_view bytes);

// Caches; `sequence` is parts (parts.h) "a.0001.obj" to "a.0003.ply".
void run_pc2(std::string_view bytes);
void run_mdd(std::string_view bytes);
void run_npy(std::string_view bytes);
void run_sequence(std::string_view bytes);

// What `info` says about files that are only written.
void run_glb(std::string_view bytes);
void run_vtp(std::string_view bytes);

// Vertex weights; curves of fabrics.
void run_weights(std::string_view bytes);
void run_curve(std::string_view bytes);

// A scene file alone; and the parts "shot.toml" and files that it may name, up to a task that is built.
void run_scene(std::string_view bytes);
void run_shot(std::string_view bytes);

// Parts of a folder of results: as a take for a shot, as a report shows them, and as `--resume` goes on.
void run_take(std::string_view bytes);
void run_results(std::string_view bytes);
void run_checkpoint(std::string_view bytes);

// Queries of continuous collision detection (tests/oracles/ccd).
void run_queries(std::string_view bytes);

// A request to the server of `--live`, over its socket.
void run_live(std::string_view bytes);
// What a page says to a stage: a command, and what comes over a socket that is open.
void run_stage(std::string_view bytes);

// A level set, in the child that reads it.
void run_vdb(std::string_view bytes);

}  // namespace keydrape::fuzz
