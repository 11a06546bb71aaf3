#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/run/rollout.h"
#include "core/energy/hand/hand.h"
#include "io/scene/scene.h"
#include "io/shot/shot.h"

namespace keydrape {

struct StageOptions {
  StepQuality quality = StepQuality::kDraft;
  std::optional<int> substeps{};    // in place of the scene's
  std::optional<int> last_frame{};  // to play on to, beyond the scene's
};

// Vertices that a hand has led, as a soft [[pin]] has them. It acts from the frame behind that in which it
// took hold of them, for two frames or more.
struct Drag {
  std::vector<int> vertices;  // ascending
  FrameRange frames;
  double stiffness = 0.0;     // of each vertex [N/m]
  std::vector<VecX> samples;  // [m] (3 a vertex), from the shot's first frame to frames.last
};

// How a frame went.
struct PlayedFrame {
  std::string problem;     // why a step has failed: the cloth stays in the frame before; empty: none has
  double seconds = 0.0;    // for all its steps
  double residual = 0.0;   // the largest that a step has left, in the cloth's weight
  int linearizations = 0;  // or Newton iterations
};

// A scene's cloth on which somebody acts while it is simulated, frame by frame. What is played without
// switches is what `simulate` makes of the scene with the drags as its pins, to the bit. One thread.
class Stage {
 public:
  // At the scene's start. Throws InputError: as open_shot; options that the scene does not allow.
  Stage(Scene scene, const StageOptions& options);

  const Scene& scene() const { return scene_; }  // with the options in it
  const Shot& shot() const { return shot_; }
  int frame() const { return shot_.clock.frames.first + static_cast<int>(played_.size()) - 1; }
  bool is_at_end() const { return frame() >= shot_.clock.frames.last; }
  const VecX& x() const { return played_.back(); }             // [m] (3n)
  const std::vector<VecX>& played() const { return played_; }  // from the first frame on
  const std::vector<Drag>& drags() const { return drags_; }    // that have ended, of this performance
  // Whether bodies or wind were switched off at some time since the first frame.
  bool was_switched() const { return was_switched_; }

  // The next frame. Requires that it is not at the end.
  PlayedFrame advance();
  // Back to the first frame: a new performance.
  void reset();

  // Takes hold of the cloth around a vertex; lets go what was held before. Requires a vertex that is there.
  // What has been held for one frame stays held for another, as pins do: only then this happens.
  void grab(int vertex);
  bool is_held() const { return held_.has_value(); }
  // How far the hand has gone since it took hold [m]; the cloth follows in the next frame. Requires is_held()
  // and finite numbers.
  void drag(const Vec3& way);
  void let_go();  // likewise
  // What is held now, ascending; empty: nothing.
  const std::vector<int>& held_vertices() const;

  bool has_wind() const { return has_wind_; }
  bool has_bodies() const { return has_bodies_; }
  void switch_wind(bool on);
  void switch_bodies(bool on);

 private:
  // The vertices around one, along the mesh, that a hand takes hold of.
  std::vector<int> around(int vertex) const;
  void build();
  void change_hold();  // to next_vertex_, or to none
  void take_hold(int vertex);
  void hold_at_frame(int frame);
  int held_frames() const { return held_ ? held_->frames.last - held_->frames.first + 1 : 0; }
  void end_drag();

  Scene scene_;
  Shot shot_;
  std::vector<std::vector<int>> neighbours_;
  double reach_ = 0.0;       // of a hand [m]
  double grip_force_ = 0.0;  // of a hand that is a metre off [N]

  std::shared_ptr<Grip> grip_ = std::make_shared<Grip>();
  bool has_wind_ = true, has_bodies_ = true, was_switched_ = false;
  std::unique_ptr<const Model> model_;
  std::unique_ptr<const Simulator> simulator_;
  std::unique_ptr<StepSequence> sequence_;

  State state_;
  std::optional<State> before_;
  std::vector<VecX> played_;
  std::vector<Drag> drags_;
  std::optional<Drag> held_;
  bool is_leaving_ = false;         // let go, but for another frame
  std::optional<int> next_vertex_;  // to be taken hold of then
  VecX held_from_;                  // where the vertices were taken hold of [m]
  Vec3 way_ = Vec3::Zero();         // [m]
  Vec3 next_way_ = Vec3::Zero();    // of next_vertex_ [m]
};

}  // namespace keydrape
