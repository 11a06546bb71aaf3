#include "io/formats/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "io/cache/float_vector.h"
#include "io/formats/refuse_file.h"

namespace keydrape {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays are little endian: swap bytes here");

constexpr std::string_view kNpyMagic = "\x93NUMPY";
// Of what is written: a multiple of 64, as the format asks, with room for three dimensions of 19 digits.
constexpr std::size_t kHeaderBytes = 192;
// Of what is read: NumPy itself takes 10,000 characters.
constexpr std::uint32_t kMaxHeaderBytes = 10'000;

// 0 where a dimension is: the product of the others may be beyond 64 bits then.
std::int64_t value_count(const std::vector<std::int64_t>& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

struct Layout {
  std::string element_type;  // '<f8'
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// The header's dictionary, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }: a Python literal with
// these three keys in any order. Each function takes what it names from the front of the text, or says that
// it is not there.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Layout> layout() {
    std::optional<std::string> element_type;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
    if (!take("{")) return {};
    while (!take("}")) {
      const std::optional<std::string> key = quoted_text();
      if (!key || !take(":")) return {};
      if (*key == "descr" && !element_type) {
        element_type = quoted_text();
        if (!element_type) return {};
      } else if (*key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
        if (!fortran_order) return {};
      } else if (*key == "shape" && !shape) {
        shape = tuple();
        if (!shape) return {};
      } else {
        return {};
      }
      if (!take(",") && !rest_.starts_with('}')) return {};
    }
    skip_blanks();
    if (!rest_.empty() || !element_type || !fortran_order || !shape) return {};
    return Layout{*element_type, *fortran_order, *shape};
  }

 private:
  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_blanks();
    return true;
  }

  std::optional<std::string> quoted_text() {
    const std::string_view quote = rest_.starts_with('"') ? "\"" : "'";
    if (!take(quote)) return {};
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) return {};
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    take(quote);
    return text;
  }

  std::optional<bool> boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    return {};
  }

  std::optional<std::vector<std::int64_t>> tuple() {
    std::vector<std::int64_t> numbers;
    if (!take("(")) return {};
    while (!take(")")) {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc() || number < 0) return {};
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      numbers.push_back(number);
      if (!take(",") && !rest_.starts_with(')')) return {};
    }
    return numbers;
  }

  std::string_view rest_;
};

std::string read_header_text(InputFile& file) {
  std::array<char, 8> start{};  // magic, major and minor version
  if (file.size() < start.size() + 4)
    refuse_file(file.path(), "is too short for a NumPy array; save it again with numpy.save");
  file.read(start.data(), start.size());
  if (std::string_view(start.data(), kNpyMagic.size()) != kNpyMagic) {
    refuse_file(file.path(),
                "does not begin with '\\x93NUMPY'; expected a NumPy array; save it with numpy.save");
  }
  const int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3) {
    refuse_file(file.path(),
                fmt::format("has format version {}; expected 1 to 3; save it again with numpy.save", major));
  }
  std::uint32_t size = 0;  // little endian: two bytes in version 1, four later
  file.read(&size, major == 1 ? 2 : 4);
  if (size > kMaxHeaderBytes) {
    refuse_file(file.path(),
                fmt::format("has a header of {} bytes; expected at most {}; save it again with numpy.save",
                            size, kMaxHeaderBytes));
  }
  std::string text(size, '\0');
  file.read(text.data(), text.size());
  return text;
}

// The size of an element [bytes].
std::size_t check_layout(const std::filesystem::path& path, const Layout& layout) {
  if (layout.element_type != "<f8" && layout.element_type != "<f4") {
    refuse_file(
        path, fmt::format(
                  "holds elements of type '{}'; expected '<f8' or '<f4' (little endian floating point); save "
                  "array.astype('<f8')",
                  layout.element_type));
  }
  if (layout.fortran_order) {
    refuse_file(path, "is in Fortran order; expected C order; save numpy.ascontiguousarray(array)");
  }
  if (layout.shape.empty() || layout.shape.size() > 3) {
    refuse_file(path,
                fmt::format("has {} dimensions; expected 1 to 3; reshape the array", layout.shape.size()));
  }
  return layout.element_type == "<f8" ? sizeof(double) : sizeof(float);
}

// Whether an array of this shape fills exactly `bytes`; no product can overflow.
bool fills(const std::vector<std::int64_t>& shape, std::size_t element_bytes, std::uint64_t bytes) {
  if (bytes % element_bytes != 0) return false;
  std::uint64_t elements = bytes / element_bytes;
  if (elements == 0) return std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (const std::int64_t dimension : shape) {
    if (dimension == 0) return false;
    if (elements % static_cast<std::uint64_t>(dimension) != 0) return false;
    elements /= static_cast<std::uint64_t>(dimension);
  }
  return elements == 1;
}

template <typename Vector>
Vector read_values(InputFile& file, std::int64_t count) {
  Vector values(count);
  file.read(values.data(), sizeof(typename Vector::Scalar) * static_cast<std::size_t>(count));
  return values;
}

// -1: all are finite.
Eigen::Index first_not_finite(const VecX& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) return i;
  }
  return -1;
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path) {
  InputFile file(path);
  const std::string text = read_header_text(file);
  const std::optional<Layout> layout = HeaderParser(text).layout();
  if (!layout) {
    refuse_file(
        path,
        "has a header without 'descr', 'fortran_order' and 'shape' as NumPy writes them; save it again with "
        "numpy.save");
  }
  const std::size_t element_bytes = check_layout(path, *layout);
  const std::uint64_t body_bytes = file.size() - file.position();
  if (!fills(layout->shape, element_bytes, body_bytes)) {
    refuse_file(
        path,
        fmt::format(
            "holds {} bytes after its header; expected an array ({}) of {} bytes an element; it was cut "
            "off or something was added: save it again",
            body_bytes, fmt::join(layout->shape, ", "), element_bytes));
  }
  const std::int64_t count = value_count(layout->shape);
  NpyArray array{layout->shape, {}};
  if (element_bytes == sizeof(double)) {
    array.values = read_values<VecX>(file, count);
  } else {
    array.values = read_values<Eigen::VectorXf>(file, count).cast<double>();
  }
  if (const Eigen::Index i = first_not_finite(array.values); i >= 0) {
    refuse_file(
        path,
        fmt::format(
            "value {} (counted from 0, in C order) is {}; expected finite numbers; repair the array and "
            "save it again",
            i, array.values[i]));
  }
  return array;
}

void write_npy(const std::filesystem::path& path, const NpyArray& array) {
  assert(!array.shape.empty() && array.values.size() == value_count(array.shape));
  NpyWriter writer(path, {array.shape.begin() + 1, array.shape.end()});
  for (std::int64_t frame = 0; frame < array.shape[0]; ++frame) {
    const std::int64_t frame_size = array.values.size() / array.shape[0];
    writer.append(array.values.segment(frame * frame_size, frame_size));
  }
  writer.commit();
}

NpyWriter::NpyWriter(const std::filesystem::path& path, std::vector<std::int64_t> frame_shape)
    : file_(path), frame_shape_(std::move(frame_shape)) {
  assert(frame_shape_.size() <= 2);
  const std::string text = header();
  file_.append(text.data(), text.size());
}

void NpyWriter::append(const VecX& frames) {
  const std::int64_t frame_size = value_count(frame_shape_);
  assert(frame_size > 0 && frames.size() % frame_size == 0);
  if (const Eigen::Index i = first_not_finite(frames); i >= 0) {
    throw OutputError(fmt::format("{}: not written: value {} of frame {} (both counted from 0) is {}; {}",
                                  file_.path().string(), i % frame_size, frame_count_ + i / frame_size,
                                  frames[i], kMendNumber));
  }
  file_.append(frames.data(), sizeof(double) * static_cast<std::size_t>(frames.size()));
  frame_count_ += frames.size() / frame_size;
}

void NpyWriter::commit() {
  const std::string text = header();
  file_.overwrite(0, text.data(), text.size());
  file_.commit();
}

// As long before the first frame as after the last one.
std::string NpyWriter::header() const {
  std::string shape = fmt::format("{},", frame_count_);
  for (const std::int64_t dimension : frame_shape_) shape += fmt::format(" {},", dimension);
  if (!frame_shape_.empty()) shape.pop_back();  // only a tuple of one needs the comma
  const std::string layout =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);

  constexpr std::size_t kStartBytes = 10;
  constexpr std::size_t kLayoutBytes = kHeaderBytes - kStartBytes;
  assert(layout.size() < kLayoutBytes);
  std::string text(kNpyMagic);
  text += {'\x01', '\x00', static_cast<char>(kLayoutBytes & 0xFF), static_cast<char>(kLayoutBytes >> 8)};
  text += layout;
  text.resize(kHeaderBytes - 1, ' ');
  return text + '\n';
}

}  // namespace keydrape
