#pragma once

namespace keydrape {

// Keeps BLAS and CHOLMOD to the thread that calls them, in the whole process, from now on. A second thread of
// BLAS gains nothing at the sizes of a supernode and changes the bits; CHOLMOD wakes four threads of OpenMP
// for loops that copy. A program calls this once, first thing in main(): no function of the library does,
// since another part of the program may want those threads. Without it results are right, but not the same
// to the bit on another number of cores, and slower. Other libraries than OpenBLAS and OpenMP are left alone.
void limit_library_threads();

}  // namespace keydrape
