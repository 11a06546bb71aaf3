#if defined(OPENVDB_VERSION_HAS_BEEN_INCLUDED)  // see parallel_for.h
#include_next <tbb/parallel_invoke.h>
#elif !defined(KEYDRAPE_THREAD_PARALLEL_INVOKE)
#define KEYDRAPE_THREAD_PARALLEL_INVOKE

#include "tests/thread/tbb/fork_join.h"

namespace tbb {

template <class First, class Second>
void parallel_invoke(const First& first, const Second& second) {
  fork_join::run(2, [&](int k) {
    if (k == 0) first();
    if (k == 1) second();
  });
}

}  // namespace tbb

#endif
