#include "io/python/bindings/channel_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "io/python/bindings/control_parts.h"

namespace keydrape::python {
namespace {

py::array array_of(const VecX& x) {
  py::array_t<double> array(x.size());
  std::copy(x.data(), x.data() + x.size(), array.mutable_data());
  return array;
}

// One vector a channel, of its size.
std::vector<VecX> split(const BuiltTask& task, const py::object& value) {
  const Channels* channels = task.prepared.channels.get();
  const std::size_t count = channels ? channels->list().size() : 0;
  if (!py::isinstance<py::sequence>(value) || py::len(value) != count)
    throw InputError(
        fmt::format("channels: expected a list of {} arrays, one for each channel of the task", count));
  std::vector<VecX> split;
  for (std::size_t k = 0; k < count; ++k) {
    const Channel& channel = *channels->list()[k];
    split.push_back(numbers(value[py::int_(k)], fmt::format("channels[{}]", k), channel.size(),
                            "as a channel of kind " + channel_kind(task, k) + " has them", Size::kAny));
  }
  return split;
}

// dp/dc of one channel at its values.
VecX slope(const ChannelScale& scale, const VecX& p) {
  return scale.is_logarithmic ? VecX(scale.unit.cwiseProduct(p)) : scale.unit;
}

}  // namespace

std::vector<VecX> channel_values(const BuiltTask& task, const py::object& value) {
  if (value.is_none()) return {};
  std::vector<VecX> values = split(task, value);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (task.prepared.channels->list()[k]->scale().is_logarithmic && values[k].minCoeff() <= 0.0)
      throw InputError(
          fmt::format("channels[{}]: found {}; expected numbers above 0", k, values[k].minCoeff()));
  return values;
}

std::string channel_kind(const BuiltTask& task, std::size_t number) {
  if (task.scene) return task.prepared.channels->list()[number]->kind();
  const ChannelKind kind = task.task().channels[number].kind;
  const auto is_it = [&](const auto& known) { return known.second == kind; };
  return std::find_if(channel_kinds().begin(), channel_kinds().end(), is_it)->first;
}

py::list channel_list(const std::vector<VecX>& values) {
  py::list list;
  for (const VecX& p : values) list.append(array_of(p));
  return list;
}

py::list channel_gradient(const Run& run, const VecX& c_bar) {
  py::list list;
  Eigen::Index begin = 0;
  for (std::size_t k = 0; k < run.channels().size(); ++k) {
    const VecX& p = run.channels()[k];
    const ChannelScale& scale = run.task().prepared.channels->list()[k]->scale();
    list.append(array_of(c_bar.segment(begin, p.size()).cwiseQuotient(slope(scale, p))));
    begin += p.size();
  }
  return list;
}

VecX channel_change(const Run& run, const py::object& value) {
  const Channels* channels = run.task().prepared.channels.get();
  VecX dc = VecX::Zero(channels ? channels->size() : 0);
  if (value.is_none()) return dc;
  Eigen::Index begin = 0;
  const std::vector<VecX> changes = split(run.task(), value);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const ChannelScale& scale = channels->list()[k]->scale();
    dc.segment(begin, changes[k].size()) = changes[k].cwiseQuotient(slope(scale, run.channels()[k]));
    begin += changes[k].size();
  }
  return dc;
}

}  // namespace keydrape::python
