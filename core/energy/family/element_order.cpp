#include "core/energy/family/element_order.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace keydrape {

namespace {

// The elements of each vertex.
struct Incidence {
  std::vector<int> begin, element;

  Incidence(std::span<const int> vertices, int per_element, int vertex_count)
      : begin(vertex_count + 1, 0), element(vertices.size()) {
    for (const int v : vertices) ++begin[v + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (size_t i = 0; i < vertices.size(); ++i)
      element[next[vertices[i]]++] = static_cast<int>(i) / per_element;
  }
  std::span<const int> of(int v) const {
    return std::span(element).subspan(begin[v], begin[v + 1] - begin[v]);
  }
};

class Order {
 public:
  Order(std::span<const int> vertices, int per_element)
      : vertices_(vertices),
        per_element_(per_element),
        count_(static_cast<int>(vertices.size()) / per_element),
        vertex_count_(vertices.empty() ? 0 : 1 + *std::max_element(vertices.begin(), vertices.end())),
        incidence_(vertices, per_element, vertex_count_),
        round_of_(count_, 0) {}

  // Elements in the order in which a search in breadth meets them. It begins where another search ended: far
  // out, so that it passes over a sheet in narrow strips, and a block of them touches few others.
  std::vector<int> by_strips() {
    std::vector<int> order;
    for (int e = 0; e < count_; ++e)
      if (round_of_[e] == 0) {
        std::vector<int> met;
        search(e, 1, met);
        const int last = met.back();
        search(last, 2, order);
      }
    return order;
  }

  std::span<const int> of(int e) const {
    return vertices_.subspan(static_cast<size_t>(per_element_) * e, per_element_);
  }
  int vertex_count() const { return vertex_count_; }

 private:
  void search(int from, int round, std::vector<int>& order) {
    size_t next = order.size();
    order.push_back(from);
    round_of_[from] = round;
    for (; next < order.size(); ++next)
      for (const int v : of(order[next]))
        for (const int e : incidence_.of(v))
          if (round_of_[e] != round) round_of_[e] = round, order.push_back(e);
  }

  std::span<const int> vertices_;
  int per_element_, count_, vertex_count_;
  Incidence incidence_;
  std::vector<int> round_of_;  // in which search each was met last
};

}  // namespace

ElementOrder order_elements(std::span<const int> vertices, int per_element, int block_size) {
  assert(block_size > 0 && vertices.size() % per_element == 0);
  Order order(vertices, per_element);
  const std::vector<int> strips = order.by_strips();
  const int count = static_cast<int>(strips.size());

  std::vector<std::vector<int>> blocks_of_colour;
  std::vector<std::vector<bool>> is_written;  // by colour and vertex
  for (int begin = 0; begin < count; begin += block_size) {
    const std::span block = std::span(strips).subspan(begin, std::min(block_size, count - begin));
    const auto is_free = [&](const std::vector<bool>& written) {
      return std::none_of(block.begin(), block.end(), [&](int e) {
        const auto of_e = order.of(e);
        return std::any_of(of_e.begin(), of_e.end(), [&](int v) { return written[v]; });
      });
    };
    const auto found = std::find_if(is_written.begin(), is_written.end(), is_free);
    const size_t colour = found - is_written.begin();
    if (found == is_written.end()) {
      is_written.emplace_back(order.vertex_count(), false);
      blocks_of_colour.emplace_back();
    }
    for (const int e : block)
      for (const int v : order.of(e)) is_written[colour][v] = true;
    blocks_of_colour[colour].push_back(begin);
  }

  ElementOrder result{{}, {0}, {0}};
  for (const std::vector<int>& blocks : blocks_of_colour) {
    for (const int begin : blocks) {
      const int end = std::min(begin + block_size, count);
      result.elements.insert(result.elements.end(), strips.begin() + begin, strips.begin() + end);
      result.block_begin.push_back(static_cast<int>(result.elements.size()));
    }
    result.colour_begin.push_back(static_cast<int>(result.block_begin.size()) - 1);
  }
  return result;
}

}  // namespace keydrape
