#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "control/derivatives/feedback.h"

namespace keydrape {

class ShootingProblem;

// Tangent and adjoint sweeps along a run, counted and timed in the work of its problem.
class Sweeps {
 public:
  // `simulator`: what the run was made with; `drape`: how that came to its start (null: it did not). Every
  // step of `run` converged. All outlive this.
  Sweeps(ShootingProblem& problem, const Simulator& simulator, const Trajectory& run,
         const DrapeRounds* drape = nullptr)
      : problem_(problem), simulator_(simulator), run_(run), drape_(drape) {}
  ~Sweeps() { release(); }
  Sweeps(const Sweeps&) = delete;
  Sweeps& operator=(const Sweeps&) = delete;

  // The derivatives of the run; made on the first call, and again after release().
  LinearizedTrajectory& linearized();
  // Gives their memory back, and adds what they factorised to the problem's work.
  void release();

  // A change w of the variables to first order, and the transpose (control/derivatives/feedback.h). `face`:
  // of the problem's bounds, or null. None: there are no derivatives, and the observer was told why.
  // (T1), (F2); (A1) to (A4), (F3), (F4)
  std::optional<FeedbackTangent> tangent(const Feedback& feedback, const VecX& w, const Face* face = nullptr,
                                         SolveAccuracy accuracy = SolveAccuracy::kDouble);
  std::optional<VecX> adjoint(const Feedback& feedback, const std::vector<StateVector>& seeds,
                              const VecX& z_bar, const Face* face = nullptr,
                              SolveAccuracy accuracy = SolveAccuracy::kDouble);

 private:
  void tell_failure() const;

  ShootingProblem& problem_;
  const Simulator& simulator_;
  const Trajectory& run_;
  const DrapeRounds* drape_;
  std::unique_ptr<LinearizedTrajectory> linearized_;
  std::unique_ptr<ChannelDerivatives> channels_;  // null: no channels, or not linearised
};

}  // namespace keydrape
