#include "core/linear/library_threads.h"

#include <dlfcn.h>

namespace keydrape {

// Both are found by name: which BLAS there is, and whether CHOLMOD was built with OpenMP, is known to the
// system's linker alone.
void limit_library_threads() {
  using Set = void (*)(int);
  const auto find = [](const char* name) { return reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, name)); };
  if (const Set blas_threads = find("openblas_set_num_threads")) blas_threads(1);
  // No parallel regions at all: each runs on the thread that comes to it.
  if (const Set open_mp_levels = find("omp_set_max_active_levels")) open_mp_levels(0);
}

}  // namespace keydrape
