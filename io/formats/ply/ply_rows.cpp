#include "io/formats/ply/ply_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "io/file/printable.h"

namespace keydrape::ply {
namespace {

using Words = std::span<const std::string_view>;

class AsciiRows final : public RowSource {
 public:
  // Places count from the file's beginning, and so the header is read once more.
  AsciiRows(const std::filesystem::path& path, std::string_view bytes)
      : reader_(path, bytes, WordReader::Continuation::kNone) {
    while (reader_.next_line()[0] != "end_header") {
    }
  }

  void next(const Element& element, std::int64_t index, Row& row) override {
    words_ = reader_.next_line();
    at_ = 0;
    if (words_.empty()) {
      reader_.fail(reader_.line_end(),
                   {fmt::format("the file ends before {} {}", in_quotes(element.name), index),
                    fmt::format("{} of them, as the header says", element.count),
                    "export the mesh again, as a whole"});
    }
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      row[p].clear();
      std::int64_t count = 1;
      if (property.count_type) {
        count = static_cast<std::int64_t>(number(element, *property.count_type));
        if (count < 0)
          reader_.fail(words_[at_ - 1], {fmt::format("a list of {} numbers", count), "0 or more",
                                         "correct it, or export again"});
      }
      for (std::int64_t i = 0; i < count; ++i) row[p].push_back(number(element, property.type));
    }
    if (at_ < words_.size()) {
      reader_.fail(words_[at_], {fmt::format("a line of {} words", words_.size()),
                                 fmt::format("{}, the numbers of one {}", at_, in_quotes(element.name)),
                                 "write one element a line, or export again"});
    }
  }

  [[noreturn]] void fail(const Element&, std::int64_t, const Complaint& complaint) const override {
    reader_.fail(words_[0], complaint);
  }

  void finish() override {
    const Words rest = reader_.next_line();
    if (!rest.empty()) {
      reader_.fail(rest[0], {fmt::format("{} behind the last element", in_quotes(rest[0])),
                             "the end of the file", "correct the counts in the header, or export again"});
    }
  }

 private:
  double number(const Element& element, const NumberType& type) {
    if (at_ == words_.size()) {
      reader_.fail(reader_.line_end(),
                   {fmt::format("a line of {} words", words_.size()),
                    fmt::format("more of them: all numbers of one {}", in_quotes(element.name)),
                    "write one element a line, or export again"});
    }
    const std::string_view word = words_[at_++];
    if (!type.is_integer) return reader_.number(word);
    const auto value = static_cast<double>(reader_.integer(word));
    if (value < type.low || value > type.high) {
      reader_.fail(word,
                   {in_quotes(word),
                    fmt::format("a number from {} to {}, as the header's type says", type.low, type.high),
                    "correct the header, or export again"});
    }
    return value;
  }

  WordReader reader_;
  Words words_;
  std::size_t at_ = 0;
};

class BinaryRows final : public RowSource {
 public:
  BinaryRows(const std::filesystem::path& path, std::string_view bytes, std::endian order)
      : path_(path), bytes_(bytes), swaps_(order != std::endian::native) {}

  void next(const Element& element, std::int64_t index, Row& row) override {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      std::size_t count = 1;
      if (property.count_type) {
        const double length = number(element, index, *property.count_type);
        if (length < 0)
          fail(element, index, {fmt::format("a list of {} numbers", length), "0 or more", kExport});
        count = static_cast<std::size_t>(length);
      }
      if (bytes_.size() / property.type.bytes < count) fail_short(element, index);
      row[p].resize(count);
      for (double& value : row[p]) {
        value = number(element, index, property.type);
        if (std::isfinite(value)) continue;
        fail(element, index,
             {fmt::format("{} is {}", in_quotes(property.name), value), "a finite number",
              "repair it where it comes from and export again"});
      }
    }
  }

  [[noreturn]] void fail(const Element& element, std::int64_t index,
                         const Complaint& complaint) const override {
    throw InputError(fmt::format("{}: {} {} (counted from 0): {}; expected {}; {}", path_.string(),
                                 in_quotes(element.name), index, complaint.found, complaint.expected,
                                 complaint.remedy));
  }

  void finish() override {
    if (bytes_.empty()) return;
    throw InputError(
        fmt::format("{}: has {} bytes behind the last element; expected the end of the file; correct "
                    "the counts in the header, or export again",
                    path_.string(), bytes_.size()));
  }

 private:
  static constexpr const char* kExport = "export the mesh again";

  [[noreturn]] void fail_short(const Element& element, std::int64_t index) const {
    fail(element, index,
         {"the file ends within it", fmt::format("{} of them, as the header says", element.count),
          "it was cut off, or the header is wrong: export the mesh again"});
  }

  double number(const Element& element, std::int64_t index, const NumberType& type) {
    if (bytes_.size() < type.bytes) fail_short(element, index);
    std::array<char, 8> raw{};
    std::memcpy(raw.data(), bytes_.data(), type.bytes);
    if (swaps_) std::reverse(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(type.bytes));
    bytes_.remove_prefix(type.bytes);
    if (!type.is_integer) return type.bytes == 4 ? static_cast<double>(as<float>(raw)) : as<double>(raw);
    switch (type.bytes) {
      case 1:
        return type.is_signed ? as<std::int8_t>(raw) : as<std::uint8_t>(raw);
      case 2:
        return type.is_signed ? as<std::int16_t>(raw) : as<std::uint16_t>(raw);
      default:
        return type.is_signed ? as<std::int32_t>(raw) : as<std::uint32_t>(raw);
    }
  }

  template <typename Number>
  static Number as(const std::array<char, 8>& raw) {
    Number number;
    std::memcpy(&number, raw.data(), sizeof number);
    return number;
  }

  std::filesystem::path path_;
  std::string_view bytes_;  // that are left
  bool swaps_;
};

}  // namespace

std::unique_ptr<RowSource> make_rows(const std::filesystem::path& path, std::string_view bytes,
                                     const Header& header, std::size_t header_length) {
  if (header.encoding == Encoding::kAscii) return std::make_unique<AsciiRows>(path, bytes);
  return std::make_unique<BinaryRows>(
      path, bytes.substr(header_length),
      header.encoding == Encoding::kLittleEndian ? std::endian::little : std::endian::big);
}

}  // namespace keydrape::ply
