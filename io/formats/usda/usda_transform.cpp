#include "io/formats/usda/usda_transform.h"

#include <fmt/format.h>

namespace keydrape::usda {
namespace {

constexpr const char* kApply = "apply (bake) the transform to the points and export again";

// The op's value, which must not change.
VecX still_value(const Layer& layer, const Attribute& op) {
  if (op.samples.empty()) {
    if (!op.value) layer.fail(op.place, fmt::format("{} without a value", op.name), "a value", kApply);
    return layer.tuple(*op.value);
  }
  VecX first = layer.tuple(op.samples.front().value);
  for (const Sample& sample : op.samples) {
    if (const VecX value = layer.tuple(sample.value); value.size() != first.size() || value != first)
      layer.fail(sample.value, fmt::format("{} moves", op.name), "a transform that does not change", kApply);
  }
  return first;
}

VecX sized(const Layer& layer, const Attribute& op, Eigen::Index size) {
  VecX value = still_value(layer, op);
  if (value.size() != size) {
    layer.fail(op.place, fmt::format("{} with {} numbers", op.name, value.size()), fmt::format("{}", size),
               "correct this line or export again");
  }
  return value;
}

Eigen::Affine3d rotation(double degrees, const Vec3& axis) {
  return Eigen::Affine3d(Eigen::AngleAxisd(degrees * EIGEN_PI / 180.0, axis));
}

Eigen::Affine3d transform_of(const Layer& layer, const Attribute& op) {
  // "xformOp:translate:pivot" is a translate.
  std::string kind = op.name.substr(std::string("xformOp:").size());
  kind = kind.substr(0, kind.find(':'));
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  if (kind == "transform") {  // rows act on row vectors: the transpose of ours
    const VecX m = sized(layer, op, 16);
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column) transform.matrix()(column, row) = m[4 * row + column];
    if (!transform.matrix().row(3).isApprox(Eigen::RowVector4d(0, 0, 0, 1)))
      layer.fail(op.place, "a projective transform", "0, 0, 0, 1 in the last column", kApply);
  } else if (kind == "translate") {
    transform.translation() = sized(layer, op, 3);
  } else if (kind == "scale") {
    transform.linear() = Vec3(sized(layer, op, 3)).asDiagonal();
  } else if (kind == "rotateX" || kind == "rotateY" || kind == "rotateZ") {
    transform = rotation(sized(layer, op, 1)[0], Vec3::Unit(kind.back() - 'X'));
  } else if (kind == "rotateXYZ") {
    const VecX angles = sized(layer, op, 3);
    for (int axis = 0; axis < 3; ++axis) transform = rotation(angles[axis], Vec3::Unit(axis)) * transform;
  } else {
    layer.fail(op.place, op.name, "transform, translate, scale, rotateX, rotateY, rotateZ or rotateXYZ",
               kApply);
  }
  return transform;
}

}  // namespace

Eigen::Affine3d local_transform(const Layer& layer, const Prim& prim) {
  Eigen::Affine3d transform = Eigen::Affine3d::Identity();
  const Attribute* order = prim.find("xformOpOrder");
  if (order == nullptr || !order->value) return transform;
  for (const std::string& name : layer.texts(*order->value)) {
    const Attribute* op = prim.find(name);
    if (op == nullptr || !name.starts_with("xformOp:")) {
      layer.fail(*order->value, fmt::format("'{}' in xformOpOrder", name), "names of this prim's xformOps",
                 kApply);
    }
    transform = transform * transform_of(layer, *op);
  }
  return transform;
}

}  // namespace keydrape::usda
