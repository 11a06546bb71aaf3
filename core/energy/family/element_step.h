#pragma once

#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/energy/family/element_set.h"
#include "core/energy/family/linearized_terms.h"

namespace keydrape {

// Elements of one type during one step, and what each keeps from its start.
template <Element E>
class ElementsInStep {
 public:
  static constexpr int K = E::kVertices;

  ElementsInStep(const ElementSet<E>& set, const typename E::Shared& shared_by_all, const StepStart& start)
      : set_(set), starts_(set.size()) {
    const auto& shared = shared_at_step(shared_by_all, start);
    set.for_each([&](int i) {
      const E& e = set[i];
      StartStencil<K> at{gather<K>(start.x, e.vertices), gather<K>(start.v, e.vertices)};
      if (start.x_before) {
        at.x_before = gather<K>(*start.x_before, e.vertices);
        at.v_before = gather<K>(*start.v_before, e.vertices);
      }
      starts_[i] = e.start(shared, start, at);
    });
  }

  const ElementSet<E>& set() const { return set_; }
  const E& element(int i) const { return set_[i]; }
  const typename E::Start& start(int i) const { return starts_[i]; }
  Stencil<K> at(const VecX& y, int i) const { return gather<K>(y, set_[i].vertices); }
  LaneGroup<E> group(int begin, int end) const { return {set_.elements(), starts_, begin, end}; }

 private:
  const ElementSet<E>& set_;
  std::vector<typename E::Start> starts_;
};

// Whether a lane is left to its element.
inline bool is_left(LaneMask left, int lane) { return left >> lane & 1u; }

template <ElementWithTension E>
class ElementTensions final : public Tensions {
 public:
  static constexpr int K = E::kVertices;

  explicit ElementTensions(const ElementsInStep<E>& elements) : elements_(elements) {}

  void at(const VecX& y, std::span<double> tension) const override {
    fill(
        tension, [&](const auto& group, auto& sigma) { return lane_tensions(group, y, sigma); },
        [&](int i) { return elements_.element(i).tension(elements_.at(y, i), elements_.start(i)); });
  }

  void predict(const VecX& y, const VecX& dy, std::span<double> tension) const override {
    fill(
        tension, [&](const auto& group, auto& sigma) { return lane_predictions(group, y, dy, sigma); },
        [&](int i) {
          const Stencil<K> at = elements_.at(y, i);
          auto sigma = elements_.element(i).tension(at, elements_.start(i));
          const auto change =
              elements_.element(i).tension_change(at, elements_.at(dy, i), elements_.start(i));
          for (int c = 0; c < E::kConditions; ++c) sigma[c] += change[c];
          return sigma;
        });
  }

  void project(const VecX& y, std::span<double> tension) const override {
    if constexpr (ElementWithLeastTension<E>)
      elements_.set().for_each([&](int i) {
        tension[i] =
            std::max(tension[i], elements_.element(i).least_tension(elements_.at(y, i), elements_.start(i)));
      });
    else
      for (double& sigma : tension) sigma = ElementStiffenedByTension<E> ? std::max(sigma, 0.0) : 0.0;
  }

 private:
  // The conditions of all elements: those of groups at once, and of each element that these leave.
  template <class OfGroup, class OfElement>
  void fill(std::span<double> tension, [[maybe_unused]] const OfGroup& of_group,
            const OfElement& of_element) const {
    assert(static_cast<int>(tension.size()) == E::kConditions * elements_.set().size());
    const auto fill_element = [&](int i) {
      const auto sigma = of_element(i);
      std::copy(sigma.begin(), sigma.end(), tension.begin() + E::kConditions * i);
    };
    if constexpr (ElementInLanes<E>)
      elements_.set().for_each_group([&](int begin, int end) {
        LaneConditions<E> sigma;
        const LaneMask left = of_group(elements_.group(begin, end), sigma);
        for (int i = begin; i < end; ++i)
          if (is_left(left, i - begin))
            fill_element(i);
          else
            for (int c = 0; c < E::kConditions; ++c) tension[E::kConditions * i + c] = sigma[c][i - begin];
      });
    else
      elements_.set().for_each(fill_element);
  }

  const ElementsInStep<E>& elements_;
};

template <ElementWithLimit E>
class ElementLimit final : public Limit {
 public:
  explicit ElementLimit(const ElementsInStep<E>& elements) : elements_(elements) {}

  double step_bound(const VecX& y, const VecX& dy, double enough) const override {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(0, elements_.set().size(), 256), enough,
        [&](const auto& r, double bound) {
          for (int i = r.begin(); i < r.end(); ++i)
            bound = std::min(bound, elements_.element(i).free_share(elements_.at(y, i), elements_.at(dy, i),
                                                                    elements_.start(i)));
          return bound;
        },
        [](double a, double b) { return std::min(a, b); });
  }

  int count_violations(const VecX& y) const override {
    int count = 0;
    for (int i = 0; i < elements_.set().size(); ++i)
      count += elements_.element(i).is_passed(elements_.at(y, i), elements_.start(i));
    return count;
  }

 private:
  const ElementsInStep<E>& elements_;
};

// The energy of a set of elements in one step; `set` and what `start` refers to outlive it.
template <Element E>
class ElementStep final : public EnergyStep {
 public:
  static constexpr int K = E::kVertices;

  ElementStep(const ElementSet<E>& set, const typename E::Shared& shared, const StepStart& start)
      : set_(set),
        x_(start.x),
        x_before_(start.x_before),
        scheme_(start.scheme()),
        elements_(set, shared, start) {}

  double value(const VecX& y) const override {
    return tbb::parallel_deterministic_reduce(
        tbb::blocked_range<int>(0, set_.group_count(), 64), 0.0,
        [&](const auto& r, double sum) {
          for (int g = r.begin(); g < r.end(); ++g)
            sum += value_of_group(y, set_.group_begin(g), set_.group_begin(g + 1));
          return sum;
        },
        std::plus<>());
  }

  void add_gradient(const VecX& y, VecX& gradient) const override {
    const auto add = [&](int i, const Stencil<K>& g) {
      for (int a = 0; a < K; ++a) gradient.segment<3>(3 * set_[i].vertices[a]) += g.col(a);
    };
    const auto add_element = [&](int i) { add(i, set_[i].gradient(elements_.at(y, i), elements_.start(i))); };
    if constexpr (ElementInLanes<E>)
      set_.for_each_group_by_colour([&](int begin, int end) {
        StencilOf<Lanes, K> g;
        const LaneMask left = lane_gradients(elements_.group(begin, end), y, g);
        for (int i = begin; i < end; ++i)
          if (is_left(left, i - begin))
            add_element(i);
          else
            add(i, lane(g, i - begin));
      });
    else
      set_.for_each_by_colour(add_element);
  }

  bool has_constant_hessian() const override { return QuadraticElement<E>; }

  void add_hessian(const VecX& y, const HessianForm& form, BlockMatrix& H) const override {
    const auto add_element = [&](int i) { set_.add_upper(i, hessian(y, form.tension, i), H); };
    if constexpr (ElementInLanes<E>)
      set_.for_each_group_by_colour([&](int begin, int end) {
        StencilHessianOf<Lanes, K> h;
        const LaneMask left = hessians(y, form.tension, begin, end, h);
        for (int i = begin; i < end; ++i)
          if (is_left(left, i - begin))
            add_element(i);
          else
            set_.add_upper(i, lane(h, i - begin), H);
      });
    else
      set_.for_each_by_colour(add_element);
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
      set_.for_each_by_colour([&](int i) {
        set_.add_all(
            i, linearized_cross_x(set_[i], elements_.at(x_, i), elements_.at(d, i), elements_.start(i)), C);
      });
    else
      add_cross(x_ + d, x_, scheme_.start, C, D);
  }

  void add_parameter_derivative([[maybe_unused]] const Parameter& p, [[maybe_unused]] const VecX& y,
                                [[maybe_unused]] Eigen::MatrixXd& by) const override {
    assert(by.rows() == y.size() && by.cols() == p.size());
    if constexpr (ElementWithParameters<E>)
      set_.for_each_by_colour([&](int i) {
        const ParameterDerivative<K> g =
            set_[i].gradient_by(p, elements_.at(y, i), elements_.at(x_, i), elements_.start(i));
        if (g.cols() == 0) return;
        for (int a = 0; a < K; ++a)
          by.middleRows<3>(3 * set_[i].vertices[a]) += g.template middleRows<3>(3 * a);
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
  double value_of_group(const VecX& y, int begin, int end) const {
    Lanes W(0.0);
    LaneMask left = ~0u;
    if constexpr (ElementInLanes<E>) left = lane_values(elements_.group(begin, end), y, W);
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
      sum += is_left(left, i - begin) ? set_[i].value(elements_.at(y, i), elements_.start(i)) : W[i - begin];
    return sum;
  }

  // One lane's numbers.
  template <class M>
  static auto lane(const M& of_lanes, int lane) {
    return of_lanes.unaryExpr([lane](const Lanes& x) { return x[lane]; });
  }

  LaneMask hessians(const VecX& y, std::span<const double> tension, int begin, int end,
                    StencilHessianOf<Lanes, K>& h) const {
    const LaneGroup<E> group = elements_.group(begin, end);
    if (tension.empty()) return lane_hessians(group, y, nullptr, h);
    LaneConditions<E> sigma;
    for (int c = 0; c < E::kConditions; ++c)
      sigma[c] =
          Lanes::each([&](int l) { return tension[E::kConditions * std::min(begin + l, end - 1) + c]; });
    return lane_hessians(group, y, &sigma, h);
  }

  StencilHessian<K> hessian(const VecX& y, [[maybe_unused]] std::span<const double> tension, int i) const {
    const auto& start = elements_.start(i);
    if constexpr (ElementWithTension<E>) {
      if (!tension.empty()) {
        std::array<double, E::kConditions> sigma;
        std::copy_n(tension.begin() + E::kConditions * i, E::kConditions, sigma.begin());
        return set_[i].hessian_with_tension(elements_.at(y, i), start, sigma);
      }
    }
    return set_[i].hessian(elements_.at(y, i), start);
  }

  void add_cross([[maybe_unused]] const VecX& y, [[maybe_unused]] const VecX& x,
                 [[maybe_unused]] const StepScheme::Level& level, [[maybe_unused]] BlockMatrix& C,
                 [[maybe_unused]] BlockMatrix& D) const {
    if constexpr (ElementWithMemory<E>) {
      set_.for_each_by_colour([&](int i) {
        if (!set_[i].depends_on_start()) return;
        const auto& start = elements_.start(i);
        set_.add_all(i, set_[i].cross_x(elements_.at(y, i), elements_.at(x, i), start, level), C);
        if constexpr (ElementWithVelocityMemory<E>)
          set_.add_all(i, set_[i].cross_v(elements_.at(y, i), start, level), D);
      });
    }
  }

  const ElementSet<E>& set_;
  const VecX& x_;
  const VecX* x_before_;
  const StepScheme scheme_;
  ElementsInStep<E> elements_;
  struct None {
    explicit None(const ElementsInStep<E>&) {}
  };
  // T<E> where E has what T is about: elsewhere not even its name is valid.
  template <bool kHas, template <class> class T>
  struct If {
    using Type = None;
  };
  template <template <class> class T>
  struct If<true, T> {
    using Type = T<E>;
  };
  typename If<ElementWithTension<E>, ElementTensions>::Type tensions_{elements_};
  typename If<ElementWithLimit<E>, ElementLimit>::Type limit_{elements_};
};

}  // namespace keydrape
