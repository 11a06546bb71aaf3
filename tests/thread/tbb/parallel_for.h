// OpenVDB's own loops need all of TBB, and are not ours to check.
#if defined(OPENVDB_VERSION_HAS_BEEN_INCLUDED)
#include_next <tbb/parallel_for.h>
#elif !defined(KEYDRAPE_THREAD_PARALLEL_FOR)
#define KEYDRAPE_THREAD_PARALLEL_FOR

#include "tests/thread/tbb/fork_join.h"

namespace tbb {

template <class Index, class Body>
void parallel_for(const blocked_range<Index>& range, const Body& body) {
  fork_join::run(fork_join::piece_count(range), [&](int k) {
    blocked_range<Index> piece = fork_join::piece(range, k);  // which loops of OpenVDB take by reference
    body(piece);
  });
}

template <class Index, class Function>
void parallel_for(Index first, Index last, const Function& function) {
  parallel_for(blocked_range<Index>(first, last), [&](const blocked_range<Index>& piece) {
    for (Index i = piece.begin(); i < piece.end(); ++i) function(i);
  });
}

}  // namespace tbb

#endif
