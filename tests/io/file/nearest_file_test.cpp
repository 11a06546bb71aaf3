#include "io/file/nearest_file.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

TEST(NearestFile, NamesWhatWasProbablyMeant) {
  TemporaryFolder folder;
  folder.write("rest.obj", "");
  folder.write("pose.1024.obj", "");
  folder.write("cache.pc2", "");
  EXPECT_EQ(missing_file_hint(folder / "Rest.OBJ"), "did you mean \"rest.obj\"?");
  EXPECT_EQ(missing_file_hint(folder / "rset.obj"), "did you mean \"rest.obj\"?");
  EXPECT_EQ(missing_file_hint(folder / "pose.1042.obj"), "did you mean \"pose.1024.obj\"?");
  EXPECT_EQ(missing_file_hint(folder / "cache.usda"), "did you mean \"cache.pc2\"?");
  EXPECT_EQ(missing_file_hint(folder / "waist_weights.txt"), "");
  EXPECT_EQ(missing_file_hint(folder / "gone" / "rest.obj"),
            "there is no folder \"" + (folder / "gone").string() + "\"");
}

}  // namespace
}  // namespace keydrape
