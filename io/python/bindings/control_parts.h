#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "control/task/task.h"
#include "io/python/bindings/part.h"
#include "io/scene/shot_clock.h"

// What a search may choose and what that costs, out of the fields of keydrape/task.py and parts.py. All throw
// InputError, for what would have no effect as well.

namespace keydrape::python {

// Which forces may act on cloth of so many vertices.
Pushing read_pushing(const Part& part, int vertex_count, const ShotClock& clock);
EffortPolicy read_effort(const Part& part);

// A pin of Python's list: of which kind it is, and its number among the cloth's of that kind.
using CountedPin = std::pair<PinKind, int>;
// What kinds of channels are called, as Channel(kind=...) takes them.
const std::map<std::string, ChannelKind>& channel_kinds();
// Requires the task's cloth and pushing; `pins`: all of the list.
ChannelSpec read_channel(const Part& part, const Task& task, const std::vector<CountedPin>& pins);

}  // namespace keydrape::python
