// Families whose elements are evaluated side by side against each element by itself.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/energy/family/element_family.h"
#include "tests/support/noise.h"

namespace keydrape {
namespace {

using test::Rng;

constexpr double kComparedDt = 0.01;
constexpr int kVertexCount = 40;

TEST(Lanes, ComputeAsNumbersDo) {
  const Lanes a = Lanes::each([](int l) { return 1.0 + l; }), b(2.0);
  const Lanes mixed = sqrt(a * b - a / b + (-a));
  for (int l = 0; l < Lanes::kCount; ++l) {
    const double x = 1.0 + l;
    EXPECT_DOUBLE_EQ(mixed[l], std::sqrt(x * 2.0 - x / 2.0 - x));
  }
}

// What a family adds, and what its elements say one by one.
template <class E>
class Compared {
 public:
  static constexpr int K = E::kVertices;

  // count: of elements, with vertices at random.
  Compared(int count, unsigned seed,
           const std::function<E(int, const std::array<int, K>&, const VecX&)>& element,
           typename E::Shared shared = {})
      : shared_(std::move(shared)) {
    Rng rng(seed);
    x_ = test::noise(rng, kVertexCount, 1.0);
    v_ = test::noise(rng, kVertexCount, 1.0);
    y_ = x_ + kComparedDt * v_ + test::noise(rng, kVertexCount, 0.05);
    std::uniform_int_distribution<int> any(0, kVertexCount - 1);
    std::vector<E> elements;
    for (int i = 0; i < count; ++i) {
      std::array<int, K> vertices;
      for (int a = 0; a < K; ++a) {
        do vertices[a] = any(rng);
        while (std::find(vertices.begin(), vertices.begin() + a, vertices[a]) != vertices.begin() + a);
      }
      elements.push_back(element(i, vertices, x_));
    }
    family_ = std::make_unique<ElementFamily<E>>("compared", elements, shared_);
    std::vector<Edge> pairs;
    family_->append_couplings(pairs);
    pattern_ = std::make_unique<BlockPattern>(kVertexCount, pairs);
    family_->bind(*pattern_);
    start_ = std::make_unique<StepStart>(StepStart{kComparedDt, 0.5, x_, v_});
    step_ = family_->begin_step(*start_);
  }

  void check() const {
    double W = 0.0;
    VecX g = VecX::Zero(y_.size()), from_family = g;
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(y_.size(), y_.size()), H_tension = H;
    std::vector<double> sigma, predicted, other;
    const VecX dy = y_ - x_;
    Rng rng(9);
    std::uniform_real_distribution<double> tension(-1.0, 1.0);
    for (const E& e : family_->elements()) {
      const auto s = e.start(shared_, *start_, {at(x_, e), at(v_, e)});
      const Stencil<K> y = at(y_, e);
      W += e.value(y, s);
      const Stencil<K> of_e = e.gradient(y, s);
      for (int a = 0; a < K; ++a) g.segment<3>(3 * e.vertices[a]) += of_e.col(a);
      add(e, e.hessian(y, s), H);
      std::array<double, E::kConditions> any;
      for (double& t : any) other.push_back(t = tension(rng));
      add(e, e.hessian_with_tension(y, s, any), H_tension);
      const auto at_y = e.tension(y, s), at_x = e.tension(at(x_, e), s),
                 change = e.tension_change(at(x_, e), at(dy, e), s);
      for (int c = 0; c < E::kConditions; ++c) {
        sigma.push_back(at_y[c]);
        predicted.push_back(at_x[c] + change[c]);
      }
    }
    EXPECT_NEAR(step_->value(y_), W, 1e-13 * std::abs(W));
    step_->add_gradient(y_, from_family);
    EXPECT_LE((from_family - g).norm(), 1e-12 * g.norm());
    EXPECT_LE((dense({}) - H).norm(), 1e-12 * H.norm());
    EXPECT_LE((dense({other}) - H_tension).norm(), 1e-12 * H_tension.norm());
    std::vector<double> found(sigma.size());
    step_->tensions()->at(y_, found);
    expect_near(found, sigma);
    step_->tensions()->predict(x_, dy, found);
    expect_near(found, predicted);
  }

 private:
  static Stencil<K> at(const VecX& y, const E& e) { return gather<K>(y, e.vertices); }
  static void add(const E& e, const StencilHessian<K>& h, Eigen::MatrixXd& H) {
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K; ++b)
        H.block<3, 3>(3 * e.vertices[a], 3 * e.vertices[b]) += h.template block<3, 3>(3 * a, 3 * b);
  }
  Eigen::MatrixXd dense(const HessianForm& form) const {
    BlockMatrix H(*pattern_);
    H.set_zero();
    step_->add_hessian(y_, form, H);
    H.mirror_upper();
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(y_.size(), y_.size());
    for (int i = 0; i < kVertexCount; ++i)
      for (int s = pattern_->row_begin(i); s < pattern_->row_end(i); ++s)
        full.block<3, 3>(3 * i, 3 * pattern_->column(s)) = H.block(s);
    return full;
  }
  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    double largest = 0.0;
    for (const double t : expected) largest = std::max(largest, std::abs(t));
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12 * largest) << i;
  }

  typename E::Shared shared_;
  VecX x_, v_, y_;
  std::unique_ptr<ElementFamily<E>> family_;
  std::unique_ptr<BlockPattern> pattern_;
  std::unique_ptr<StepStart> start_;
  std::unique_ptr<EnergyStep> step_;
};

// Groups that are full and that are not, blocks likewise.
const std::vector<int> kCounts{1, 7, 8, 9, 130, 300};

RestTriangle rest_triangle(int i) {
  return RestTriangle::from_corners({0, 0}, {0.5 + 0.01 * (i % 7), 0.02 * (i % 5)},
                                    {0.1, 0.4 + 0.03 * (i % 3)});
}

TEST(ElementsInLanes, AreWhatEachHingeIs) {
  for (const int count : kCounts)
    Compared<HingeBending>(count, count, [](int i, const auto& vertices, const VecX&) {
      HingeBending e{vertices, 0.3 * (i % 4) - 0.4, 2.0 + i % 3, 0.02};
      e.friction = {i % 2 * 0.1, 1.0};
      return e;
    }).check();
}

TEST(ElementsInLanes, LeaveHingesThatFade) {
  Compared<HingeBending>(60, 3, [](int i, const auto& vertices, const VecX&) {
    HingeBending e{vertices, 0.2, 2.0, 0.02};
    if (i % 3 == 0) e.whole_areas = {10.0, 0.1};
    return e;
  }).check();
}

TEST(ElementsInLanes, AreWhatEachStretchIs) {
  for (const int count : kCounts)
    Compared<Stretch>(count, count,
                      [](int i, const auto& vertices, const VecX&) {
                        return Stretch{vertices, rest_triangle(i), 20.0 + i % 3, 30.0, 0.01 * (i % 2)};
                      },
                      {.scale = Vec2(1.1, 0.9)})
        .check();
}

TEST(ElementsInLanes, LeaveCoupledStretch) {
  Compared<Stretch>(60, 4, [](int i, const auto& vertices, const VecX&) {
    return Stretch{vertices, rest_triangle(i), 20.0, 30.0, 0.01, 1.0, i % 3 == 0 ? 0.4 : 0.0};
  }).check();
}

TEST(ElementsInLanes, AreWhatEachShearIs) {
  for (const int count : kCounts)
    Compared<Shear>(count, count,
                    [](int i, const auto& vertices, const VecX&) {
                      return Shear{vertices, rest_triangle(i), 5.0 + i % 4, 0.01, 1.0, true};
                    },
                    {.hysteresis = {0.2, 1.0}})
        .check();
}

}  // namespace
}  // namespace keydrape
