#if defined(OPENVDB_VERSION_HAS_BEEN_INCLUDED)  // see parallel_for.h
#include_next <tbb/parallel_reduce.h>
#elif !defined(KEYDRAPE_THREAD_PARALLEL_REDUCE)
#define KEYDRAPE_THREAD_PARALLEL_REDUCE

#include "tests/thread/tbb/fork_join.h"

namespace tbb {

// Joined in the order of the pieces.
template <class Index, class Value, class Function, class Join>
Value parallel_deterministic_reduce(const blocked_range<Index>& range, const Value& identity,
                                    const Function& function, const Join& join) {
  std::vector<Value> parts(fork_join::piece_count(range), identity);
  fork_join::run(static_cast<int>(parts.size()),
                 [&](int k) { parts[k] = function(fork_join::piece(range, k), identity); });
  Value sum = identity;
  for (const Value& part : parts) sum = join(sum, part);
  return sum;
}

template <class Index, class Value, class Function, class Join>
Value parallel_reduce(const blocked_range<Index>& range, const Value& identity, const Function& function,
                      const Join& join) {
  return parallel_deterministic_reduce(range, identity, function, join);
}

}  // namespace tbb

#endif
