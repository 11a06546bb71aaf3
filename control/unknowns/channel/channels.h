#pragma once

#include <memory>
#include <vector>

#include "control/unknowns/channel/channel.h"
#include "core/step/simulator.h"

namespace keydrape {

// What a run is made with, where channels change it.
struct ClothVariant {
  std::unique_ptr<Model> model;          // null, as the simulator: that of the scene
  std::unique_ptr<Simulator> simulator;  // of this model
  State start;
};

// All channels of a scene, and the scene that they change. A point of the search has cloth of its own, built
// from the description: next to a forward run that costs little, and nothing has to remember what it was.
class Channels {
 public:
  // `cloth`: the description of the scene's model; its contact keeps the numbers that follow from the
  // material here. Requires at least one channel.
  Channels(std::vector<std::unique_ptr<Channel>> channels, ClothDescription cloth, State start,
           const SimulatorOptions& options);

  // From now on c = 0 stands for these values, one vector for each channel.
  void start_from(const std::vector<VecX>& values);

  const std::vector<std::unique_ptr<Channel>>& list() const { return channels_; }
  int size() const { return size_; }  // unknowns of all channels, one after the other

  // One vector for each channel, from unknowns or to be applied.
  std::vector<VecX> split(const VecX& c) const;
  std::vector<VecX> values(const VecX& c) const;
  // The scene with the given values, one vector for each channel. Throws InputError as build_model does.
  ClothVariant variant(const std::vector<VecX>& values) const;

 private:
  std::vector<std::unique_ptr<Channel>> channels_;
  ClothDescription cloth_;
  State start_;
  SimulatorOptions options_;
  int size_ = 0;
};

}  // namespace keydrape
