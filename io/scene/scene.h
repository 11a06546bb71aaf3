#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/types.h"
#include "io/cache/frame_range.h"
#include "io/cache/up_axis.h"
#include "io/scene/keyed.h"
#include "io/scene/source_position.h"

// The scene file as plain data: one struct a table, one member a key, of the same name. SI units as in the
// file. Meaning, unit, default and range of every key stand in scene_keys.h; the reader has checked the
// ranges, so that the comments here only say what a type does not. An empty optional: the key is absent.

namespace keydrape {

// Of core and control. scene_words.h has their words; the first of each is its default.
enum class RestSource;
enum class BendingModel;
enum class ContactMethod;
enum class ClothModel;
enum class MaterialNumber;
enum class NetForce;
enum class LinearMethod;
enum class StepMethod;
enum class ExplicitScheme;

namespace scene {

// A file that existed when the scene was read, or the name of a sequence (name.####.obj); absolute.
using FilePath = Sourced<std::filesystem::path>;

// A vertex group of the rest mesh, not looked up yet.
using Group = Sourced<std::string>;
using keydrape::UpAxis;

struct Shot {
  std::string name;  // default: the scene file's name without extension; holds no '/' nor '\'
  double fps = 24;
  FrameRange frames;
  int substeps = 4;
  Keyed<Vec3> gravity = Vec3(0, -9.81, 0);  // default with up_axis = "Z": (0, 0, -9.81)
  double meters_per_unit = 1;               // of mesh files and caches only
  UpAxis up_axis = UpAxis::kY;
  SourcePosition source;
};

enum class MembraneModel { kWoven, kIsotropic };

struct Compressed {
  bool is_buckling = false;  // compression = "buckling"
  double factor = 1.0;       // else
};

// A sheet of a fabric tester, in its units (core/cloth/fabric_tester.h).
struct TesterTable {
  std::optional<Vec2> emt;   // (warp, weft)
  Vec2 lt = Vec2(0.6, 0.6);  // (warp, weft)
  double initial = 0.15;
  std::optional<double> g, hg2, b, hb2, weight, thickness;
  SourcePosition source;
};

// A preset of core/cloth/material.h and what the scene changes of it.
struct Material {
  std::string preset = "cotton";
  std::optional<double> density;
  std::optional<Vec2> stretch;  // (warp, weft)
  std::optional<double> shear;
  std::optional<double> bend;
  std::optional<double> damping;
  std::optional<double> thickness;
  std::optional<double> strain_limit;  // absent: none
  std::optional<double> coupling;
  std::optional<FilePath> warp_curve, weft_curve, shear_curve;
  std::optional<double> shear_hysteresis;
  std::optional<double> bend_hysteresis;
  std::optional<TesterTable> kes;
  MembraneModel model{};
  std::optional<double> young, poisson;  // only of the isotropic model
  std::optional<Compressed> compression;
  std::optional<double> fold_length;       // only with "buckling"
  Keyed<Vec2> stretch_scale = Vec2(1, 1);  // (warp, weft)
  SourcePosition source;
};

// Of none of the two: the rest mesh.
struct Initial {
  std::optional<FilePath> mesh;
  bool is_drape = false;     // initial = "drape": where the rest mesh comes to rest
  bool is_to_drape = false;  // not yet, but whoever opens the shot will drape it
  SourcePosition position;   // of the value in the file
};

struct Cloth {
  FilePath rest;
  Initial initial;
  RestSource rest_shape{};              // of the mesh
  std::optional<double> meters_per_uv;  // only with RestSource::kUv
  std::optional<Vec3> warp;             // not zero, of any length
  std::optional<BendingModel> bending;
  ClothModel model{};  // a sheet
  std::optional<Keyed<double>> pressure;
  Material material;
  SourcePosition source;
};

struct Wind {
  Keyed<Vec3> velocity = Vec3(0, 0, 0);
  Keyed<double> air_density = 1.2;
  Keyed<double> drag = 1.0;
  Keyed<double> lift = 0.0;
  SourcePosition source;
};

// How something rigid moves.
struct Placement {
  Keyed<Vec3> translate = Vec3(0, 0, 0);
  Keyed<Vec3> rotate = Vec3(0, 0, 0);  // about the x, y and z axes of the world, in this order [degrees]
  std::optional<Vec3> pivot;           // absent: of a body the middle of its shape, of a plane its point
};

struct MovingFrame : Placement {  // absent pivot: the origin
  std::optional<int> collider;    // moves as this one, counted from 0; else as the placement says
  Keyed<double> inertia = 1.0;
  Keyed<double> air = 1.0;
  SourcePosition source;
};

struct Pin {
  // Exactly one of the three.
  std::optional<Sourced<std::vector<int>>> vertices;  // each once, not empty
  std::optional<Group> group;
  std::optional<FilePath> weights;

  std::optional<FilePath> motion;
  std::optional<FrameRange> frames;        // inside the shot; absent: the whole shot
  std::optional<Keyed<double>> stiffness;  // absent: hard; else above 0 at some time
  double damping = 0;                      // 0 for a hard pin
  // At most one of the two; not zero, of any length.
  std::optional<Vec3> axis;
  std::optional<Vec3> normal;
  SourcePosition source;
};

enum class SpringRest { kMesh, kZero };

struct Spring {
  // Exactly one: pairs, or lines = true.
  std::optional<Sourced<std::vector<Edge>>> pairs;  // not empty, two different vertices each
  bool lines = false;

  double stiffness = 0;
  SpringRest rest = SpringRest::kMesh;  // default: kZero with lines, kMesh with pairs
  double damping = 0;
  SourcePosition source;
};

struct Crease {
  // Exactly one of the two.
  std::optional<Sourced<std::vector<Edge>>> edges;  // not empty, two different vertices each
  std::optional<Group> group;                       // edges between two of its vertices

  Keyed<double> angle = 0.0;  // [degrees]
  double stiffness = 1.0;     // over that of other edges
  SourcePosition source;
};

struct Sphere {
  Vec3 center = Vec3::Zero();
  double radius = 0;
  SourcePosition source;
};

struct Plane {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  // not zero, of any length; points to the cloth's side
  SourcePosition source;
};

struct Capsule {
  Vec3 start = Vec3::Zero();
  Vec3 end = Vec3::Zero();
  double radius = 0;
  SourcePosition source;
};

struct Box {
  Vec3 min = Vec3::Zero();
  Vec3 max = Vec3::Zero();  // greater than min in every component
  SourcePosition source;
};

enum class ColliderKind { kSphere, kPlane, kCapsule, kBox, kMesh, kVdb };
enum class ColliderAs { kVolume, kSurface };

struct Collider : Placement {                 // which holds where it has no `motion`
  ColliderKind kind = ColliderKind::kSphere;  // which one of the six below is there
  std::optional<Sphere> sphere;
  std::optional<Plane> plane;
  std::optional<Capsule> capsule;
  std::optional<Box> box;
  std::optional<FilePath> mesh;
  std::optional<FilePath> vdb;

  std::optional<ColliderAs> as;           // only with a mesh; absent: a volume if it is closed
  std::optional<FilePath> motion;         // only with a mesh: it deforms
  std::optional<double> voxel;            // only with a volume; absent: usual_voxel()
  std::optional<Keyed<double>> friction;  // absent: that of [contact]
  std::optional<double> point_spacing;    // absent: by the shape
  SourcePosition source;
};

enum class StartCrossings { kRefuse, kExempt };

struct Contact {
  ContactMethod method{};           // by barriers
  double restitution = 0;           // only with impulses
  std::optional<double> thickness;  // absent: the material's
  bool self = true;
  bool repair = false;
  StartCrossings start_crossings = StartCrossings::kRefuse;
  Keyed<double> friction = 0.0;
  std::optional<double> activation;  // absent: as ContactOptions
  std::optional<double> stiffness;   // absent: as ContactOptions
  double sliding_speed = 3e-4;
  SourcePosition source;
};

// A vertex and where it is to be [m].
struct Landmark {
  int vertex = 0;
  Vec3 position = Vec3::Zero();
};

struct Keyframe {
  int frame = 0;                     // inside the shot; several keyframes may share one
  std::optional<FrameRange> window;  // of the frames that it may slide to, `frame` among them
  // Exactly one of the four.
  std::optional<FilePath> mesh;
  std::optional<FilePath> surface;
  std::optional<Sourced<std::variant<std::vector<Landmark>, FilePath>>> landmarks;
  bool loop = false;

  double max_angle = 90;  // only with a surface [degrees]
  double weight = 1;
  double velocity_weight = 0;
  std::variant<Vec3, FilePath> velocity = Vec3(0, 0, 0);  // of every vertex, or a file with one for each
  std::optional<FilePath> velocity_weights;               // only with a velocity_weight
  // At most one of the two; none: the whole cloth.
  std::optional<Group> group;
  std::optional<FilePath> weights;

  std::optional<double> tolerance;
  std::optional<double> tolerance_max;       // of every vertex
  std::optional<double> velocity_tolerance;  // only with a velocity_weight
  SourcePosition source;
};

struct Track {
  FilePath cache;
  std::optional<FrameRange> frames;  // inside the shot; absent: the whole shot
  int every = 1;
  double weight = 1;
  // At most one of the two; none: the whole cloth.
  std::optional<Group> group;
  std::optional<FilePath> weights;

  std::optional<double> tolerance;
  SourcePosition source;
};

enum class ControlMethod { kGaussNewton, kLbfgs, kDescent };
enum class Gradient { kExact, kSwapped, kFrozenContact };
enum class Start { kGuided, kZero };
enum class Hold { kFrame, kStep };
enum class Coarsen { kMesh, kStep };

struct Effort {
  double value = 1e-4;    // of "auto": where the search of the weights begins
  bool automatic = true;  // effort = "auto": the least that meets the keyframes' tolerances
};

enum class ChannelKind { kInitialVelocity, kWind, kPin, kStretchScale, kMaterial };
enum class ThrowAs { kRigid, kVertices };

struct Channel {
  ChannelKind kind = ChannelKind::kInitialVelocity;
  std::optional<ThrowAs> as;            // only of kInitialVelocity; absent: kRigid
  std::optional<Group> group;           // only of kInitialVelocity; absent: the whole cloth
  std::optional<Sourced<int>> pin;      // of kPin, and only of it
  std::vector<MaterialNumber> numbers;  // each once; of kMaterial, and only of it
  std::optional<int> knots_every;       // only of kWind, kPin and kStretchScale; absent: 1
  double scale = 1;
  SourcePosition source;
};

// Parts of a shot that are solved one after the other.
struct Windows {
  int length = 0;   // [frames]
  int overlap = 0;  // [frames], < length
  SourcePosition source;
};

struct Control {
  ControlMethod method = ControlMethod::kGaussNewton;
  Gradient gradient = Gradient::kExact;
  Start start = Start::kGuided;
  Hold hold = Hold::kFrame;
  Effort effort;
  bool forces = true;  // else there are channels
  // At most one of the two; none: the whole cloth.
  std::optional<Group> group;
  std::optional<FilePath> weights;

  std::optional<FrameRange> frames;            // inside the shot; absent: the whole shot
  Keyed<double> strength = 1.0;                // share of the full force
  std::optional<double> max_acceleration;      // absent: no limit
  std::optional<int> max_forward_simulations;  // absent: the method's own (control/search/options.h)
  double smooth_time = 0;  // over the effort, likewise below; with an effort of 0 both are 0
  double smooth_space = 0;
  bool even = true;                     // only with effort = "auto"
  std::optional<int> knots_every;       // absent: no spline
  std::optional<int> modes;             // absent: every vertex by itself
  NetForce net{};                       // free
  std::optional<FilePath> relative_to;  // absent: none
  std::vector<Channel> channels;        // [[control.channel]]
  std::vector<Coarsen> coarse_to_fine;  // each once; empty: by the size of the mesh (make_coarsening)
  int coarse_levels = 1;                // above 1 only with coarse_to_fine; 0, without: none
  // At most one of the two.
  std::optional<FrameRange> window;  // absent: the whole shot
  std::optional<Windows> windows;    // absent: all at once
  SourcePosition source;
};

struct Solver {
  StepMethod integrator{};    // implicit Euler, by Newton
  std::optional<int> rounds;  // only of kPrefactored and kDescent; absent: default_rounds()
  int rounds_memory = 0;      // only of kPrefactored
  ExplicitScheme scheme{};    // only of kExplicit; symplectic
  double newton_tolerance = 1e-8;
  int max_newton_iterations = 300;
  LinearMethod linear{};                   // automatic
  std::optional<double> max_edge_stretch;  // absent: any; only with steps that minimise nothing
  double memory_gb = 4;
  double scratch_gb = 0;              // 0: no scratch file
  std::filesystem::path scratch_dir;  // absolute, need not exist; empty: the folder of the results
  SourcePosition source;
};

enum class CacheFormat { kPc2, kMdd, kObj, kPly, kNpy, kUsda, kGlb, kVtp };

struct Output {
  std::filesystem::path dir;  // absolute, need not exist; default: "<scene file's name>_out" beside the scene
  // Nobody has named it: every run gets a folder of its own in it (io/perform/run_place.h).
  bool holds_takes = true;
  std::vector<CacheFormat> caches = {CacheFormat::kPc2, CacheFormat::kNpy};  // each once, may be empty
  std::optional<bool> every_step;  // absent: solve does, simulate does not
  SourcePosition source;
};

}  // namespace scene

// A whole scene. Tables that the file leaves out have their defaults, and a `source` without a line.
struct Scene {
  scene::Shot shot;
  scene::Cloth cloth;
  scene::Wind wind;
  scene::MovingFrame moving_frame;
  std::vector<scene::Pin> pins;            // [[pin]], in the file's order, as all lists here
  std::vector<scene::Spring> springs;      // [[spring]]
  std::vector<scene::Crease> creases;      // [[crease]]
  std::vector<scene::Collider> colliders;  // [[collider]]
  std::optional<scene::Contact> contact;
  std::vector<scene::Keyframe> keyframes;  // [[keyframe]]
  std::vector<scene::Track> tracks;        // [[track]]
  scene::Control control;
  scene::Solver solver;
  scene::Output output;
  SourcePosition source;            // the file itself
  std::string text;                 // that all this was read from, TOML
  std::vector<std::string> doubts;  // what was read in a doubtful way, one sentence each
};

inline constexpr std::uint64_t kMaxSceneBytes = 16 * 1024 * 1024;  // of a scene file that is read

// Reads and checks a scene file (TOML). Opens nothing else; files that it names have to exist.
// Throws InputError at the first mistake: "path:line:column: [table] key: found ...; expected ...".
Scene read_scene(const std::filesystem::path& path);

// A scene that somebody's program wrote down (TOML), not a person: messages name it and no line. Its files,
// and the results by default, are looked for beside `name`, which need not exist. Throws as read_scene.
Scene parse_scene(const std::string& text, const std::filesystem::path& name);

}  // namespace keydrape
