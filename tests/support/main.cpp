#include <gtest/gtest.h>

#include "core/linear/library_threads.h"

// As every program does: some tests compare bits.
int main(int argc, char** argv) {
  keydrape::limit_library_threads();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
