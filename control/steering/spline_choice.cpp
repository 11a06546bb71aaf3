#include "control/steering/spline_choice.h"

#include <Eigen/Cholesky>
#include <cassert>

namespace keydrape {
namespace {

// Of the largest entry of G: what hardly acts within the shot is hardly used. Not tuned.
constexpr double kShift = 1e-3;
// Functions that begin late can do little, at any price: they are trusted with what is lacking as far as
// they can do more than this share of what forces of their own could do in a span. On free particles that
// drift, 0 ends in the largest forces of the flight, 0.3 in three times the miss.
constexpr double kDoubt = 0.1;

}  // namespace

SplineChoice::SplineChoice(const ControlLayout& layout, int block, const VecX& reach)
    : layout_(layout),
      block_(block),
      beginning_(layout.end_beginning(block) - layout.first_beginning(block)),
      reach_(reach) {
  const TimeSpline* spline = layout.spline();
  assert(spline && beginning_ > 0 && reach.size() == layout.block_count());
  for (int f = 0; f < reach_.size(); ++f) reach_(f) *= layout.strength(f);
  const int first = layout.first_beginning(block);
  N_.resize(layout.block_count() - block, spline->function_count() - first);
  for (int f = 0; f < N_.rows(); ++f)
    for (int g = 0; g < N_.cols(); ++g) N_(f, g) = spline->weight(first + g, block + f);
  Eigen::MatrixXd G = N_.transpose() * N_;
  G.diagonal().array() += kShift * G.maxCoeff();
  const VecX r = N_.transpose() * reach_.tail(N_.rows());
  const Eigen::LLT<Eigen::MatrixXd> factor(G);
  response_ = factor.solve(r);
  gain_ = r.dot(response_);
  double of_span = 0.0, spans = 0.0;  // before the moment
  for (int f = static_cast<int>(reach_.size()) - 1; f >= block && spans < 1.0; --f) {
    if (reach_(f) == 0.0) continue;
    of_span += reach_(f) * reach_(f);
    spans += 1.0 / spline->blocks_per_span();
  }
  doubt_ = kDoubt * of_span;
  inverse_ = factor.solve(Eigen::MatrixXd::Identity(N_.cols(), N_.cols())).topRows(beginning_);
}

double SplineChoice::unit(int k) const {
  return kStandardGravity * layout_.acceleration_scale(block_, k) / layout_.strength(block_);
}

Vec3 SplineChoice::decided(const VecX& y, int k) const {
  Vec3 sum = Vec3::Zero();
  for (int f = block_; f < reach_.size(); ++f)
    sum += reach_(f) * y.segment<3>(3 * (static_cast<Eigen::Index>(f) * layout_.active_count() + k));
  return unit(k) * sum;
}

std::vector<Vec3> SplineChoice::choose(const VecX& y, int k, const Vec3& wanted) const {
  std::vector<Vec3> chosen(static_cast<std::size_t>(beginning_), Vec3::Zero());
  if (!(gain_ > 0.0)) return chosen;  // the moment comes before any of them acts
  Eigen::MatrixX3d b = Eigen::MatrixX3d::Zero(N_.cols(), 3);
  for (int f = 0; f < N_.rows(); ++f)
    b += N_.row(f).transpose() *
         y.segment<3>(3 * (static_cast<Eigen::Index>(block_ + f) * layout_.active_count() + k)).transpose();
  const Vec3 price = (wanted / unit(k) + b.transpose() * response_) / (gain_ + doubt_);
  for (int g = 0; g < beginning_; ++g)
    chosen[static_cast<std::size_t>(g)] = response_(g) * price - b.transpose() * inverse_.row(g).transpose();
  return chosen;
}

}  // namespace keydrape
