#pragma once

#include <cassert>
#include <future>
#include <memory>
#include <vector>

#include "control/derivatives/step_linearization.h"

namespace keydrape {

// Which way a sweep goes: from the first step to the last, or back.
enum class SweepDirection { kForward, kBackward };

// The derivatives of a trajectory's steps that are kept from one sweep to the next, in memory or in a scratch
// file. Of those in the file one at a time is solved with, and another one is read meanwhile: memory is set
// aside for two (passing_bytes). For one thread; the reader is its own.
class StepStore {
 public:
  // Of so many steps nothing is kept yet.
  explicit StepStore(int step_count) : steps_(step_count) {}
  StepStore(const StepStore&) = delete;
  StepStore& operator=(const StepStore&) = delete;

  int step_count() const { return static_cast<int>(steps_.size()); }

  // A file for what move_to_file() is given, of about `size` bytes. Requires that there is none yet. Throws
  // what Scratch::open throws.
  void open_file(Scratch& scratch, double size);
  // Moves the values of a step, whose factor is in single precision, to the file. Requires open_file().
  // Throws what ScratchFile::append throws.
  void move_to_file(StepLinearization& step) {
    assert(file_);
    step.move_to(*file_);
  }
  // Keeps this of step n; null: nothing.
  void keep(int n, std::unique_ptr<StepLinearization> step) { steps_[n] = std::move(step); }
  // What is kept of step n, null: nothing. One whose values are in the file (is_filed) has a factor between
  // fetch() and give_back() only.
  StepLinearization* kept(int n) { return steps_[n].get(); }

  // Brings the values of step n from the file to memory, unless the reader has; gives back what was read of
  // another one. Requires a filed step without a factor, and that no other one has its values in memory but
  // for what was read ahead. Throws as ScratchFile::read.
  void fetch(int n);
  // Gives their memory back, to the next step that is read. Requires fetch(n), and finish_reading().
  void give_back(int n) { steps_[n]->drop_fetched(spare_); }

  // Begins to read, in another thread, the first step after n in this direction whose values are in the file
  // alone; nothing, if there is none or one was read ahead already.
  void read_ahead(int n, SweepDirection direction);
  // Waits for the reader. What it has read stays, for fetch(). Throws as ScratchFile::read.
  void finish_reading();
  // Gives up the memory of the next step to read, where one has been read ahead: the step that is made of
  // nothing takes its place. Requires finish_reading().
  void make_room();

 private:
  std::vector<std::unique_ptr<StepLinearization>> steps_;
  std::unique_ptr<ScratchFile> file_;  // null: none is needed
  FetchedValues spare_;                // memory for the next step that is read; its reader's until that ends
  int ahead_ = -1;                     // the step that is read, or was, before it is asked for
  std::future<void> reading_;          // of that step. The last member: its end waits for the reader
};

}  // namespace keydrape
