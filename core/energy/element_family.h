#pragma once

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/energy/element.h"
#include "core/energy/linearized_terms.h"

namespace keydrape {

template <int K>
Stencil<K> gather(const VecX& x, const std::array<int, K>& vertices) {
  Stencil<K> s;
  for (int a = 0; a < K; ++a) s.col(a) = x.segment<3>(3 * vertices[a]);
  return s;
}

// Sorts elements into colours: no two of one colour share a vertex, so that they may write at the same time,
// and a vertex receives its contributions in the order of the colours whatever the number of threads.
// Reorders `elements`; returns where each colour begins, then the end.
template <class E>
std::vector<int> sort_by_colour(std::vector<E>& elements) {
  std::vector<std::vector<bool>> taken;  // by vertex, then colour
  std::vector<std::vector<E>> by_colour;
  for (const E& e : elements) {
    size_t colour = 0;
    const auto is_taken = [&](int v) {
      if (taken.size() <= static_cast<size_t>(v)) taken.resize(v + 1);
      return colour < taken[v].size() && taken[v][colour];
    };
    while (std::any_of(e.vertices.begin(), e.vertices.end(), is_taken)) ++colour;
    for (int v : e.vertices) {
      if (taken[v].size() <= colour) taken[v].resize(colour + 1, false);
      taken[v][colour] = true;
    }
    if (by_colour.size() <= colour) by_colour.resize(colour + 1);
    by_colour[colour].push_back(e);
  }
  elements.clear();
  std::vector<int> begins{0};
  for (const auto& group : by_colour) {
    elements.insert(elements.end(), group.begin(), group.end());
    begins.push_back(static_cast<int>(elements.size()));
  }
  return begins;
}

// An Energy made of elements of one type.
template <Element E>
class ElementFamily final : public Energy {
 public:
  static constexpr int K = E::kVertices;

  ElementFamily(std::string name, std::vector<E> elements, typename E::Shared shared)
      : name_(std::move(name)), elements_(std::move(elements)), shared_(std::move(shared)) {
    colour_begin_ = sort_by_colour(elements_);
  }

  std::string_view name() const override { return name_; }
  int element_count() const override { return static_cast<int>(elements_.size()); }
  const std::vector<E>& elements() const { return elements_; }

  // What remembers velocities is driven from outside, and so is a load.
  bool is_elastic() const override {
    if constexpr (requires { E::kIsLoad; }) return false;
    return !ElementWithVelocityMemory<E>;
  }

  int condition_count() const override {
    if constexpr (ElementWithTension<E>) return E::kConditions * element_count();
    return 0;
  }

  bool depends_on_start_x() const override {
    if constexpr (ElementWithMemory<E>)
      return std::any_of(elements_.begin(), elements_.end(), [](const E& e) { return e.depends_on_start(); });
    return false;
  }

  bool depends_on_start_v() const override {
    if constexpr (ElementWithVelocityMemory<E>) return depends_on_start_x();
    return false;
  }

  bool has_linearized_derivatives() const override {
    if constexpr (requires(const E& e) { e.is_coupled(); })
      if (std::any_of(elements_.begin(), elements_.end(), [](const E& e) { return e.is_coupled(); }))
        return false;
    return kHasLinearizedDerivatives<E>;
  }

  bool is_limited() const override { return ElementWithLimit<E>; }

  void add_stiffness_bound([[maybe_unused]] StiffnessBound& bound) const override {
    if constexpr (ElementWithBound<E>)
      for (const E& e : elements_) bound.add<K>(e.vertices, e.stiffness_bound(shared_, bound));
  }

  bool bound_depends_on_time() const override {
    if constexpr (requires { E::kBoundDependsOnTime; }) return E::kBoundDependsOnTime;
    return false;
  }

  void append_couplings(std::vector<Edge>& pairs) const override {
    for (const E& e : elements_)
      for (int a = 0; a < K; ++a)
        for (int b = a + 1; b < K; ++b) pairs.push_back({e.vertices[a], e.vertices[b]});
  }

  void bind(const BlockPattern& pattern) override {
    slots_.resize(elements_.size());
    for (size_t i = 0; i < elements_.size(); ++i)
      for (int a = 0; a < K; ++a)
        for (int b = 0; b < K; ++b)
          slots_[i][K * a + b] = pattern.slot(elements_[i].vertices[a], elements_[i].vertices[b]);
  }

  std::unique_ptr<EnergyStep> begin_step(const StepStart& start) const override {
    return std::make_unique<Step>(*this, start);
  }

  void for_each_stored([[maybe_unused]] const VecX& x, [[maybe_unused]] double time,
                       [[maybe_unused]] const std::function<void(const StoredEnergy&)>& f) const override {
    if constexpr (FabricElement<E>) {
      // A step that has not moved yet: what it stores, without what it dissipates.
      const VecX v = VecX::Zero(x.size());
      const StepStart start{1.0, time, x, v};
      for (const E& e : elements_) {
        const Stencil<K> y = gather<K>(x, e.vertices);
        const double W = e.value(y, e.start(shared_, start, {y, Stencil<K>::Zero()}));
        if constexpr (requires { e.rest.area; })
          f({e.vertices, W, e.rest.area});
        else
          f({e.vertices, W, 0.0});
      }
    }
  }

 private:
  static constexpr int kGrain = 256;  // elements a task: with 64, waking threads showed in the profile

  // Calls body(i) for every element, in parallel within a colour.
  template <class Body>
  void for_each_by_colour(const Body& body) const {
    for (size_t c = 0; c + 1 < colour_begin_.size(); ++c)
      tbb::parallel_for(tbb::blocked_range<int>(colour_begin_[c], colour_begin_[c + 1], kGrain),
                        [&](const auto& r) {
                          for (int i = r.begin(); i < r.end(); ++i) body(i);
                        });
  }

  // Calls body(i) for every element, in parallel; the calls must write to places of their own.
  template <class Body>
  void for_each(const Body& body) const {
    tbb::parallel_for(tbb::blocked_range<int>(0, element_count(), kGrain), [&](const auto& r) {
      for (int i = r.begin(); i < r.end(); ++i) body(i);
    });
  }

  class Step;

  class StepTensions final : public Tensions {
   public:
    explicit StepTensions(const Step& step) : step_(step) {}

    void at(const VecX& y, std::span<double> tension) const override {
      assert(static_cast<int>(tension.size()) == step_.family_.condition_count());
      step_.family_.for_each([&](int i) {
        const auto sigma = step_.element(i).tension(step_.at(y, i), step_.starts_[i]);
        std::copy(sigma.begin(), sigma.end(), tension.begin() + E::kConditions * i);
      });
    }

    void predict(const VecX& y, const VecX& dy, std::span<double> tension) const override {
      assert(static_cast<int>(tension.size()) == step_.family_.condition_count());
      step_.family_.for_each([&](int i) {
        const Stencil<K> at = step_.at(y, i);
        const auto sigma = step_.element(i).tension(at, step_.starts_[i]);
        const auto change = step_.element(i).tension_change(at, step_.at(dy, i), step_.starts_[i]);
        for (int c = 0; c < E::kConditions; ++c) tension[E::kConditions * i + c] = sigma[c] + change[c];
      });
    }

    void project(const VecX& y, std::span<double> tension) const override {
      if constexpr (ElementWithLeastTension<E>)
        step_.family_.for_each([&](int i) {
          tension[i] = std::max(tension[i], step_.element(i).least_tension(step_.at(y, i), step_.starts_[i]));
        });
      else
        for (double& sigma : tension) sigma = ElementStiffenedByTension<E> ? std::max(sigma, 0.0) : 0.0;
    }

   private:
    const Step& step_;
  };

  class StepLimit final : public Limit {
   public:
    explicit StepLimit(const Step& step) : step_(step) {}

    double step_bound(const VecX& y, const VecX& dy, double enough) const override {
      return tbb::parallel_reduce(
          tbb::blocked_range<int>(0, step_.family_.element_count(), kGrain), enough,
          [&](const auto& r, double bound) {
            for (int i = r.begin(); i < r.end(); ++i)
              bound = std::min(
                  bound, step_.element(i).free_share(step_.at(y, i), step_.at(dy, i), step_.starts_[i]));
            return bound;
          },
          [](double a, double b) { return std::min(a, b); });
    }

    int count_violations(const VecX& y) const override {
      int count = 0;
      for (int i = 0; i < step_.family_.element_count(); ++i)
        count += step_.element(i).is_passed(step_.at(y, i), step_.starts_[i]);
      return count;
    }

   private:
    const Step& step_;
  };

  class Step final : public EnergyStep {
   public:
    Step(const ElementFamily& family, const StepStart& start)
        : family_(family),
          x_(start.x),
          x_before_(start.x_before),
          scheme_(start.scheme()),
          starts_(family.elements_.size()) {
      const auto& shared = shared_at_step(family.shared_, start);
      family.for_each([&](int i) {
        const E& e = family.elements_[i];
        StartStencil<K> at{gather<K>(start.x, e.vertices), gather<K>(start.v, e.vertices)};
        if (start.x_before) {
          at.x_before = gather<K>(*start.x_before, e.vertices);
          at.v_before = gather<K>(*start.v_before, e.vertices);
        }
        starts_[i] = e.start(shared, start, at);
      });
    }

    double value(const VecX& y) const override {
      return tbb::parallel_deterministic_reduce(
          tbb::blocked_range<int>(0, family_.element_count(), 512), 0.0,
          [&](const auto& r, double sum) {
            for (int i = r.begin(); i < r.end(); ++i) sum += element(i).value(at(y, i), starts_[i]);
            return sum;
          },
          std::plus<>());
    }

    void add_gradient(const VecX& y, VecX& gradient) const override {
      family_.for_each_by_colour([&](int i) {
        const Stencil<K> g = element(i).gradient(at(y, i), starts_[i]);
        for (int a = 0; a < K; ++a) gradient.segment<3>(3 * element(i).vertices[a]) += g.col(a);
      });
    }

    bool has_constant_hessian() const override { return QuadraticElement<E>; }

    void add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const override {
      assert(form.tension.empty() || static_cast<int>(form.tension.size()) == family_.condition_count());
      family_.for_each_by_colour([&](int i) {
        const auto& vertices = element(i).vertices;
        const StencilHessian<K> h = hessian(y, form.tension, i);
        for (int a = 0; a < K; ++a)
          for (int b = 0; b < K; ++b)
            if (vertices[a] <= vertices[b])
              H.block(family_.slots_[i][K * a + b]) += h.template block<3, 3>(3 * a, 3 * b);
      });
    }

    void add_start_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const override {
      add_cross(y, x_, scheme_.start, C, D);
    }

    void add_before_derivatives(const VecX& y, BlockMatrix& C, BlockMatrix& D) const override {
      if (x_before_) add_cross(y, *x_before_, scheme_.before, C, D);
    }

    void add_linearized_derivatives([[maybe_unused]] const VecX& d, [[maybe_unused]] BlockMatrix& C,
                                    [[maybe_unused]] BlockMatrix& D) const override {
      assert(kHasLinearizedDerivatives<E> && !x_before_);
      if constexpr (ElementLinearized<E>)
        family_.for_each_by_colour([&](int i) {
          add_blocks(i, linearized_cross_x(element(i), at(x_, i), at(d, i), starts_[i]), C);
        });
      else
        add_cross(x_ + d, x_, scheme_.start, C, D);
    }

    void add_parameter_derivative([[maybe_unused]] const Parameter& p, [[maybe_unused]] const VecX& y,
                                  [[maybe_unused]] Eigen::MatrixXd& by) const override {
      assert(by.rows() == y.size() && by.cols() == p.size());
      if constexpr (ElementWithParameters<E>)
        family_.for_each_by_colour([&](int i) {
          const ParameterDerivative<K> g = element(i).gradient_by(p, at(y, i), at(x_, i), starts_[i]);
          if (g.cols() == 0) return;
          for (int a = 0; a < K; ++a)
            by.middleRows<3>(3 * element(i).vertices[a]) += g.template middleRows<3>(3 * a);
        });
    }

    const Tensions* tensions() const override {
      if constexpr (ElementWithTension<E>) return &tensions_;
      return nullptr;
    }
    const Limit* limit() const override {
      if constexpr (ElementWithLimit<E>) return &limit_;
      return nullptr;
    }

   private:
    friend class StepTensions;
    friend class StepLimit;

    const E& element(int i) const { return family_.elements_[i]; }
    Stencil<K> at(const VecX& y, int i) const { return gather<K>(y, element(i).vertices); }

    StencilHessian<K> hessian(const VecX& y, [[maybe_unused]] std::span<const double> tension, int i) const {
      if constexpr (ElementWithTension<E>) {
        if (!tension.empty()) {
          std::array<double, E::kConditions> sigma;
          std::copy_n(tension.begin() + E::kConditions * i, E::kConditions, sigma.begin());
          return element(i).hessian_with_tension(at(y, i), starts_[i], sigma);
        }
      }
      return element(i).hessian(at(y, i), starts_[i]);
    }

    void add_cross([[maybe_unused]] const VecX& y, [[maybe_unused]] const VecX& x,
                   [[maybe_unused]] const StepScheme::Level& level, [[maybe_unused]] BlockMatrix& C,
                   [[maybe_unused]] BlockMatrix& D) const {
      if constexpr (ElementWithMemory<E>) {
        family_.for_each_by_colour([&](int i) {
          if (!element(i).depends_on_start()) return;
          add_blocks(i, element(i).cross_x(at(y, i), at(x, i), starts_[i], level), C);
          if constexpr (ElementWithVelocityMemory<E>)
            add_blocks(i, element(i).cross_v(at(y, i), starts_[i], level), D);
        });
      }
    }

    void add_blocks(int i, const StencilHessian<K>& h, BlockMatrix& matrix) const {
      for (int a = 0; a < K; ++a)
        for (int b = 0; b < K; ++b)
          matrix.block(family_.slots_[i][K * a + b]) += h.template block<3, 3>(3 * a, 3 * b);
    }

    const ElementFamily& family_;
    const VecX& x_;
    const VecX* x_before_;
    const StepScheme scheme_;
    std::vector<typename E::Start> starts_;
    struct None {
      explicit None(const Step&) {}
    };
    std::conditional_t<ElementWithTension<E>, StepTensions, None> tensions_{*this};
    std::conditional_t<ElementWithLimit<E>, StepLimit, None> limit_{*this};
  };

  std::string name_;
  std::vector<E> elements_;  // sorted by colour
  typename E::Shared shared_;
  std::vector<int> colour_begin_;
  std::vector<std::array<int, K * K>> slots_;
};

}  // namespace keydrape
