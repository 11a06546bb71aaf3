#include "tests/fuzz/target.h"

#include <algorithm>

#include "tests/fuzz/readers.h"
#include "tests/fuzz/repair.h"

namespace keydrape::fuzz {
namespace {

constexpr Target kTargets[] = {
    {"obj", run_obj},
    {"ply", run_ply},
    {"usda", run_usda},
    {"pc2", run_pc2, repair_pc2},
    {"mdd", run_mdd, repair_mdd},
    {"npy", run_npy, repair_npy},
    {"sequence", run_sequence, repair_parts},
    {"glb", run_glb, repair_glb},
    {"vtp", run_vtp},
    {"weights", run_weights},
    {"curve", run_curve},
    {"scene", run_scene},
    {"shot", run_shot, repair_parts},
    {"take", run_take, repair_parts},
    {"results", run_results, repair_parts},
    {"checkpoint", run_checkpoint, repair_parts},
    {"queries", run_queries},
    {"live", run_live},
    {"stage", run_stage},
    {"vdb", run_vdb},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto found = std::find_if(std::begin(kTargets), std::end(kTargets),
                                  [&](const Target& target) { return target.name == name; });
  return found == std::end(kTargets) ? nullptr : found;
}

}  // namespace keydrape::fuzz
