#include "control/derivatives/step_store.h"

#include <utility>

namespace keydrape {

void StepStore::open_file(Scratch& scratch, double size) {
  assert(!file_);
  file_ = scratch.open(size);
}

void StepStore::fetch(int n) {
  finish_reading();
  if (ahead_ >= 0 && ahead_ != n) give_back(std::exchange(ahead_, -1));
  if (std::exchange(ahead_, -1) != n) steps_[n]->fetch(*file_, spare_);
}

void StepStore::read_ahead(int n, SweepDirection direction) {
  if (!file_ || ahead_ >= 0) return;
  const int to_next = direction == SweepDirection::kForward ? 1 : -1;
  const auto has_to_be_read = [&](int k) {
    return steps_[k] && steps_[k]->is_filed() && !steps_[k]->has_factor();
  };
  int next = n + to_next;
  while (0 <= next && next < step_count() && !has_to_be_read(next)) next += to_next;
  if (next < 0 || next >= step_count()) return;
  ahead_ = next;
  reading_ = std::async(std::launch::async, [this, next] { steps_[next]->fetch(*file_, spare_); });
}

void StepStore::finish_reading() {
  if (!reading_.valid()) return;
  try {
    reading_.get();
  } catch (...) {
    ahead_ = -1;
    throw;
  }
}

void StepStore::make_room() {
  if (ahead_ >= 0) spare_ = {};
}

}  // namespace keydrape
