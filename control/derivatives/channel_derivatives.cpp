#include "control/derivatives/channel_derivatives.h"

#include <optional>

namespace keydrape {

ChannelDerivatives::ChannelDerivatives(const Channels& channels, const Simulator& simulator,
                                       const Trajectory& trajectory)
    : channels_(channels), vertex_count_(simulator.model().vertex_count()), steps_(trajectory.step_count()) {
  const auto& list = channels.list();
  int begin = 0;
  for (const auto& channel : list) {
    begin_.push_back(begin);
    begin += channel->size();
  }
  const VecX no_force = VecX::Zero(3 * vertex_count_);
  StepWorkspace work;
  for (int n = 0; n < trajectory.step_count(); ++n) {
    beta_.push_back(simulator.scheme(trajectory.from(n)).beta);
    std::optional<StepProblem> problem;
    for (size_t k = 0; k < list.size(); ++k) {
      if (!list[k]->changes_cloth()) continue;
      if (!problem) problem.emplace(simulator.problem(n, trajectory.from(n), no_force, work));
      for (StepSensitivity& by :
           list[k]->sensitivities(n, {*problem, (n + 1) * simulator.dt(), trajectory.states[n + 1].x,
                                      simulator.has_exact_linearized_derivatives()}))
        steps_[n].push_back({static_cast<int>(k), std::move(by)});
    }
  }
}

StateVector ChannelDerivatives::start_change(const VecX& dc) const {
  StateVector change{VecX::Zero(3 * vertex_count_), VecX::Zero(3 * vertex_count_)};
  for (size_t k = 0; k < begin_.size(); ++k) {
    const Channel& channel = *channels_.list()[k];
    channel.add_start_change(channel.scale().unit.cwiseProduct(dc.segment(begin_[k], channel.size())),
                             change);
  }
  return change;
}

void ChannelDerivatives::add_start_transposed(const StateVector& bar, VecX& c_bar) const {
  for (size_t k = 0; k < begin_.size(); ++k) {
    const Channel& channel = *channels_.list()[k];
    VecX p_bar = VecX::Zero(channel.size());
    channel.add_start_transposed(bar, p_bar);
    c_bar.segment(begin_[k], channel.size()) += channel.scale().unit.cwiseProduct(p_bar);
  }
}

VecX ChannelDerivatives::felt(const StepPart& part, const VecX& dc) const {
  const Eigen::Index width = part.by.R.cols();
  const VecX& unit = channels_.list()[part.channel]->scale().unit;
  VecX q = VecX::Zero(width);
  for (const auto& [knot, share] : part.by.shares)
    q += share * unit.segment(knot * width, width)
                     .cwiseProduct(dc.segment(begin_[part.channel] + knot * width, width));
  return q;
}

void ChannelDerivatives::add_felt_transposed(const StepPart& part, const VecX& q_bar, VecX& c_bar) const {
  const Eigen::Index width = part.by.R.cols();
  const VecX& unit = channels_.list()[part.channel]->scale().unit;
  for (const auto& [knot, share] : part.by.shares)
    c_bar.segment(begin_[part.channel] + knot * width, width) +=
        share * unit.segment(knot * width, width).cwiseProduct(q_bar);
}

void ChannelDerivatives::add_force(int n, const VecX& dc, VecX& du) const {
  for (const StepPart& part : steps_[n]) du += part.by.R * felt(part, dc);
}

void ChannelDerivatives::add_held(int n, const VecX& dc, StateVector& after) const {
  for (const StepPart& part : steps_[n]) {
    if (part.by.Y.cols() == 0) continue;
    const VecX moved = part.by.Y * felt(part, dc);
    after.x += moved;
    after.v += moved / beta_[n];
  }
}

void ChannelDerivatives::add_transposed(int n, const VecX& lambda, const StateVector& bar,
                                        VecX& c_bar) const {
  for (const StepPart& part : steps_[n]) {
    VecX q_bar = part.by.R.transpose() * lambda;
    if (part.by.Y.cols() > 0) q_bar += part.by.Y.transpose() * (bar.x + bar.v / beta_[n]);
    add_felt_transposed(part, q_bar, c_bar);
  }
}

size_t ChannelDerivatives::memory_bytes() const {
  size_t bytes = 0;
  for (const auto& parts : steps_)
    for (const StepPart& part : parts) bytes += sizeof(double) * (part.by.R.size() + part.by.Y.size());
  return bytes;
}

}  // namespace keydrape
