#include "io/formats/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

template <class Scalar>
std::string bytes_of(const std::vector<Scalar>& values) {
  std::string bytes(values.size() * sizeof(Scalar), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string bytes_of(const VecX& values) {
  return bytes_of(std::vector<double>(values.begin(), values.end()));
}

std::string file(const std::string& layout, const std::string& body, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  text += static_cast<char>(layout.size() & 0xFF);
  text += static_cast<char>(layout.size() >> 8);
  if (version > 1) text += std::string(2, '\0');
  return text + layout + body;
}

// As numpy.save writes it, down to the blanks.
const std::string kLayout =
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }                                   \n";
const std::string kBody = bytes_of<double>({0, 1, 2, 3, 4, 0.1});

NpyArray read_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  return read_npy(folder.write("a.npy", bytes));
}

std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const auto path = folder.write("bad.npy", bytes);
  std::string message = message_of<InputError>([&] { read_npy(path); });
  EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
  return message;
}

TEST(ReadNpy, ReadsEveryVersion) {
  for (const int version : {1, 2, 3}) {
    const NpyArray array = read_bytes(file(kLayout, kBody, version));
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array.values[3], 3.0);
    EXPECT_EQ(array.values[5], 0.1);
  }
}

TEST(ReadNpy, ReadsSinglePrecisionAndAnyOrderOfKeys) {
  const NpyArray array =
      read_bytes(file("{\"shape\":(3,),'fortran_order':False,'descr':'<f4'}", bytes_of<float>({1, 2, 0.1f})));
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(array.values[2], static_cast<double>(0.1f));
}

TEST(ReadNpy, ReadsAnEmptyArray) {
  const NpyArray array = read_bytes(file("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", ""));
  EXPECT_EQ(array.values.size(), 0);
}

TEST(ReadNpy, NoFramesMayBeOfAnySizeAndAreWrittenAgain) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const NpyArray array = read_bytes(
      file(fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {}, 2), }}", most), ""));
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", array);
  EXPECT_EQ(read_npy(folder / "a.npy").shape, (std::vector<std::int64_t>{0, most, 2}));
}

TEST(ReadNpy, RefusesEveryTruncationAndEveryAddition) {
  const std::string whole = file(kLayout, kBody);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(says(refusal(whole.substr(0, size)), {"again"})) << size;
  }
  EXPECT_TRUE(says(refusal(whole + std::string(8, '\0')), {"56 bytes", "(2, 3) of 8 bytes"}));
  EXPECT_TRUE(says(refusal(whole + 'x'), {"49 bytes"}));
}

TEST(ReadNpy, RefusesOtherTypesAndOrders) {
  const auto layout = [](const std::string& descr, const std::string& fortran, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + "}";
  };
  EXPECT_TRUE(says(refusal(file(layout("'>f8'", "False", "(6,)"), kBody)), {"'>f8'", "astype('<f8')"}));
  EXPECT_TRUE(says(refusal(file(layout("'<i8'", "False", "(6,)"), kBody)), {"'<i8'"}));
  EXPECT_TRUE(says(refusal(file(layout("'|O'", "False", "(6,)"), kBody)), {"'|O'"}));
  EXPECT_TRUE(says(refusal(file(layout("[('x', '<f8')]", "False", "(6,)"), kBody)), {"header"}));
  EXPECT_TRUE(says(refusal(file(layout("'<f8'", "True", "(6,)"), kBody)), {"Fortran", "ascontiguousarray"}));
  EXPECT_TRUE(says(refusal(file(layout("'<f8'", "False", "()"), kBody)), {"0 dimensions"}));
  EXPECT_TRUE(says(refusal(file(layout("'<f8'", "False", "(1, 1, 2, 3)"), kBody)), {"4 dimensions"}));
  EXPECT_TRUE(says(refusal(file(layout("'<f8'", "False", "(-6,)"), kBody)), {"header"}));
  EXPECT_TRUE(says(refusal(file(layout("'<f8'", "False", "(5,)"), kBody)), {"(5)"}));
  // 2^32 * 2^32 is 0 in 64 bits.
  EXPECT_TRUE(
      says(refusal(file(layout("'<f8'", "False", "(4294967296, 4294967296)"), "")), {"0 bytes after"}));
  EXPECT_TRUE(says(refusal(file(layout("'<f8'", "False", "(99999999999999999999,)"), kBody)), {"header"}));
}

TEST(ReadNpy, RefusesBrokenHeaders) {
  EXPECT_TRUE(says(refusal("PK\x03\x04 this is a zip file"), {"\\x93NUMPY"}));
  EXPECT_TRUE(says(refusal(file(kLayout, kBody, 4)), {"version 4"}));
  EXPECT_TRUE(says(refusal(file("{'descr': '<f8', 'shape': (6,)}", kBody)), {"header"}));
  EXPECT_TRUE(
      says(refusal(file("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}", kBody)),
           {"header"}));
  EXPECT_TRUE(
      says(refusal(file("{'descr': '<f8', 'fortran_order': False, 'shape': (6,)} + x", kBody)), {"header"}));
  std::string huge = file(kLayout, kBody, 2);
  huge.replace(8, 4, "\xFF\xFF\xFF\x7F");
  EXPECT_TRUE(says(refusal(huge), {"2147483647 bytes"}));
}

TEST(ReadNpy, NamesTheValueThatIsNotFinite) {
  const std::string body = bytes_of<double>({0, 1, 2, 3, std::nan(""), 5});
  EXPECT_TRUE(says(refusal(file(kLayout, body)), {"value 4", "nan"}));
}

TEST(NpyWriter, WritesFrameByFrameWhatTheFormatAsks) {
  const TemporaryFolder folder;
  const VecX frame = VecX::LinSpaced(6, 0.0, 1.0);
  NpyWriter writer(folder / "a.npy", {2, 3});
  writer.append(frame);
  writer.append(2 * frame);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
  writer.commit();
  EXPECT_EQ(writer.frame_count(), 2);

  const std::string bytes = folder.read("a.npy");
  EXPECT_TRUE(bytes.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
  const std::size_t header_bytes =
      10 + static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(header_bytes % 64, 0u);
  EXPECT_EQ(bytes[header_bytes - 1], '\n');
  EXPECT_TRUE(
      bytes.substr(10).starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 3), }  "));
  EXPECT_EQ(bytes.size(), header_bytes + 2 * 6 * sizeof(double));

  const NpyArray array = read_npy(folder / "a.npy");
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(array.values.head(6), frame);
  EXPECT_EQ(array.values.tail(6), VecX(2 * frame));
}

TEST(NpyWriter, RefusesNumbersThatAreNotFiniteAndLeavesNothing) {
  const TemporaryFolder folder;
  {
    NpyWriter writer(folder / "a.npy", {1, 3});
    const std::string message = message_of<OutputError>([&] { writer.append(Vec3(0, std::nan(""), 0)); });
    EXPECT_TRUE(says(message, {"a.npy", "value 1 of frame 0", "repair it where it comes from"}));
  }
  EXPECT_EQ(folder.file_count(), 0);
}

// Nothing, however large the other dimensions say it is.
TEST(ReadNpy, DimensionsBesideZeroMayBeOfAnySize) {
  const TemporaryFolder folder;
  for (const char* shape : {"9000000000000000000, 9000000000000000000, 0", "0, 9000000000000000000, 4"}) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::string(shape) + "), }";
    header.resize(117, ' ');
    const std::string start("\x93NUMPY\1\0\x76\0", 10);
    const NpyArray array = read_npy(folder.write("a.npy", start + header + "\n"));
    EXPECT_EQ(array.values.size(), 0);
    const std::string message =
        message_of<InputError>([&] { read_npy(folder.write("b.npy", start + header + "\n" + "12345678")); });
    EXPECT_TRUE(says(message, {"b.npy: holds 8 bytes after its header; expected an array (", shape}));
  }
}

TEST(WriteNpy, RoundTripIsBitExact) {
  const TemporaryFolder folder;
  VecX values(6);
  values << 0.1, -0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
      1.0 / 3.0, -7;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{6}, {3, 2}, {1, 2, 3}}) {
    write_npy(folder / "a.npy", {shape, values});
    const NpyArray array = read_npy(folder / "a.npy");
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(bytes_of(array.values), bytes_of(values));
  }
}

}  // namespace
}  // namespace keydrape
