#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace keydrape {

// In a folder of results: the cloth at every frame and after every time step; the forces of every frame and,
// where they change within frames, of every time step; the values of the channels.
inline constexpr std::string_view kPositionsFile = "positions.npy";
inline constexpr std::string_view kStepsFile = "steps.npy";
inline constexpr std::string_view kForcesFile = "forces.npy";
inline constexpr std::string_view kForcesOfStepsFile = "forces_steps.npy";
inline constexpr std::string_view kChannelsFile = "channels.json";

// forces_steps.npy or forces.npy in it; empty: the run had none.
std::filesystem::path forces_of_take(const std::filesystem::path& folder);

// What lies beside a take's forces and belongs to it, as far as it is there: channels.json,
// forces_steps.npy, steps.npy.
std::vector<std::filesystem::path> files_beside_forces(const std::filesystem::path& forces);

}  // namespace keydrape
