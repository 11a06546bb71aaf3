#pragma once

#include <dlfcn.h>

// Inside of tests/faults/ only: the function behind one that a preloaded library stands in for.
template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}
