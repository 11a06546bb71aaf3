#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/cache/frame_range.h"
#include "io/formats/usda/usda_layer.h"

// What the attributes of a Mesh are in each frame of a cache. Between two samples values are linear, as USD
// has it: exporters leave out frames in which nothing moves. Before the first sample and behind the last one
// they are held, over the frames that the layer says it has (startTimeCode to endTimeCode).

namespace keydrape::usda {

inline constexpr const char* kExportAgain = "export the mesh again, as one mesh of polygons";

class FrameReader {
 public:
  explicit FrameReader(const Layer& layer);  // outlives this

  // The positions in each frame; range() is those frames from then on. Points without samples, or
  // with one, are one frame. Throws InputError: times between frames, samples of different lengths, frames
  // between samples beyond all memory.
  std::vector<VecX> read_points(const Attribute& points);
  const FrameRange& range() const { return range_; }

  // Whether an attribute has samples over the frames of the points, held as those are.
  bool is_sampled_like_points(const Attribute& attribute) const;
  // Such an attribute, in each frame of range(). Empty: frames without a sample would take too much memory.
  // Throws InputError, as read_points().
  std::vector<VecX> read(const Attribute& attribute, int components);
  // Whether so many numbers more may be made up than the file has; counts them if so.
  bool may_fill(double count);

  // Sentences about frames without a sample.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  int whole_frame(double time, Place place) const;
  VecX values(const Attribute& attribute, Place place, int components) const;
  std::vector<VecX> read_samples(const Attribute& attribute, int components);
  void hold(std::vector<VecX>& frames, int first) const;

  const Layer& layer_;
  std::optional<FrameRange> time_codes_;  // of the layer, that frames are held over
  FrameRange range_{};
  double filled_ = 0.0;  // numbers in frames without a sample
  bool has_gaps_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace keydrape::usda
