#pragma once

namespace keydrape {

// What became of the weight of a target so far. Predictions p, and misses, are shares of tolerances: 1
// is just within.
//
//   course     how it came to be                          how it goes on
//   kSteady    at first; after every raise between         -
//              iterations, and at the end of every one
//              that began kRaised
//   kRaised    raised before a trial of this iteration    in vain if the next prediction stays above
//              at prediction `at`, from factor `from`,    kIdle at, and takes hardly more off the miss than
//              and the miss at hand                       the last: after one too many it goes back, unless
//                                                         the trial left less than kMuchNearer of the miss
//   kLowered   lowered between iterations at `at`, and    in vain if kIdle p stays below `at`: another
//              not raised since                           target asks for the same; lowered no more
//
// Raises that were in vain so often in a row are the last (is_given_up), until a prediction falls by itself.
class WeightCourse {
 public:
  // A weight that changes and leaves more of the prediction than this has changed nothing. What the model
  // cannot do, or CG does not get to, no weight brings about: without this test weights ran away (flag, 1 mm:
  // to 1e6 times what was needed).
  static constexpr double kIdle = 0.7;
  // ... unless what it takes off the miss has grown by more than this: then it only was too small to show, as
  // of cloth that is stiffer than (E1) takes it for. Twenty-fold raises make it grow twenty-fold there, and
  // hardly at all where the model can do no more.
  // That is where it takes less than kShows of the miss, of a target that is near without forces or the only
  // one. Of others the weights follow from what a steered run cost, and what two of them take off each other
  // by turns grows as well.
  static constexpr double kGrowing = 3.0, kShows = 0.15;
  static constexpr int kVainRaises = 3;
  // Raises in vain that leave so many tolerances are taken back at once: they would drown other targets. One
  // that is alone, the others being met, has none to drown: a raise that leaves less than kIdleAlone stays
  // (cloth that a pose strains by a quarter: 12 mm instead of 22, at half of the peak).
  // Nearer, the next linearisation may do what this one could not (flag, 10 mm: 5 runs instead of 7).
  static constexpr double kFarAway = 4.0, kIdleAlone = 0.9;

  // A trial that leaves less of the miss was worth its weight, whatever the model had made of it: with the
  // weight taken back the cloth goes as far off again, and stays there (skirt1252, 5 mm: 6 mm, then 20).
  static constexpr double kMuchNearer = 0.5;

  // What is remembered from one iteration to the next.
  struct Memory {
    double lowered_at = 0.0;  // 0: not lowered
    int vain_raises = 0;
    double vain_at = 0.0;    // what the last vain raise left of the prediction
    double vain_from = 0.0;  // the factor before the first of them
  };

  WeightCourse() = default;
  explicit WeightCourse(const Memory& memory);
  Memory memory() const;

  bool is_raised_in_vain(double p) const {
    const bool is_small_still =
        may_be_small_ && miss_ - p < kShows * miss_ && miss_ - p > kGrowing * (miss_ - at_);
    return kind_ == Kind::kRaised && p > kIdle * at_ && !is_small_still;
  }
  bool is_lowered_in_vain(double p) const { return kind_ == Kind::kLowered && kIdle * p < at_; }
  bool is_given_up(double p) const { return vain_raises_ >= kVainRaises && p > kIdle * vain_at_; }

  // Before a trial at a run with this miss, at prediction p and from this factor.
  struct Raise {
    double miss, p, from;
    bool may_be_small = false;  // the target is near without forces, or there is no other
    bool is_alone = false;      // it is far, and no other is missed
  };
  void raise_before_trial(const Raise& raise);
  // After a whole step, to this miss: whether the last raise was one too many. Then the weight goes back to
  // what it was before it, factor_before().
  bool is_one_too_many(double p, double miss);
  double factor_before() const { return vain_from_; }
  // Between iterations.
  void raise() { kind_ = Kind::kSteady; }
  void lower(double p);
  void end_iteration();

 private:
  enum class Kind { kSteady, kRaised, kLowered };
  Kind kind_ = Kind::kSteady;
  double at_ = 0.0;
  double from_ = 0.0;
  double miss_ = 0.0;
  bool may_be_small_ = false, is_alone_ = false;
  int vain_raises_ = 0;
  double vain_at_ = 0.0;
  double vain_from_ = 0.0;
};

}  // namespace keydrape
