#pragma once

#include <optional>
#include <string>

namespace keydrape {

// How far a run has come, told so that nobody is told back what was said before: the share that is done never
// falls, the time that is left never rises. What takes longer than it was said to is "more than" that.
class TimeLeft {
 public:
  // `fraction` of all work, in [0, 1], after so many seconds. Requires seconds that do not fall.
  void update(double fraction, double seconds);

  double done() const { return done_; }  // in [0, 1]
  // "about 1:20 left", "more than 1:20 left"; empty: it is too early to say.
  std::string text() const;

 private:
  std::optional<double> first_fraction_;
  double first_seconds_ = 0.0;
  double done_ = 0.0;
  std::optional<double> left_;  // as it was said last [s]
  bool is_exceeded_ = false;
};

}  // namespace keydrape
