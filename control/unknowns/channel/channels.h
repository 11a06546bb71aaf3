#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/unknowns/channel/channel.h"
#include "core/step/drape.h"
#include "core/step/simulator.h"

namespace keydrape {

// What a run is made with, where channels change it.
struct ClothVariant {
  std::unique_ptr<Model> model;          // null, as the simulator: that of the scene
  std::unique_ptr<Simulator> simulator;  // of this model
  State start;
  // How it came to rest at its start, where that is a drape and the cloth is not the scene's; none: it did
  // not have to. Not settled: there is no start, and no run.
  std::optional<DrapeRounds> drape{};
  bool is_possible = true;  // else there is no such cloth: the rest is the scene's, and there is no run

  bool has_start() const { return is_possible && (!drape || drape->is_settled); }
};

// All channels of a scene, and the scene that they change. A point of the search has cloth of its own, built
// from the description: next to a forward run that costs little, and nothing has to remember what it was.
class Channels {
 public:
  // `cloth`: the description of the scene's model; its contact keeps the numbers that follow from the
  // material here. Requires at least one channel.
  // `drape`: how the start came to rest; other cloth comes to rest elsewhere, and starts there (C6). None:
  // all cloth starts where `start` says.
  Channels(std::vector<std::unique_ptr<Channel>> channels, ClothDescription cloth, State start,
           const SimulatorOptions& options, std::optional<DrapeOptions> drape = {});

  // From now on c = 0 stands for these values, one vector for each channel.
  void start_from(const std::vector<VecX>& values);

  const std::vector<std::unique_ptr<Channel>>& list() const { return channels_; }
  int size() const { return size_; }  // unknowns of all channels, one after the other
  bool start_is_draped() const { return drape_.has_value(); }

  // One vector for each channel, from unknowns or to be applied.
  std::vector<VecX> split(const VecX& c) const;
  std::vector<VecX> values(const VecX& c) const;
  // The least that stretch_scale comes to with the given values, along warp or weft, at any time: there is no
  // cloth where that is 0 or less.
  double least_stretch_scale(const std::vector<VecX>& values) const;
  // The scene with the given values, one vector for each channel. Throws InputError as build_model does.
  ClothVariant variant(const std::vector<VecX>& values) const;

 private:
  std::vector<std::unique_ptr<Channel>> channels_;
  ClothDescription cloth_;
  State start_;
  SimulatorOptions options_;
  std::optional<DrapeOptions> drape_;
  int size_ = 0;
};

}  // namespace keydrape
