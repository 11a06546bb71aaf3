#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/cloth/cloth.h"
#include "core/step/simulator.h"
#include "io/scene/table_reader.h"

// Rules that join several keys of a table; of what the cloth is to do: control_finish.cpp.

namespace keydrape {
namespace {

// A folder that is to be made cannot be where a file is, nor inside of one.
void refuse_file(const TableSource& source, std::string_view key, const std::filesystem::path& folder) {
  for (std::filesystem::path part = folder; part.has_relative_path(); part = part.parent_path()) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(part, error);
    if (std::filesystem::is_directory(status)) return;
    if (std::filesystem::exists(status))
      source.refuse_key(key,
                        fmt::format("{}, where {} is a file", describe(*source.find(key)), part.string()),
                        "the name of a folder, or one that may be made");
  }
}

// Steps that minimise a potential: what a pass behind them moves, they had solved for.
bool minimises(const Scene& scene) {
  const bool is_swapped = scene.control.gradient == scene::Gradient::kSwapped;
  return !is_swapped &&
         (scene.solver.integrator == StepMethod::kConverged || scene.solver.integrator == StepMethod::kBdf2);
}

double largest(const Keyed<double>& keyed) {
  double value = keyed.keys.front().second;
  for (const auto& [frame, at_frame] : keyed.keys) value = std::max(value, at_frame);
  return value;
}

// Friction that nothing feels, and the speed up to which none sticks.
void refuse_friction(const TableSource& contact, const Scene& scene) {
  const auto any_body = [&](const auto& is_so) {
    return std::any_of(scene.colliders.begin(), scene.colliders.end(), is_so);
  };
  const bool is_felt =
      scene.contact->self || any_body([](const scene::Collider& body) { return !body.friction; });
  contact.refuse_without_effect(
      "friction", is_felt, "without self = false, or with a [[collider]] that has no friction of its own");
  const bool rubs =
      (is_felt && largest(scene.contact->friction) > 0.0) ||
      any_body([](const scene::Collider& body) { return body.friction && largest(*body.friction) > 0.0; });
  contact.refuse_without_effect("sliding_speed", rubs, "with a friction above 0");
}

// What a method of contact cannot do.
void refuse_method(const TableSource& contact, const Scene& scene) {
  const ContactMethod method = scene.contact->method;
  contact.refuse_without_effect("restitution",
                                method == ContactMethod::kImpulses || scene.contact->restitution == 0.0,
                                "with method = \"impulses\"");
  contact.refuse_without_effect(
      "start_crossings",
      method == ContactMethod::kBarrier || scene.contact->start_crossings == scene::StartCrossings::kRefuse,
      "with method = \"barrier\"");
  for (const std::string_view key : {"activation", "stiffness", "sliding_speed"})
    contact.refuse_without_effect(
        key, !is_pass(method) || scene.cloth.initial.is_drape,
        "with method = \"barrier\" or \"penalty\", or where the cloth begins draped");
  if (method == ContactMethod::kBarrier) return;
  const std::string found = describe(*contact.find("method"));
  if (is_of_bodies(method) && scene.contact->self)
    contact.refuse_key(
        "method", found + " without self = false",
        "self = false beside it: it keeps cloth out of closed bodies and knows no triangle, so not "
        "the cloth itself; or method = \"barrier\" or \"impulses\"");
  if (is_pass(method) && minimises(scene))
    contact.refuse_key("method",
                       found + " with steps of [solver] integrator that solve for contact themselves",
                       "integrator = \"linearized\" under [solver], behind whose steps it acts; or method = "
                       "\"barrier\", which newton and bdf2 solve");
  if (is_pass(method) && scene.cloth.material.strain_limit)
    contact.refuse_key("method",
                       found + " together with a strain_limit, which what it moves may go past unawares",
                       "method = \"barrier\" or \"penalty\", or no strain_limit in [cloth.material]");
  if (method == ContactMethod::kConstraint && scene.solver.integrator != StepMethod::kLinearized &&
      scene.control.gradient != scene::Gradient::kSwapped)
    contact.refuse_key("method", found + " without a linear system a step, whose vertices it holds",
                       "integrator = \"linearized\" under [solver], or another method");
}

// Whether something may stop a step on its way.
bool may_block(const Scene& scene) {
  const bool touches = !scene.colliders.empty() || (scene.contact && scene.contact->self);
  const bool is_barrier = !scene.contact || scene.contact->method == ContactMethod::kBarrier;
  return (touches && is_barrier) || scene.cloth.material.strain_limit;
}

// Steps that go on until little is left. A linearized one does where its way is blocked.
void refuse_tolerance(const TableSource& solver, const Scene& scene) {
  constexpr std::string_view kKey = "newton_tolerance";
  const bool is_swapped = scene.control.gradient == scene::Gradient::kSwapped;
  const StepMethod method = scene.solver.integrator;
  solver.refuse_without_effect(kKey, !is_swapped || may_block(scene),
                               "without gradient = \"swapped\" in [control], whose steps are linearized");
  solver.refuse_without_effect(
      kKey, method != StepMethod::kExplicit && (method != StepMethod::kLinearized || may_block(scene)),
      "with integrator = \"newton\", \"bdf2\" or one with rounds; of linearized steps where a barrier or a "
      "strain_limit may block one");
}

// What keeps cloth on its side of something, and rests on the way of a solved step.
void refuse_limits(const TableSource& source, const Scene& scene) {
  const StepMethod method = scene.solver.integrator;
  if (!takes_rounds(method) && method != StepMethod::kExplicit) return;
  const TableSource solver = *source.child("solver");
  const std::string found{describe(*solver.find("integrator"))};
  constexpr std::string_view kOther = "\"newton\", \"bdf2\" or \"linearized\", or ";
  const bool acts_behind = takes_rounds(method) && scene.contact && is_pass(scene.contact->method);
  const bool looks = method == StepMethod::kPrefactored || method == StepMethod::kDescent;
  const bool is_finite = looks && scene.contact && scene.contact->method == ContactMethod::kPenalty;
  if (scene.contact && (scene.contact->self || !scene.colliders.empty()) && !acts_behind && !is_finite)
    solver.refuse_key("integrator", found + " together with [contact], of which its steps know nothing",
                      fmt::format("{}no [[collider]] and self = false in [contact]{}{}", kOther,
                                  takes_rounds(method) ? "; or method = \"impulses\" there" : "",
                                  looks ? ", or \"penalty\"" : ""));
  if (scene.cloth.material.strain_limit)
    solver.refuse_key("integrator",
                      found + " together with a strain_limit, which its steps would go past unawares",
                      fmt::format("{}no strain_limit in [cloth.material]", kOther));
  if (source.find("moving_frame") != nullptr && method == StepMethod::kExplicit)
    solver.refuse_key("integrator",
                      found + " together with [moving_frame], whose jolts fall between its moments",
                      "another one, or no [moving_frame]");
}

}  // namespace

void finish(const TableSource& source, Scene& scene) {
  if (const std::optional<TableSource> cloth = source.child("cloth"))
    cloth->refuse_without_effect("bending", scene.cloth.model == ClothModel::kSheet,
                                 "with model = \"sheet\"");
  if (const std::optional<TableSource> frame = source.child("moving_frame"))
    frame->refuse_without_effect("air", source.find("wind") != nullptr, "with [wind]");
  refuse_limits(source, scene);
  if (const std::optional<TableSource> control = source.child("control")) {
    const StepMethod integrator = scene.solver.integrator;
    if (scene.control.gradient == scene::Gradient::kSwapped && integrator != StepMethod::kConverged &&
        integrator != StepMethod::kLinearized)
      control->refuse_key("gradient", "\"swapped\"",
                          "another one, or [solver] integrator = \"linearized\", whose steps it takes");
    if (scene.control.gradient == scene::Gradient::kFrozenContact && !is_solved(integrator) &&
        integrator != StepMethod::kLinearized)
      control->refuse_key("gradient", "\"frozen-contact\"",
                          "another one, or [solver] integrator = \"newton\" or \"bdf2\", which know contact");
    if (scene.control.gradient == scene::Gradient::kFrozenContact && integrator == StepMethod::kLinearized)
      control->refuse_key("gradient", "\"frozen-contact\"",
                          "exact or swapped, or another [solver] integrator than \"linearized\"");
  }
  if (const std::optional<TableSource> solver = source.child("solver"); solver) {
    solver->refuse_without_effect(
        "max_edge_stretch", !minimises(scene) && scene.solver.integrator != StepMethod::kExplicit,
        "with integrator = \"linearized\" or one with rounds: newton and bdf2 solve for what it would move; "
        "they have [cloth.material] strain_limit");
    refuse_tolerance(*solver, scene);
  }
  if (scene.solver.max_edge_stretch && scene.cloth.material.strain_limit)
    source.child("solver")->refuse_key(
        "max_edge_stretch", "it together with a strain_limit, which what it moves may go past unawares",
        "one of the two");
  const std::optional<TableSource> contact = source.child("contact");
  if (!contact) return;
  for (const std::string_view key :
       {"thickness", "repair", "friction", "activation", "stiffness", "sliding_speed"})
    contact->refuse_without_effect(key, scene.contact->self || !scene.colliders.empty(),
                                   "with a [[collider]], or without self = false");
  contact->refuse_without_effect("start_crossings", scene.contact->self, "without self = false");
  refuse_method(*contact, scene);
  refuse_friction(*contact, scene);
}

void finish(const TableSource& source, scene::Shot& shot) {
  source.file().shot_frames = shot.frames;
  // Without the key it is the scene file's, of which read_scene speaks.
  if (source.find("name") != nullptr && shot.name.find_first_of("/\\") != std::string::npos) {
    source.refuse_key("name", describe(*source.find("name")),
                      "a text without '/' and '\\', as it names files");
  }
  if (source.find("gravity") == nullptr && shot.up_axis == scene::UpAxis::kZ)
    shot.gravity = Vec3(0, 0, -9.81);
}

namespace {

// A tester's curve is a straight line and a power, which rises the later the nearer `initial` is to lt. Where
// it is nearer than this part of what is left up to 1, pieces of the curve (tester_curve) may fall: none did
// at 45 for any initial from 1e-8 on, at 60 all up to 0.7 did.
constexpr double kLatestRise = 45.0;

void refuse_falling_curve(const TableSource& source, const scene::TesterTable& sheet) {
  constexpr double kRounding = 1e-12;
  const double lt = sheet.lt.minCoeff(), initial = sheet.initial;
  if (initial < lt && kLatestRise * (lt - initial) >= 1.0 - initial - kRounding) return;
  const double highest = std::min((kLatestRise * lt - 1.0) / (kLatestRise - 1.0), lt - 1e-4),
               lowest_lt = ((kLatestRise - 1.0) * initial + 1.0) / kLatestRise;
  if (source.find("initial") != nullptr && highest >= 1e-4)
    source.refuse_key(
        "initial", fmt::format("{}", initial),
        fmt::format("at most {}, with lt = {}: nearer to lt the curve would fall before its end",
                    std::floor(1e4 * highest) / 1e4, lt));
  source.refuse_key(
      "lt", fmt::format("{}", lt),
      fmt::format("at least {}, with initial = {}: nearer to initial the curve would fall before its end",
                  std::ceil(1e4 * lowest_lt) / 1e4, initial));
}

}  // namespace

void finish(const TableSource& source, scene::TesterTable& sheet) {
  if (sheet.emt) refuse_falling_curve(source, sheet);
  for (const std::string_view key : {"lt", "initial"})
    source.refuse_without_effect(key, sheet.emt.has_value(), "together with emt");
}

constexpr const char* kIsotropicNumber = "a number, with model = \"isotropic\"";

void finish(const TableSource& source, scene::Material& material) {
  const bool is_isotropic = material.model == scene::MembraneModel::kIsotropic;
  for (const std::string_view key : {"young", "poisson"})
    source.refuse_without_effect(key, is_isotropic, "with model = \"isotropic\"");
  if (is_isotropic && !material.young) source.refuse_missing("young", kIsotropicNumber);
  for (const std::string_view key : {"stretch", "shear", "warp_curve", "weft_curve", "shear_curve",
                                     "shear_hysteresis", "kes", "compression", "fold_length", "coupling"})
    source.refuse_without_effect(key, !is_isotropic, "with model = \"woven\"");
  if (material.warp_curve.has_value() != material.weft_curve.has_value())
    source.refuse_missing(material.warp_curve ? "weft_curve" : "warp_curve",
                          "the curve of the other direction; the same file will do");
  source.require_at_most_one_of({"stretch", "warp_curve"});
  source.require_at_most_one_of({"shear", "shear_curve"});
  if (const auto& kes = material.kes) {
    const auto refuse_beside = [&](std::string_view key, bool is_measured, std::string_view name) {
      if (is_measured)
        source.refuse_without_effect(key, false, fmt::format("without {} of [cloth.material.kes]", name));
    };
    for (const std::string_view key : {"stretch", "warp_curve", "weft_curve"})
      refuse_beside(key, kes->emt.has_value(), "emt");
    for (const std::string_view key : {"shear", "shear_curve"}) refuse_beside(key, kes->g.has_value(), "g");
    refuse_beside("shear_hysteresis", kes->hg2.has_value(), "hg2");
    refuse_beside("bend", kes->b.has_value(), "b");
    refuse_beside("bend_hysteresis", kes->hb2.has_value(), "hb2");
    refuse_beside("density", kes->weight.has_value(), "weight");
    refuse_beside("thickness", kes->thickness.has_value(), "thickness");
  }
  source.refuse_without_effect("fold_length", !material.compression || material.compression->is_buckling,
                               "with compression = \"buckling\"");
}

void finish(const TableSource& source, scene::Cloth& cloth) {
  source.refuse_without_effect("meters_per_uv", cloth.rest_shape == RestSource::kUv,
                               "together with rest_shape = \"uv\"");
  const bool is_sheet = cloth.model == ClothModel::kSheet;
  constexpr std::string_view kOfSheets = "with [cloth] model = \"sheet\"";
  const std::optional<TableSource> material = source.child("material");
  if (!material) return;
  for (const std::string_view key : {"shear", "compression", "fold_length"})
    material->refuse_without_effect(key, is_sheet, kOfSheets);
  const bool is_isotropic = cloth.material.model == scene::MembraneModel::kIsotropic;
  if (is_isotropic && is_sheet && !cloth.material.poisson)
    material->refuse_missing("poisson", kIsotropicNumber);
  if (const std::optional<TableSource> kes = material->child("kes"))
    kes->refuse_without_effect("g", is_sheet, kOfSheets);
}

void finish(const TableSource& source, scene::Pin& pin) {
  source.require_exactly_one_of({"vertices", "group", "weights"});
  source.require_at_most_one_of({"axis", "normal"});
  source.refuse_without_effect("damping", pin.stiffness.has_value(), "together with stiffness: a soft pin");
  if (pin.stiffness && largest(*pin.stiffness) == 0.0)
    source.refuse_key("stiffness", "nothing but 0", "a number above 0 at some frame, in N/m; or no such pin");
}

void finish(const TableSource& source, scene::Crease&) { source.require_exactly_one_of({"edges", "group"}); }

void finish(const TableSource& source, scene::Spring& spring) {
  source.require_exactly_one_of({"pairs", "lines"});
  if (!spring.pairs && !spring.lines)
    source.refuse_key("lines", "false and no pairs", "lines = true, or pairs");
  if (source.find("rest") == nullptr && spring.lines) spring.rest = scene::SpringRest::kZero;
}

void finish(const TableSource& source, scene::Solver& solver) {
  const StepMethod method = solver.integrator;
  source.refuse_without_effect("rounds", method == StepMethod::kPrefactored || method == StepMethod::kDescent,
                               "with integrator = \"prefactored\" or \"descent\"");
  source.refuse_without_effect("rounds_memory", method == StepMethod::kPrefactored,
                               "with integrator = \"prefactored\"");
  source.refuse_without_effect("scheme", method == StepMethod::kExplicit, "with integrator = \"explicit\"");
  source.refuse_without_effect("scratch_dir", solver.scratch_gb > 0, "together with a scratch_gb above 0");
  if (source.find("scratch_dir") != nullptr) refuse_file(source, "scratch_dir", solver.scratch_dir);
}

void finish(const TableSource& source, scene::Output& output) {
  output.holds_takes = source.find("dir") == nullptr;
  if (!output.holds_takes) refuse_file(source, "dir", output.dir);
}

void finish(const TableSource& source, scene::Box& box) {
  if ((box.max.array() <= box.min.array()).any()) {
    source.refuse_key("max", fmt::format("[{}, {}, {}]", box.max.x(), box.max.y(), box.max.z()),
                      "a corner greater than min in x, y and z, in m");
  }
}

void finish(const TableSource& source, scene::MovingFrame&) {
  for (const std::string_view key : {"translate", "rotate"}) source.require_at_most_one_of({"collider", key});
  source.refuse_without_effect("pivot", source.find("rotate") != nullptr, "together with rotate");
  if (!source.find("collider") && !source.find("translate") && !source.find("rotate"))
    source.refuse_missing("collider", "the number of a [[collider]], counted from 0, or translate or rotate");
}

void finish(const TableSource& source, scene::Collider& collider) {
  using scene::ColliderKind;
  constexpr std::array<std::pair<std::string_view, ColliderKind>, 6> kinds = {{
      {"sphere", ColliderKind::kSphere},
      {"plane", ColliderKind::kPlane},
      {"capsule", ColliderKind::kCapsule},
      {"box", ColliderKind::kBox},
      {"mesh", ColliderKind::kMesh},
      {"vdb", ColliderKind::kVdb},
  }};
  const std::string_view shape =
      source.require_exactly_one_of({"sphere", "plane", "capsule", "box", "mesh", "vdb"});
  for (const auto& [name, kind] : kinds) {
    if (name == shape) collider.kind = kind;
  }
  source.refuse_without_effect("motion", shape == "mesh", "together with mesh");
  source.refuse_without_effect("voxel", shape == "mesh", "together with mesh");
  source.refuse_without_effect("as", shape == "mesh", "together with mesh");
  for (const std::string_view key : {"voxel", "point_spacing"})
    source.refuse_without_effect(key, collider.as != scene::ColliderAs::kSurface, "without as = \"surface\"");
  for (const std::string_view key : {"translate", "rotate", "pivot"})
    source.refuse_without_effect(key, source.find("motion") == nullptr, "without motion");
  source.refuse_without_effect("pivot", source.find("rotate") != nullptr, "together with rotate");
}

}  // namespace keydrape
