#pragma once

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "control/unknowns/control_basis.h"
#include "core/cloth/cloth.h"
#include "core/cloth/material.h"
#include "core/mesh/rest_shape.h"
#include "core/step/newton.h"
#include "core/step/parameter_derivatives.h"
#include "core/step/simulator.h"
#include "io/scene/scene.h"

// Words of the scene file that stand for a value: words(Enum{}) is the list of an enum's, in the order
// of the page.

namespace keydrape::scene {

template <class Value>
concept WordEnum = std::is_enum_v<Value>;

template <WordEnum Enum>
using Word = std::pair<std::string_view, Enum>;

constexpr auto words(UpAxis) {
  return std::array{Word<UpAxis>{"Y", UpAxis::kY}, Word<UpAxis>{"Z", UpAxis::kZ}};
}
constexpr auto words(RestSource) {
  return std::array{Word<RestSource>{"mesh", RestSource::kMesh}, Word<RestSource>{"uv", RestSource::kUv}};
}
constexpr auto words(BendingModel) {
  return std::array{Word<BendingModel>{"hinge", BendingModel::kHinge},
                    Word<BendingModel>{"quadratic", BendingModel::kQuadratic},
                    Word<BendingModel>{"vertex", BendingModel::kVertex}};
}
constexpr auto words(ClothModel) {
  return std::array{Word<ClothModel>{"sheet", ClothModel::kSheet},
                    Word<ClothModel>{"springs", ClothModel::kSprings}};
}
constexpr auto words(MembraneModel) {
  return std::array{Word<MembraneModel>{"woven", MembraneModel::kWoven},
                    Word<MembraneModel>{"isotropic", MembraneModel::kIsotropic}};
}
constexpr auto words(StepMethod) {
  return std::array{Word<StepMethod>{"newton", StepMethod::kConverged},
                    Word<StepMethod>{"bdf2", StepMethod::kBdf2},
                    Word<StepMethod>{"linearized", StepMethod::kLinearized},
                    Word<StepMethod>{"prefactored", StepMethod::kPrefactored},
                    Word<StepMethod>{"predictor", StepMethod::kPredictor},
                    Word<StepMethod>{"descent", StepMethod::kDescent},
                    Word<StepMethod>{"explicit", StepMethod::kExplicit}};
}
constexpr auto words(ExplicitScheme) {
  return std::array{Word<ExplicitScheme>{"symplectic", ExplicitScheme::kSymplectic},
                    Word<ExplicitScheme>{"verlet", ExplicitScheme::kVerlet},
                    Word<ExplicitScheme>{"midpoint", ExplicitScheme::kMidpoint},
                    Word<ExplicitScheme>{"rk4", ExplicitScheme::kRungeKutta4},
                    Word<ExplicitScheme>{"euler", ExplicitScheme::kEuler}};
}
constexpr auto words(SpringRest) {
  return std::array{Word<SpringRest>{"mesh", SpringRest::kMesh}, Word<SpringRest>{"zero", SpringRest::kZero}};
}
constexpr auto words(ColliderAs) {
  return std::array{Word<ColliderAs>{"volume", ColliderAs::kVolume},
                    Word<ColliderAs>{"surface", ColliderAs::kSurface}};
}
constexpr auto words(StartCrossings) {
  return std::array{Word<StartCrossings>{"refuse", StartCrossings::kRefuse},
                    Word<StartCrossings>{"exempt", StartCrossings::kExempt}};
}
constexpr auto words(ContactMethod) {
  return std::array{Word<ContactMethod>{"barrier", ContactMethod::kBarrier},
                    Word<ContactMethod>{"impulses", ContactMethod::kImpulses},
                    Word<ContactMethod>{"projection", ContactMethod::kProjection},
                    Word<ContactMethod>{"filter", ContactMethod::kFilter},
                    Word<ContactMethod>{"penalty", ContactMethod::kPenalty},
                    Word<ContactMethod>{"constraint", ContactMethod::kConstraint}};
}
constexpr auto words(ControlMethod) {
  return std::array{Word<ControlMethod>{"gauss-newton", ControlMethod::kGaussNewton},
                    Word<ControlMethod>{"lbfgs", ControlMethod::kLbfgs},
                    Word<ControlMethod>{"descent", ControlMethod::kDescent}};
}
constexpr auto words(Gradient) {
  return std::array{Word<Gradient>{"exact", Gradient::kExact}, Word<Gradient>{"swapped", Gradient::kSwapped},
                    Word<Gradient>{"frozen-contact", Gradient::kFrozenContact}};
}
constexpr auto words(Start) {
  return std::array{Word<Start>{"guided", Start::kGuided}, Word<Start>{"zero", Start::kZero}};
}
constexpr auto words(Hold) {
  return std::array{Word<Hold>{"frame", Hold::kFrame}, Word<Hold>{"step", Hold::kStep}};
}
constexpr auto words(NetForce) {
  return std::array{Word<NetForce>{"free", NetForce::kFree},
                    Word<NetForce>{"zero-impulse", NetForce::kZeroImpulse},
                    Word<NetForce>{"zero-force", NetForce::kZero}};
}
constexpr auto words(Coarsen) {
  return std::array{Word<Coarsen>{"mesh", Coarsen::kMesh}, Word<Coarsen>{"step", Coarsen::kStep}};
}
constexpr auto words(ChannelKind) {
  return std::array{Word<ChannelKind>{"initial-velocity", ChannelKind::kInitialVelocity},
                    Word<ChannelKind>{"wind", ChannelKind::kWind},
                    Word<ChannelKind>{"pin", ChannelKind::kPin},
                    Word<ChannelKind>{"stretch-scale", ChannelKind::kStretchScale},
                    Word<ChannelKind>{"material", ChannelKind::kMaterial}};
}
constexpr auto words(ThrowAs) {
  return std::array{Word<ThrowAs>{"rigid", ThrowAs::kRigid}, Word<ThrowAs>{"vertices", ThrowAs::kVertices}};
}
constexpr auto words(MaterialNumber) {
  return std::array{Word<MaterialNumber>{"density", MaterialNumber::kDensity},
                    Word<MaterialNumber>{"warp", MaterialNumber::kWarp},
                    Word<MaterialNumber>{"weft", MaterialNumber::kWeft},
                    Word<MaterialNumber>{"shear", MaterialNumber::kShear},
                    Word<MaterialNumber>{"bend", MaterialNumber::kBend},
                    Word<MaterialNumber>{"damping", MaterialNumber::kDamping}};
}
constexpr auto words(LinearMethod) {
  return std::array{Word<LinearMethod>{"auto", LinearMethod::kAuto},
                    Word<LinearMethod>{"direct", LinearMethod::kDirect},
                    Word<LinearMethod>{"pcg", LinearMethod::kConjugateGradient}};
}
constexpr auto words(CacheFormat) {
  return std::array{
      Word<CacheFormat>{"pc2", CacheFormat::kPc2}, Word<CacheFormat>{"mdd", CacheFormat::kMdd},
      Word<CacheFormat>{"obj", CacheFormat::kObj}, Word<CacheFormat>{"ply", CacheFormat::kPly},
      Word<CacheFormat>{"npy", CacheFormat::kNpy}, Word<CacheFormat>{"usda", CacheFormat::kUsda},
      Word<CacheFormat>{"glb", CacheFormat::kGlb}, Word<CacheFormat>{"vtp", CacheFormat::kVtp}};
}

// scene.h, which sees no enumerator of these, has their zero for a default.
static_assert(words(RestSource{})[0].second == RestSource{} && words(NetForce{})[0].second == NetForce{} &&
              words(LinearMethod{})[0].second == LinearMethod{});

inline std::vector<std::string_view> material_names() {
  std::vector<std::string_view> names;
  for (const MaterialPreset& preset : material_presets()) names.push_back(preset.name);
  return names;
}

}  // namespace keydrape::scene
