#include "control/derivatives/way_derivative.h"

#include <cassert>
#include <utility>

#include "core/step/rotation.h"

namespace keydrape {

namespace {

class RoundsDerivative final : public WayDerivative {
 public:
  RoundsDerivative(const Simulator& simulator, int n, const StepFrom& from, const VecX& u,
                   StepWorkspace& work)
      : problem_(simulator.problem(n, from, u, work)),
        model_(simulator.model()),
        h_(simulator.dt()),
        matrix_(simulator.round_matrix(problem_, n)),
        options_(simulator.rounds_options()),
        taken_(rounds_of(simulator, n, problem_)),
        H_(model_.pattern()),
        C_(model_.pattern()),
        D_(model_.pattern()) {
    RoundHistory history(options_.memory);
    for (size_t k = 0; k < taken_.y.size(); ++k) {
      if (k > 0)
        history.add(static_cast<int>(k) - 1, taken_.y[k] - taken_.y[k - 1], taken_.r[k] - taken_.r[k - 1]);
      histories_.push_back(history);
    }
  }

  StateVector tangent(const StateVector& change, const VecX& du, const ByRound& more) override {
    VecX dy = change.x, dy_before, dr_before, part, dd;
    if (begins_on_the_way()) dy += h_ * change.v;
    problem_.constraints().filter(dy);
    const VecX driven = inertia(change.x) / h_ + inertia(change.v) + du;
    std::vector<RoundProduct::PairChange> pairs;  // by round
    for (size_t k = 0; k < taken_.y.size(); ++k) {
      assemble(k);
      VecX dr;
      H_.multiply(dy, dr);
      C_.multiply(change.x, part);
      dr += part;
      D_.multiply(change.v, part);
      dr += part - driven;
      if (!more.empty()) dr -= more[k];
      problem_.constraints().filter(dr);
      if (k > 0) pairs.push_back({dy - dy_before, dr - dr_before});
      dd = -product(k).tangent(dr, pairs);
      dy_before = dy;
      dr_before = dr;
      if (options_.keeps_rotation) {
        const VecX w = without_filter(k), dw = dd + h_ * h_ * dr.cwiseQuotient(model_.mass());
        for (const std::vector<int>& loose : *matrix_.loose) {
          const PartRotation rotation(loose, taken_.y[k], model_.vertex_mass());
          rotation.add(dw, -1.0, dd);
          rotation.add_change(w, dy, -1.0, dd);
        }
      }
      dy += taken_.share[k] * dd;
    }
    return {dy, (dy - change.x) / h_};
  }

  StateVector adjoint(const StateVector& bar, ByRound& lambda) override {
    StateVector before{-bar.v / h_, VecX::Zero(bar.v.size())};
    VecX y_bar = bar.x + bar.v / h_, part;
    problem_.constraints().filter(y_bar);
    lambda.assign(taken_.y.size(), {});
    const VecX none = VecX::Zero(y_bar.size());
    std::vector<RoundProduct::PairChange> pairs(options_.memory > 0 ? taken_.y.size() : 0, {none, none});
    for (size_t k = taken_.y.size(); k-- > 0;) {
      assemble(k);
      VecX d_bar = taken_.share[k] * y_bar, w_bar = VecX::Zero(d_bar.size());
      if (options_.keeps_rotation) {
        const VecX w = without_filter(k);
        for (const std::vector<int>& loose : *matrix_.loose) {
          const PartRotation rotation(loose, taken_.y[k], model_.vertex_mass());
          rotation.add_transposed(d_bar, -1.0, w_bar);
          rotation.add_change_transposed(w, d_bar, -1.0, y_bar);
        }
        d_bar += w_bar;
      }
      VecX& l = lambda[k];
      l = product(k).adjoint(d_bar, pairs) - h_ * h_ * w_bar.cwiseQuotient(model_.mass());
      // All rounds that these pairs serve are behind us.  (R12)
      if (!pairs.empty()) {
        y_bar += pairs[k].s;
        l -= pairs[k].g;
        if (k > 0) {
          y_bar -= pairs[k - 1].s;
          l += pairs[k - 1].g;
        }
      }
      C_.multiply_transposed(l, part);
      before.x += inertia(l) / h_ - part;
      D_.multiply_transposed(l, part);
      before.v += inertia(l) - part;
      H_.multiply(l, part);
      y_bar -= part;
      problem_.constraints().filter(y_bar);
    }
    before.x += y_bar;
    if (begins_on_the_way()) before.v += h_ * y_bar;
    return before;
  }

 private:
  bool begins_on_the_way() const { return options_.begin != RoundsBegin::kStart; }
  VecX inertia(const VecX& v) const { return model_.mass().cwiseProduct(v) / h_; }

  void assemble(size_t k) {
    problem_.hessian(taken_.y[k], {}, H_);
    problem_.start_derivatives(taken_.y[k], C_, D_);
  }

  RoundProduct product(size_t k) const {
    return RoundProduct(histories_[k], taken_.r[k], *matrix_.P, problem_.constraints());
  }

  // What P changes of the way of a round: by how much it differs from that of M/h^2 alone.
  VecX without_filter(size_t k) const {
    const VecX& r = taken_.r[k];
    return h_ * h_ * r.cwiseQuotient(model_.mass()) - filtered_solve(*matrix_.P, problem_.constraints(), r);
  }

  StepProblem problem_;
  const Model& model_;
  double h_;
  MatrixOfStep matrix_;
  RoundsOptions options_;
  RoundsRecord taken_;
  std::vector<RoundHistory> histories_;  // that each round finds
  BlockMatrix H_, C_, D_;                // of one round at a time
};

class StagesDerivative final : public WayDerivative {
 public:
  StagesDerivative(const Simulator& simulator, int n, const StepFrom& from, const VecX& u,
                   StepWorkspace& work)
      : model_(simulator.model()),
        table_(table_of(simulator.options().scheme)),
        h_(simulator.dt()),
        time_((simulator.options().first_step + n) * simulator.dt()),
        taken_(simulator.stages(n, from.start, u, work)),
        work_(work) {}

  StateVector tangent(const StateVector& change, const VecX& du, const ByRound& more) override {
    VecX held = change.x;
    taken_.constraints.filter_out(held);
    std::vector<VecX> da;
    const auto free = [&](VecX v) {
      taken_.constraints.filter(v);
      return v;
    };
    for (int i = 0; i < table_.stages; ++i) {
      VecX dx = change.x + table_.c[i] * h_ * change.v, dv = change.v;
      for (int j = 0; j < i; ++j) {
        dx += h_ * h_ * table_.of_x[i][j] * da[j];
        dv += h_ * table_.of_v[i][j] * da[j];
      }
      dx = free(dx) + (1.0 - table_.c[i]) * held;
      dv = free(dv) - held / h_;
      const Matrices at = matrices(i);
      VecX force = du, part;
      if (!more.empty()) force += more[i];
      at.K.multiply(dx, part);
      force -= part;
      at.B.multiply(dv, part);
      force -= part;
      da.push_back(free(force.cwiseQuotient(model_.mass())));
    }
    VecX dx = change.x + h_ * change.v, dv = change.v;
    for (int i = 0; i < table_.stages; ++i) {
      dx += h_ * h_ * table_.end_x[i] * da[i];
      dv += h_ * table_.end_v[i] * da[i];
    }
    return {free(dx), free(dv) - held / h_};
  }

  StateVector adjoint(const StateVector& bar, ByRound& lambda) override {
    const auto free = [&](VecX v) {
      taken_.constraints.filter(v);
      return v;
    };
    const auto held = [&](VecX v) {
      taken_.constraints.filter_out(v);
      return v;
    };
    const VecX x_bar = free(bar.x), v_bar = free(bar.v);
    StateVector before{x_bar - held(bar.v) / h_, h_ * x_bar + v_bar};
    std::vector<VecX> a_bar;
    a_bar.reserve(static_cast<size_t>(table_.stages));
    for (int i = 0; i < table_.stages; ++i)
      a_bar.push_back(h_ * h_ * table_.end_x[i] * x_bar + h_ * table_.end_v[i] * v_bar);
    lambda.assign(static_cast<size_t>(table_.stages), {});
    for (int i = table_.stages; i-- > 0;) {
      lambda[i] = free(a_bar[i].cwiseQuotient(model_.mass()));
      const Matrices at = matrices(i);
      VecX of_x, of_v;
      at.K.multiply_transposed(lambda[i], of_x);
      at.B.multiply_transposed(lambda[i], of_v);
      const VecX X_bar = free(-of_x), V_bar = free(-of_v);
      before.x += X_bar - (1.0 - table_.c[i]) * held(of_x) + held(of_v) / h_;
      before.v += table_.c[i] * h_ * X_bar + V_bar;
      for (int j = 0; j < i; ++j)
        a_bar[j] += h_ * h_ * table_.of_x[i][j] * X_bar + h_ * table_.of_v[i][j] * V_bar;
    }
    return before;
  }

 private:
  struct Matrices {
    BlockMatrix K, B;
  };
  Matrices matrices(int stage) const {
    Matrices at{BlockMatrix(model_.pattern()), BlockMatrix(model_.pattern())};
    MomentForces(model_, taken_.at[stage], h_, time_ + table_.c[stage] * h_, work_).derivatives(at.K, at.B);
    return at;
  }

  const Model& model_;
  const ExplicitTable& table_;
  double h_, time_;
  ExplicitStages taken_;
  StepWorkspace& work_;
};

}  // namespace

std::unique_ptr<WayDerivative> way_derivative(const Simulator& simulator, int n, const StepFrom& from,
                                              const VecX& u, StepWorkspace& work) {
  assert(simulator.differentiates_way());
  if (simulator.takes_rounds()) return std::make_unique<RoundsDerivative>(simulator, n, from, u, work);
  return std::make_unique<StagesDerivative>(simulator, n, from, u, work);
}

RoundsRecord rounds_of(const Simulator& simulator, int n, const StepProblem& problem) {
  RoundsRecord record;
  take_rounds(problem, simulator.round_matrix(problem, n), simulator.rounds_options(), &record);
  return record;
}

}  // namespace keydrape
