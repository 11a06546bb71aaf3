#include "io/shot/doubt/surface_fit.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "control/goal/target_surface.h"
#include "io/file/short_number.h"

namespace keydrape {
namespace {

// Of the size of the cloth that is to lie on it: a surface that is larger or smaller by more than this has
// another unit, such as inches, of which a metre has 39.
constexpr double kOtherUnit = 10.0;
// Farther from the cloth than so much of the cloth's size, and nearer by this factor once it is turned.
constexpr double kFarAway = 0.5, kNearer = 0.25;
// Of the weight of the cloth: what faces the surface's backs.
constexpr double kTurnedOver = 0.9;

class SurfaceFit {
 public:
  SurfaceFit(const Keyframe& keyframe, const TriangleMesh& rest, const VecX& start, UpAxis up)
      : surface_(*keyframe.surface), weight_(keyframe.vertex_weight), start_(start), up_(up) {
    std::vector<Vec3> drawn;
    for (int i = 0; i < weight_.size(); ++i)
      if (weight_(i) > 0.0) drawn.push_back(rest.positions[i]);
    size_ = bounding_box_diagonal(drawn);
    whole_ = bounding_box_diagonal(rest.positions);
  }

  // What is doubtful, without the file's name; empty: nothing.
  std::string doubt() const {
    const double size = bounding_box_diagonal(surface_.mesh().positions);
    if (size_ > 0.0 && size > 0.0 && (size > kOtherUnit * whole_ || size_ > kOtherUnit * size))
      return fmt::format(
          "measures {} m across, the cloth that is to lie on it {} m; expected about as much: is "
          "it in the unit of the rest mesh?",
          short_number(size), short_number(size_));
    if (const std::string axis = axis_doubt(); !axis.empty()) return axis;
    return side_doubt();
  }

 private:
  // RMS, of the cloth at the first frame, with the surface turned by `turn` [m].
  double distance(const Mat3& turn) const {
    const Eigen::Index n = weight_.size();
    const VecX turned = (turn.transpose() * start_.reshaped(3, n)).reshaped();
    const VecX points = surface_.match(turned).points;
    const VecX squares = (points - turned).reshaped(3, n).colwise().squaredNorm().transpose();
    return std::sqrt(squares.dot(weight_) / weight_.sum());
  }

  std::string axis_doubt() const {
    const double off = distance(Mat3::Identity());
    if (!(off > kFarAway * size_)) return {};
    const Mat3 turn = Eigen::AngleAxisd(0.5 * EIGEN_PI, Vec3::UnitX()).toRotationMatrix();
    const double nearest = std::min(distance(turn), distance(turn.transpose()));
    if (!(nearest < kNearer * off)) return {};
    return fmt::format(
        "is {} m from the cloth, and would be {} m from it with {} up, not {}; expected the axes of the rest "
        "mesh: export both alike, unless the cloth is to turn so",
        short_number(off), short_number(nearest), up_ == UpAxis::kY ? "Z" : "Y",
        up_ == UpAxis::kY ? "Y" : "Z");
  }

  std::string side_doubt() const {
    const double share = surface_.share_turned_away(start_, weight_);
    if (!(share > kTurnedOver)) return {};
    return fmt::format(
        "has its triangles turned away from {:.0f} % of the cloth by more than max_angle = {} degrees, at "
        "the "
        "first frame, and these do not count where others do; flip its normals, unless the cloth is to turn "
        "over, or set max_angle = 180",
        100.0 * share, short_number(surface_.max_angle() * 180.0 / EIGEN_PI));
  }

  const TargetSurface& surface_;
  const VecX& weight_;
  const VecX& start_;
  UpAxis up_;
  double size_, whole_;  // of the cloth with weight, and of all, at rest [m]
};

}  // namespace

std::string doubt_about_surface(const Keyframe& keyframe, const TriangleMesh& rest, const VecX& start,
                                UpAxis up) {
  return SurfaceFit(keyframe, rest, start, up).doubt();
}

}  // namespace keydrape
