#include "tests/oracles/ccd/query_families.h"

#include <Eigen/Geometry>
#include <cmath>

namespace keydrape::test {

namespace {

int pick(Rng& rng, int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); }
bool chance(Rng& rng) { return pick(rng, 0, 1) == 1; }

// A multiple of 2^-bits in [-1, 1].
double dyadic(Rng& rng, int bits) { return std::ldexp(pick(rng, -(1 << bits), 1 << bits), -bits); }
Vec3 dyadic_vector(Rng& rng, int bits) { return {dyadic(rng, bits), dyadic(rng, bits), dyadic(rng, bits)}; }
Stencil<4> dyadic_stencil(Rng& rng, int bits) {
  return Stencil<4>::NullaryExpr([&] { return dyadic(rng, bits); });
}

// By how much to miss: a touch in half of the cases, 2^-20 to 2^-40 in the others.
double gap(Rng& rng) { return chance(rng) ? 0.0 : std::ldexp(1.0, -pick(rng, 20, 40)); }

// Positions of a pair: reference point of each feature and its spanning vectors. Contact at the
// parameters (a, b):
//   vertex-face: vertex w from f0 + a p + b q       edge-edge: point w from a's at a to b's at b
// All of p, q, w linear in time.
struct Frame {
  Vec3 origin = Vec3::Zero(), p, q, w;
};

// `a`, `b` are where on the features w is measured.
Stencil<4> place(PairKind kind, const Frame& f, double a, double b) {
  Stencil<4> x;
  if (kind == PairKind::kVertexFace) {
    x << f.origin + a * f.p + b * f.q + f.w, f.origin, f.origin + f.p, f.origin + f.q;
  } else {
    const Vec3 start = f.origin + a * f.p + f.w - b * f.q;
    x << f.origin, f.origin + f.p, start, start + f.q;
  }
  return x;
}

struct Point {
  double a, b;
};

// Inside, on a side, or on a corner.
Point parameters(Rng& rng, PairKind kind) {
  const double a = std::ldexp(pick(rng, 0, 8), -3);
  const int most = kind == PairKind::kVertexFace ? 8 - static_cast<int>(8 * a) : 8;
  return {a, std::ldexp(pick(rng, 0, most), -3)};
}

// A time of contact: often inside, sometimes 0 or 1.
double contact_time(Rng& rng) { return std::ldexp(pick(rng, 0, 8), -3); }

// Turns and shears by a matrix of small integers: contact is not changed by affine maps, and
// no rounding occurs.
StencilMotion mapped(Rng& rng, const StencilMotion& motion) {
  Mat3 A;
  do A = Mat3::NullaryExpr([&] { return static_cast<double>(pick(rng, -2, 2)); });
  while (std::abs(A.determinant()) < 1);
  return {A * motion.start, A * motion.end};
}

// From frames at the times 0 and 1 that are those of time t* moved by -t* and 1 - t* of a velocity.
StencilMotion through(PairKind kind, const Frame& at, const Frame& velocity, double t, Point on) {
  const auto frame = [&](double s) {
    return Frame{at.origin + s * velocity.origin, at.p + s * velocity.p, at.q + s * velocity.q,
                 at.w + s * velocity.w};
  };
  return {place(kind, frame(-t), on.a, on.b), place(kind, frame(1 - t), on.a, on.b)};
}

StencilMotion random_motion(Rng& rng, PairKind) {
  const Stencil<4> start = dyadic_stencil(rng, 28);
  return {start, dyadic_stencil(rng, 28)};
}

// Small steps of neighbouring pieces, as a solver asks them.
StencilMotion small_step(Rng& rng, PairKind kind) {
  const Point on = parameters(rng, kind);
  const Frame at{dyadic_vector(rng, 6), dyadic_vector(rng, 6), dyadic_vector(rng, 6),
                 dyadic_vector(rng, 6) / 16};
  const Stencil<4> start = place(kind, at, on.a, on.b);
  return {start, start + dyadic_stencil(rng, 20) / 8};
}

StencilMotion crossing(Rng& rng, PairKind kind) {
  const Frame at{dyadic_vector(rng, 5), dyadic_vector(rng, 5), dyadic_vector(rng, 5), Vec3::Zero()};
  const Frame velocity{dyadic_vector(rng, 5), dyadic_vector(rng, 5), dyadic_vector(rng, 5),
                       dyadic_vector(rng, 5)};
  return through(kind, at, velocity, contact_time(rng), parameters(rng, kind));
}

// As above, but past a corner or side at a small distance, or short of the end of the step.
StencilMotion passing(Rng& rng, PairKind kind) {
  const double miss = gap(rng);
  const Frame at{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), miss * Vec3(-1, 0, 0)};
  Vec3 v = dyadic_vector(rng, 4);
  v.x() = -std::abs(v.x()) * pick(rng, 0, 1);
  const bool at_end = chance(rng);
  Frame f = at;
  if (at_end) f.w = miss * Vec3(0, 0, 1), v.z() = -1;
  const Point on{0, std::ldexp(pick(rng, 0, 8), -3)};
  return mapped(rng, through(kind, f, {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), v},
                             at_end ? 1.0 : contact_time(rng), on));
}

// volume(t) = miss + k (t - t*)^2, the double root of two features that turn against each other.
StencilMotion grazing(Rng& rng, PairKind kind) {
  const double k = std::ldexp(1.0, -pick(rng, 0, 3));
  const Frame at{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3(0, 0, gap(rng))};
  const Frame velocity{dyadic_vector(rng, 3), Vec3::UnitZ(), Vec3::Zero(), Vec3(-k, 0, 0)};
  return mapped(rng, through(kind, at, velocity, contact_time(rng), parameters(rng, kind)));
}

// Sliding along the face, or edge along edge, at a constant height.
StencilMotion sliding(Rng& rng, PairKind kind) {
  const Frame at{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3(0, 0, gap(rng))};
  Vec3 v = 4 * dyadic_vector(rng, 5);
  v.z() = 0;
  return mapped(rng, through(kind, at, {dyadic_vector(rng, 3), Vec3::Zero(), Vec3::Zero(), v},
                             contact_time(rng), parameters(rng, kind)));
}

StencilMotion coplanar(Rng& rng, PairKind kind) {
  StencilMotion motion = chance(rng) ? crossing(rng, kind) : random_motion(rng, kind);
  motion.start.row(2).setZero();
  motion.end.row(2).setZero();
  if (chance(rng)) motion.start.row(2).setConstant(0.5);   // the plane moves
  if (chance(rng)) motion.end.row(2) = motion.end.row(0);  // .. and turns
  return motion;
}

// A point of a side that grows towards the other feature, all in one plane, and stops short of it or not.
StencilMotion coplanar_passing(Rng& rng, PairKind kind) {
  const Frame at{Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3(-gap(rng), 0, 0)};
  const Vec3 v(chance(rng) ? 0 : 1, dyadic(rng, 3), 0);
  const Point on{0, std::ldexp(pick(rng, 0, 8), -3)};
  return mapped(rng,
                through(kind, at, {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), v}, v.x() > 0 ? 1.0 : 0.5, on));
}

// Parallel edges; collinear or collapsed faces.
StencilMotion parallel(Rng& rng, PairKind kind) {
  const Vec3 p = dyadic_vector(rng, 4);
  const Frame at{dyadic_vector(rng, 4), p, pick(rng, -2, 2) * p, gap(rng) * Vec3(0, 0, 1)};
  const Vec3 turn = chance(rng) ? dyadic_vector(rng, 3) : Vec3(Vec3::Zero());
  const Vec3 approach = chance(rng) ? Vec3(0, 0, -1) : dyadic_vector(rng, 4);
  const double t = approach.z() == -1 ? 1.0 : contact_time(rng);
  return through(kind, at, {Vec3::Zero(), turn, chance(rng) ? turn : Vec3(Vec3::Zero()), approach}, t,
                 parameters(rng, kind));
}

// Held at the same place over a face (or edge) that turns and stretches, close to it, and coming
// closer or not.
StencilMotion carried(Rng& rng, PairKind kind) {
  const double near = std::ldexp(1.0, -pick(rng, 3, 40));
  const Point on = parameters(rng, kind);
  Frame start{dyadic_vector(rng, 5), Vec3::UnitX(), Vec3::UnitY(), near * Vec3(0, 0, 1)};
  Frame end{dyadic_vector(rng, 5), Vec3(0.875, 0, 0.5), Vec3(-0.25, 0.875, -0.125), Vec3::Zero()};
  if (chance(rng)) end.q += dyadic_vector(rng, 4) / 4;
  end.w = (chance(rng) ? 1.0 : -0.5) * near * end.p.cross(end.q);
  return {place(kind, start, on.a, on.b), place(kind, end, on.a, on.b)};
}

StencilMotion fast(Rng& rng, PairKind kind) {
  const Frame at{dyadic_vector(rng, 5), dyadic_vector(rng, 5), dyadic_vector(rng, 5), Vec3(0, gap(rng), 0)};
  const Frame velocity{dyadic_vector(rng, 3), Vec3::Zero(), Vec3::Zero(), 4096 * dyadic_vector(rng, 5)};
  return through(kind, at, velocity, contact_time(rng), parameters(rng, kind));
}

}  // namespace

const std::vector<QueryFamily>& query_families() {
  static const std::vector<QueryFamily> families{{"random", random_motion},
                                                 {"small step", small_step},
                                                 {"crossing", crossing},
                                                 {"passing", passing},
                                                 {"grazing", grazing},
                                                 {"sliding", sliding},
                                                 {"coplanar", coplanar},
                                                 {"coplanar passing", coplanar_passing},
                                                 {"parallel", parallel},
                                                 {"carried", carried},
                                                 {"fast", fast}};
  return families;
}

StencilMotion placed(Rng& rng, const StencilMotion& motion, Setting setting) {
  if (setting == Setting::kUnit) return motion;
  const double scale = std::ldexp(1.0, pick(rng, setting == Setting::kScaled ? -40 : -10, 20));
  const Stencil<4> start = scale * motion.start, end = scale * motion.end;
  if (setting == Setting::kScaled) return {start, end};
  const Vec3 offset = 1e6 * dyadic_vector(rng, 28);
  return {start.colwise() + offset, end.colwise() + offset};
}

}  // namespace keydrape::test
