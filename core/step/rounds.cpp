#include "core/step/rounds.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "core/step/rotation.h"
#include "core/step/step_stopwatch.h"

namespace keydrape {

namespace {

constexpr double kFallOfRound = 1e-4;           // Nocedal & Wright 2006, section 3.1
constexpr int kMostHalvings = 30;               // of a bound that is none
constexpr double kRoundingOfPotential = 1e-14;  // of a potential: a promised fall below it is taken on trust

class Rounds {
 public:
  Rounds(const StepProblem& problem, const MatrixOfStep& matrix, const RoundsOptions& options,
         RoundsRecord* record)
      : problem_(problem),
        matrix_(matrix),
        options_(options),
        record_(record),
        history_(options.memory),
        timed_(problem, report_.times) {}

  NewtonResult run() {
    y_ = first();
    problem_.constraints().impose(y_);
    if (options_.searches) phi_ = potential(y_);
    evaluate_residual();
    while (report_.iterations < options_.rounds && std::isfinite(report_.residual) &&
           report_.residual > options_.tolerance)
      if (!take_round()) break;
    report_.end = std::isfinite(report_.residual) ? NewtonEnd::kMinimum : NewtonEnd::kNotFinite;
    if (report_.end == NewtonEnd::kNotFinite) {
      y_ = problem_.start().x;
      report_.residual = std::numeric_limits<double>::infinity();
    }
    return {std::move(y_), report_, nullptr};
  }

 private:
  VecX first() const {
    switch (options_.begin) {
      case RoundsBegin::kStart:
        return problem_.start().x;
      case RoundsBegin::kInertial:
        return problem_.start().x + problem_.dt() * problem_.start().v;
      case RoundsBegin::kFalling:
        break;
    }
    return problem_.x_tilde();
  }

  // False: nothing falls any more.
  bool take_round() {
    VecX d;
    timed_(&StepTimes::solve, [&] { d = -history_.product(r_, *matrix_.P, problem_.constraints()); });
    problem_.constraints().filter(d);
    if (options_.keeps_rotation) keep_rotation(d);
    const double share = options_.searches ? falling_share(d) : 1.0;
    if (share == 0.0) return false;
    if (record_) {
      record_->y.push_back(y_);
      record_->r.push_back(r_);
      record_->share.push_back(share);
    }
    ++report_.iterations;
    report_.cuts += share < 1.0;
    const bool remembers = options_.memory > 0;
    const VecX y = remembers ? y_ : VecX(), r = remembers ? r_ : VecX();
    y_ += share * d;
    evaluate_residual();
    if (remembers) history_.add(report_.iterations - 1, y_ - y, r_ - r);
    return true;
  }

  void keep_rotation(VecX& d) const {
    const double h = problem_.dt();
    const VecX w = d + h * h * r_.cwiseQuotient(problem_.model().mass());
    for (const std::vector<int>& part : *matrix_.loose)
      PartRotation(part, y_, problem_.model().vertex_mass()).add(w, -1.0, d);
  }

  double falling_share(const VecX& d) {
    const double slope = r_.dot(d);
    double share = 1.0;
    for (int k = 0; k < kMostHalvings; ++k, share *= 0.5) {
      const double phi = potential(y_ + share * d);
      const bool is_rounding = -share * slope <= kRoundingOfPotential * std::abs(phi_);
      if (!std::isfinite(phi) || (phi > phi_ + kFallOfRound * share * slope && !is_rounding)) continue;
      phi_ = phi;
      return share;
    }
    return 0.0;
  }

  double potential(const VecX& y) {
    return timed_(&StepTimes::assembly, [&] { return problem_.value(y); });
  }

  void evaluate_residual() {
    timed_(&StepTimes::assembly, [&] { problem_.residual(y_, r_); });
    problem_.constraints().filter(r_);
    report_.residual = r_.norm() / problem_.model().force_scale();
  }

  const StepProblem& problem_;
  const MatrixOfStep& matrix_;
  const RoundsOptions& options_;
  RoundsRecord* record_;
  RoundHistory history_;
  NewtonReport report_;
  StepStopwatch timed_;
  VecX y_, r_;
  double phi_ = 0.0;
};

}  // namespace

NewtonResult take_rounds(const StepProblem& problem, const MatrixOfStep& matrix, const RoundsOptions& options,
                         RoundsRecord* record) {
  assert(options.rounds > 0 && !problem.has_before() && !problem.has_limits());
  assert(!options.keeps_rotation || (options.rounds == 1 && options.begin == RoundsBegin::kStart));
  return Rounds(problem, matrix, options, record).run();
}

}  // namespace keydrape
