#include "core/step/resting_step.h"

#include <map>

namespace keydrape {

namespace {

constexpr int kMaxRounds = 20;  // of one step; those that are in a body even then stay there for a step

// A vertex that is held on a body.
struct Rest {
  int body;
  Vec3 normal, point;  // held where normal . (y - point) = 0
};

class RestingStep {
 public:
  RestingStep(StepProblem& problem, const CholeskySolver& cholesky, const NewtonHints& hints,
              const NewtonOptions& options, const LinearizedOptions& linearized)
      : problem_(problem),
        cholesky_(cholesky),
        hints_(hints),
        options_(options),
        linearized_(linearized),
        is_pinned_(problem.model().vertex_count(), 0),
        is_let_go_(problem.model().vertex_count(), 0) {
    for (const StepConstraints::Row& row : problem.constraints().rows()) is_pinned_[row.vertex] = 1;
    for (const TouchedBody& body : problem.model().resting())
      poses_.push_back(body.collider->at(problem.end_time()));
  }

  NewtonResult run() {
    NewtonResult result = solve();
    NewtonReport work;
    for (int round = 0; round < kMaxRounds && result.report.converged(); ++round) {
      const bool lets_go = let_go(result), catches = hold(result.y);
      if (!lets_go && !catches) break;
      work.add_work(result.report);
      result = solve();
    }
    result.report.add_work(work);
    if (result.report.converged()) rub(result);
    return result;
  }

 private:
  NewtonResult solve() {
    std::vector<StepConstraints::Row> rows;
    for (const auto& [vertex, rest] : held_)
      rows.push_back({vertex, Mat3::Identity() - rest.normal * rest.normal.transpose(), rest.point});
    problem_.hold(rows);
    return linearized_step(problem_, cholesky_, hints_, options_, linearized_);
  }

  // What the bodies press with: f = P (y - x) + r(x), x being where the step was linearised last, so
  // f . n < 0 where the body would have to pull.
  VecX pressing(const NewtonResult& result) const {
    BlockMatrix P(problem_.model().pattern());
    const VecX& x = result.linearized_at;
    problem_.linearized_matrix(x, P);
    VecX r, pushed;
    problem_.residual(x, r);
    P.multiply(result.y - x, pushed);
    return r + pushed;
  }

  bool let_go(const NewtonResult& result) {
    if (held_.empty()) return false;
    const VecX f = pressing(result);
    return std::erase_if(held_, [&](const auto& held) {
             const bool pulls = f.segment<3>(3 * held.first).dot(held.second.normal) < 0.0;
             if (pulls) is_let_go_[held.first] = 1;
             return pulls;
           }) > 0;
  }

  bool hold(const VecX& y) {
    bool any = false;
    for (size_t b = 0; b < poses_.size(); ++b) {
      const double gap = problem_.model().resting()[b].gap;
      for (int i = 0; i < problem_.model().vertex_count(); ++i) {
        const Vec3 p = y.segment<3>(3 * i);
        if (is_pinned_[i] || is_let_go_[i] || held_.contains(i) || !(poses_[b].distance(p) < gap)) continue;
        const Vec3 x = problem_.start().x.segment<3>(3 * i);
        const std::optional<Vec3> at = nearest_at_level(poses_[b], gap, p, x);
        if (!at) continue;
        held_[i] = {static_cast<int>(b), poses_[b].sample(*at).gradient.normalized(), *at};
        any = true;
      }
    }
    return any;
  }

  void rub(NewtonResult& result) const {
    if (held_.empty()) return;
    const double t1 = problem_.end_time(), t0 = t1 - problem_.dt();
    const VecX f = pressing(result);
    VecX& y = result.y;
    for (const auto& [i, rest] : held_) {
      const TouchedBody& body = problem_.model().resting()[rest.body];
      const double pressed =
          f.segment<3>(3 * i).dot(rest.normal) * problem_.dt() / problem_.model().vertex_mass()(i);
      const double mu = body.friction.at(t1);
      if (!(mu > 0.0 && pressed > 0.0)) continue;
      const Vec3 x = problem_.start().x.segment<3>(3 * i);
      const Vec3 of_body = material_velocity(*body.collider, t0, t1, x);
      const Vec3 v = (y.segment<3>(3 * i) - x) / problem_.dt() - of_body;
      y.segment<3>(3 * i) = x + problem_.dt() * (rubbed(v, rest.normal, mu, pressed) + of_body);
    }
  }

  StepProblem& problem_;
  const CholeskySolver& cholesky_;
  const NewtonHints& hints_;
  const NewtonOptions& options_;
  const LinearizedOptions& linearized_;
  std::vector<ColliderPose> poses_;
  std::vector<char> is_pinned_, is_let_go_;
  std::map<int, Rest> held_;  // by vertex
};

}  // namespace

NewtonResult resting_step(StepProblem& problem, const CholeskySolver& cholesky, const NewtonHints& hints,
                          const NewtonOptions& options, const LinearizedOptions& linearized) {
  return RestingStep(problem, cholesky, hints, options, linearized).run();
}

}  // namespace keydrape
