#include "io/report/buffer.h"

#include <bit>
#include <nlohmann/json.hpp>

namespace keydrape {
namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian arrays");

template <class Number>
std::string_view bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

}  // namespace

nlohmann::json ReportBuffer::add(std::string_view bytes, std::size_t count) {
  const std::size_t offset = bytes_.size();
  bytes_ += bytes;
  bytes_.resize((bytes_.size() + 3) / 4 * 4);
  return {{"offset", offset}, {"length", count}};
}

nlohmann::json ReportBuffer::add_floats(const VecX& values) {
  const std::vector<float> floats(values.begin(), values.end());
  return add(bytes_of(floats), floats.size());
}

nlohmann::json ReportBuffer::add_shorts(const std::vector<std::uint16_t>& values) {
  return add(bytes_of(values), values.size());
}

nlohmann::json ReportBuffer::add_integers(const std::vector<int>& values) {
  return add(bytes_of(values), values.size());
}

nlohmann::json ReportBuffer::add_motion(const std::vector<VecX>& frames, const Quantisation& quantisation,
                                        const LowerNeighbours& neighbours) {
  const std::string code = encode_motion(frames, quantisation, neighbours);
  nlohmann::json place = add(code, code.size());
  const auto list = [](const Vec3& v) { return nlohmann::json{v.x(), v.y(), v.z()}; };
  place["frames"] = frames.size();
  place["low"] = list(quantisation.low);
  place["step"] = list(quantisation.step);
  return place;
}

}  // namespace keydrape
