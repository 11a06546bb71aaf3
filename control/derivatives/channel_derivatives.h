#pragma once

#include <memory>
#include <vector>

#include "control/derivatives/linearized_trajectory.h"
#include "control/unknowns/channel/channels.h"

namespace keydrape {

// What the channels do to a run, to first order: their part of the sweeps (control/EQUATIONS.md (C2) to
// (C4)). Changes dc and derivatives c_bar are those of all channels' unknowns.
class ChannelDerivatives {
 public:
  // Along a trajectory of this simulator, whose model the channels made. `drape`: how that came to its start,
  // if it is a drape; null: what is given. `channels` and `simulator` outlive this. Throws InputError where a
  // channel has no derivatives in steps of this method.
  ChannelDerivatives(const Channels& channels, const Simulator& simulator, const Trajectory& trajectory,
                     const DrapeRounds* drape = nullptr);

  int size() const { return channels_.size(); }  // of all channels
  // Of the start. Not finite, where a round of the drape cannot be solved with.
  StateVector start_change(const VecX& dc) const;
  void add_start_transposed(const StateVector& bar, VecX& c_bar) const;

  // Step n of a tangent sweep: du += R dq before, or what each round of a step that takes rounds feels by
  // itself (empty without); and, once the step is taken, what the held vertices move by.
  void add_force(int n, const VecX& dc, VecX& du) const;
  WayDerivative::ByRound forces_by_round(int n, const VecX& dc) const;
  void add_held(int n, const VecX& dc, StateVector& after) const;
  // dJ/du of a step, and of each of its rounds, if it has any.
  struct Impulses {
    const VecX& all;
    const WayDerivative::ByRound& by_round;
  };
  // Step n of an adjoint sweep: lambda of the step, and the bars at its end.
  void add_transposed(int n, const Impulses& lambda, const StateVector& bar, VecX& c_bar) const;

  size_t memory_bytes() const;  // of what is kept

 private:
  struct StepPart {
    int channel;
    StepSensitivity by;
  };
  // A round of a drape: a step by itself, which starts at rest.
  struct Round {
    std::unique_ptr<const Simulator> simulator;
    StepLinearization step;
    std::vector<StepPart> parts;
    bool is_solvable;

    void solve(const VecX& b, VecX& x) const;
  };
  // Of each round; one where a step is solved. What pins hold is at its place in all: the first alone has Y.
  using RoundParts = std::vector<std::vector<StepPart>>;
  std::vector<StepPart> parts(int n, const StepSolution& at) const;
  void refuse_material() const;
  void add_rounds(const Simulator& simulator, const DrapeRounds& drape);
  // q of a step from dc, and the transpose.
  VecX felt(const StepPart& part, const VecX& dc) const;
  void add_felt_transposed(const StepPart& part, const VecX& q_bar, VecX& c_bar) const;

  const Channels& channels_;
  std::vector<double> beta_;  // of each step: v+ = (y - x*)/beta [s]
  int vertex_count_;
  std::vector<int> begin_;  // where the unknowns of each channel begin
  bool has_rounds_;
  std::vector<RoundParts> steps_;  // empty where no channel acts
  std::unique_ptr<StepWorkspace> round_work_ = std::make_unique<StepWorkspace>();
  std::vector<Round> rounds_;  // of the drape at the start
};

// What these keep along a run of so many steps, known beforehand [bytes]: at most, where a start that is
// draped anew takes as many rounds as they do as a rule.
double channel_derivative_bytes(const Channels& channels, const Simulator& simulator, int step_count);

}  // namespace keydrape
