#pragma once

// An attribute of functions: compiled for several kinds of processors, one of which is chosen when the
// program starts, by the vector instructions that it finds. Not under ThreadSanitizer: the choice is made
// before its runtime is there.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define KEYDRAPE_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define KEYDRAPE_FOR_EACH_PROCESSOR
#endif
