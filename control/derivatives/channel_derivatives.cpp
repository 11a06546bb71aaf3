#include "control/derivatives/channel_derivatives.h"

#include <limits>
#include <utility>

#include "core/base/error.h"

namespace keydrape {

ChannelDerivatives::ChannelDerivatives(const Channels& channels, const Simulator& simulator,
                                       const Trajectory& trajectory, const DrapeRounds* drape)
    : channels_(channels),
      vertex_count_(simulator.model().vertex_count()),
      has_rounds_(simulator.takes_rounds()),
      steps_(trajectory.step_count()) {
  const auto& list = channels.list();
  int begin = 0;
  bool change_cloth = false;
  for (const auto& channel : list) {
    begin_.push_back(begin);
    begin += channel->size();
    change_cloth = change_cloth || channel->changes_cloth();
  }
  if (change_cloth && simulator.is_explicit())
    throw InputError("explicit steps are not differentiated by channels other than of the initial velocity");
  if (has_rounds_) refuse_material();
  const VecX no_force = VecX::Zero(3 * vertex_count_);
  StepWorkspace work;
  for (int n = 0; n < trajectory.step_count(); ++n) {
    beta_.push_back(simulator.scheme(trajectory.from(n)).beta);
    if (!change_cloth) continue;
    const VecX& u = has_rounds_ ? trajectory.forces[n] : no_force;
    const StepProblem problem = simulator.problem(n, trajectory.from(n), u, work);
    if (has_rounds_) {
      std::vector<VecX> rounds = rounds_of(simulator, n, problem).y;
      if (rounds.empty()) rounds.push_back(trajectory.states[n + 1].x);  // what is held moves all the same
      for (const VecX& y : rounds) {
        steps_[n].push_back(parts(n, {problem, y, false}));
        if (steps_[n].size() == 1) continue;
        for (StepPart& part : steps_[n].back()) part.by.Y.resize(0, 0);
      }
    } else {
      steps_[n] = {
          parts(n, {problem, trajectory.states[n + 1].x, simulator.has_exact_linearized_derivatives()})};
    }
  }
  if (drape) add_rounds(simulator, *drape);
}

// What the matrix of rounds owes to the fabric is not differentiated.
void ChannelDerivatives::refuse_material() const {
  for (const auto& channel : channels_.list())
    if (channel->kind() == "material")
      throw InputError(
          "a channel of kind \"material\" has no derivatives in steps with one matrix for all of them; take "
          "integrator = \"newton\" or \"bdf2\"");
}

std::vector<ChannelDerivatives::StepPart> ChannelDerivatives::parts(int n, const StepSolution& at) const {
  std::vector<StepPart> parts;
  const auto& list = channels_.list();
  for (size_t k = 0; k < list.size(); ++k) {
    if (!list[k]->changes_cloth()) continue;
    for (StepSensitivity& by : list[k]->sensitivities(n, at))
      parts.push_back({static_cast<int>(k), std::move(by)});
  }
  return parts;
}

// Each ends at time 0, as step -1 of steps of its length does.
void ChannelDerivatives::add_rounds(const Simulator& simulator, const DrapeRounds& drape) {
  const VecX no_force = VecX::Zero(3 * vertex_count_);
  for (size_t k = 0; k < drape.durations.size(); ++k) {
    SimulatorOptions options = simulator.options();
    options.method = StepMethod::kConverged;
    options.first_step = 0;
    options.dt = drape.durations[k];
    auto of_round = std::make_unique<const Simulator>(simulator.model(), options);
    const StepFrom from(drape.states[k], nullptr, drape.sliding_time);
    const State& end = drape.states[k + 1];
    const StepProblem problem = of_round->problem(-1, from, no_force, *round_work_);
    std::vector<StepPart> felt = parts(-1, {problem, end.x, false});
    StepLinearization step(*of_round, -1, from, end, *round_work_);
    const bool is_solvable = step.factorize(StepLinearization::Precision::kDouble);
    rounds_.push_back({std::move(of_round), std::move(step), std::move(felt), is_solvable});
  }
}

void ChannelDerivatives::Round::solve(const VecX& b, VecX& x) const {
  if (!is_solvable || !step.solve(b, x))
    x = VecX::Constant(b.size(), std::numeric_limits<double>::quiet_NaN());
}

StateVector ChannelDerivatives::start_change(const VecX& dc) const {
  StateVector change{VecX::Zero(3 * vertex_count_), VecX::Zero(3 * vertex_count_)};
  for (size_t k = 0; k < begin_.size(); ++k) {
    const Channel& channel = *channels_.list()[k];
    channel.add_start_change(channel.scale().unit.cwiseProduct(dc.segment(begin_[k], channel.size())),
                             change);
  }
  VecX b, x = VecX::Zero(3 * vertex_count_);  // (C6)
  for (const Round& round : rounds_) {
    round.step.apply_x(StepLevel::kStart, x, b);
    for (const StepPart& part : round.parts) b += part.by.R * felt(part, dc);
    round.solve(b, x);
  }
  change.x += x;
  return change;
}

void ChannelDerivatives::add_start_transposed(const StateVector& bar, VecX& c_bar) const {
  for (size_t k = 0; k < begin_.size(); ++k) {
    const Channel& channel = *channels_.list()[k];
    VecX p_bar = VecX::Zero(channel.size());
    channel.add_start_transposed(bar, p_bar);
    c_bar.segment(begin_[k], channel.size()) += channel.scale().unit.cwiseProduct(p_bar);
  }
  VecX lambda, x_bar = bar.x;  // (C6)
  for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) {
    round->solve(x_bar, lambda);
    for (const StepPart& part : round->parts)
      add_felt_transposed(part, part.by.R.transpose() * lambda, c_bar);
    round->step.apply_x_transposed(StepLevel::kStart, lambda, x_bar);
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
  if (has_rounds_ || steps_[n].empty()) return;
  for (const StepPart& part : steps_[n].front()) du += part.by.R * felt(part, dc);
}

WayDerivative::ByRound ChannelDerivatives::forces_by_round(int n, const VecX& dc) const {
  WayDerivative::ByRound forces;
  if (!has_rounds_) return forces;
  for (const std::vector<StepPart>& round : steps_[n]) {
    forces.push_back(VecX::Zero(3 * vertex_count_));
    for (const StepPart& part : round) forces.back() += part.by.R * felt(part, dc);
  }
  return forces;
}

void ChannelDerivatives::add_held(int n, const VecX& dc, StateVector& after) const {
  if (steps_[n].empty()) return;
  for (const StepPart& part : steps_[n].front()) {
    if (part.by.Y.cols() == 0) continue;
    const VecX moved = part.by.Y * felt(part, dc);
    after.x += moved;
    after.v += moved / beta_[n];
  }
}

void ChannelDerivatives::add_transposed(int n, const Impulses& lambda, const StateVector& bar,
                                        VecX& c_bar) const {
  for (size_t k = 0; k < steps_[n].size(); ++k)
    for (const StepPart& part : steps_[n][k]) {
      VecX q_bar = VecX::Zero(part.by.R.cols());
      if (!has_rounds_)
        q_bar = part.by.R.transpose() * lambda.all;
      else if (k < lambda.by_round.size())
        q_bar = part.by.R.transpose() * lambda.by_round[k];
      if (k == 0 && part.by.Y.cols() > 0) q_bar += part.by.Y.transpose() * (bar.x + bar.v / beta_[n]);
      add_felt_transposed(part, q_bar, c_bar);
    }
}

size_t ChannelDerivatives::memory_bytes() const {
  const auto bytes_of = [](const std::vector<StepPart>& parts) {
    size_t bytes = 0;
    for (const StepPart& part : parts) bytes += sizeof(double) * (part.by.R.size() + part.by.Y.size());
    return bytes;
  };
  size_t bytes = 0;
  for (const RoundParts& rounds : steps_)
    for (const auto& parts : rounds) bytes += bytes_of(parts);
  for (const Round& round : rounds_)
    bytes += round.step.memory_bytes() + round.simulator->cholesky().memory_bytes() + bytes_of(round.parts);
  return bytes;
}

double channel_derivative_bytes(const Channels& channels, const Simulator& simulator, int step_count) {
  constexpr double kRoundsOfDrape = 5;  // that drape_again() takes as a rule
  double R = 0.0, Y = 0.0;
  for (const auto& channel : channels.list()) {
    const SensitivityColumns columns = channel->columns(simulator.options().method == StepMethod::kBdf2);
    R += columns.R;
    Y += columns.Y;
  }
  const Model& model = simulator.model();
  const double column = 3.0 * sizeof(double) * model.vertex_count();
  const double rounds = simulator.takes_rounds() ? simulator.rounds_options().rounds : 1;
  const double of_steps = step_count * (rounds * R + Y) * column;
  if (!channels.start_is_draped() || R == 0.0) return of_steps;
  const CholeskySolver& cholesky = simulator.cholesky();
  const StorageCosts costs = storage_costs(simulator, model.pattern(), cholesky);
  const double of_round = costs[static_cast<size_t>(StepStorage::kMatrices)].bytes + R * column +
                          static_cast<double>(cholesky.factor_bytes() + cholesky.memory_bytes());
  return of_steps + kRoundsOfDrape * of_round;
}

}  // namespace keydrape
