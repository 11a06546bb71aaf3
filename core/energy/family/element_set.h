#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/energy/element.h"
#include "core/energy/family/element_lanes.h"
#include "core/energy/family/element_order.h"
#include "core/linear/block_matrix.h"

namespace keydrape {

template <int K>
Stencil<K> gather(const VecX& x, const std::array<int, K>& vertices) {
  Stencil<K> s;
  for (int a = 0; a < K; ++a) s.col(a) = x.segment<3>(3 * vertices[a]);
  return s;
}

// Elements of one type in an order in which threads may add to vertices, and their places in a matrix.
template <Element E>
class ElementSet {
 public:
  static constexpr int K = E::kVertices;

  explicit ElementSet(const std::vector<E>& elements) {
    std::vector<int> vertices;
    for (const E& e : elements) vertices.insert(vertices.end(), e.vertices.begin(), e.vertices.end());
    order_ = order_elements(vertices, K, kBlock);
    for (const int e : order_.elements) elements_.push_back(elements[e]);
  }

  const std::vector<E>& elements() const { return elements_; }
  const E& operator[](int i) const { return elements_[i]; }
  int size() const { return static_cast<int>(elements_.size()); }

  void bind(const BlockPattern& pattern) {
    slots_.resize(elements_.size());
    for (size_t i = 0; i < elements_.size(); ++i)
      for (int a = 0; a < K; ++a)
        for (int b = 0; b < K; ++b)
          slots_[i][K * a + b] = pattern.slot(elements_[i].vertices[a], elements_[i].vertices[b]);
  }

  // Calls body(i) for every element, in parallel; the calls must write to places of their own.
  template <class Body>
  void for_each(const Body& body) const {
    tbb::parallel_for(tbb::blocked_range<int>(0, size(), kGrain), [&](const auto& r) {
      for (int i = r.begin(); i < r.end(); ++i) body(i);
    });
  }

  // .. in parallel within a colour; the calls may write to the vertices of the element.
  template <class Body>
  void for_each_by_colour(const Body& body) const {
    for_each_block([&](int begin, int end) {
      for (int i = begin; i < end; ++i) body(i);
    });
  }

  // Calls body(begin, end) for groups of elements that fit side by side (lanes.h), as for_each.
  template <class Body>
  void for_each_group(const Body& body) const {
    tbb::parallel_for(tbb::blocked_range<int>(0, group_count(), kGrain / Lanes::kCount), [&](const auto& r) {
      for (int g = r.begin(); g < r.end(); ++g) body(group_begin(g), group_begin(g + 1));
    });
  }
  int group_count() const { return (size() + Lanes::kCount - 1) / Lanes::kCount; }
  int group_begin(int g) const { return std::min(g * Lanes::kCount, size()); }

  // .. as for_each_by_colour.
  template <class Body>
  void for_each_group_by_colour(const Body& body) const {
    for_each_block([&](int begin, int end) {
      for (int i = begin; i < end; i += Lanes::kCount) body(i, std::min(i + Lanes::kCount, end));
    });
  }

  // Adds the blocks of element i to H on its diagonal and above, from those of h on the diagonal and above.
  template <class M>
  void add_upper(int i, const M& h, BlockMatrix& H) const {
    const auto& vertices = elements_[i].vertices;
    for (int b = 0; b < K; ++b)
      for (int a = 0; a <= b; ++a)
        if (vertices[a] <= vertices[b])
          H.block(slots_[i][K * a + b]) += h.template block<3, 3>(3 * a, 3 * b);
        else
          H.block(slots_[i][K * b + a]) += h.template block<3, 3>(3 * a, 3 * b).transpose();
  }

  // Adds all of its blocks.
  void add_all(int i, const StencilHessian<K>& h, BlockMatrix& matrix) const {
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K; ++b) matrix.block(slots_[i][K * a + b]) += h.template block<3, 3>(3 * a, 3 * b);
  }

 private:
  static constexpr int kGrain = 256;  // elements a task: with 64, waking threads showed in the profile
  static constexpr int kBlock = 128;

  template <class Body>
  void for_each_block(const Body& body) const {
    for (size_t c = 0; c + 1 < order_.colour_begin.size(); ++c)
      tbb::parallel_for(tbb::blocked_range<int>(order_.colour_begin[c], order_.colour_begin[c + 1]),
                        [&](const auto& r) {
                          for (int k = r.begin(); k < r.end(); ++k)
                            body(order_.block_begin[k], order_.block_begin[k + 1]);
                        });
  }

  std::vector<E> elements_;
  ElementOrder order_;
  std::vector<std::array<int, K * K>> slots_;
};

}  // namespace keydrape
