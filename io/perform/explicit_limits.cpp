#include "io/perform/explicit_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/scene/scene_words.h"
#include "io/shot/control.h"

namespace keydrape {

std::vector<ExplicitLimit> explicit_limits(const Shot& shot) {
  StepWorkspace work;
  const FastestMotion motion = fastest_motion(shot.model(), shot.start(), shot.simulator().dt(), 0.0, work);
  std::vector<ExplicitLimit> limits;
  for (const auto& [word, scheme] : scene::words(ExplicitScheme{})) {
    const double longest = longest_step(scheme, motion);
    const int substeps = substeps_that_do(shot.clock.substeps, shot.simulator().dt() / longest);
    limits.push_back({word, longest, std::max(1, substeps)});
  }
  return limits;
}

std::vector<std::string> explicit_limit_rows(const Shot& shot, const std::vector<ExplicitLimit>& limits) {
  std::string row = "substeps at least:";
  for (const ExplicitLimit& limit : limits)
    row += fmt::format("{} {} {}", &limit == &limits.front() ? "" : ",", limit.scheme, limit.substeps);
  std::vector<std::string> rows = {fmt::format("{} (the shot has {})", row, shot.clock.substeps)};
  if (shot.model().is_limited() || shot.model().has_contact() || shot.model().has_passes())
    rows.push_back("without contact and strain limits, which explicit steps do not know");
  return rows;
}

nlohmann::ordered_json explicit_limits_json(const std::vector<ExplicitLimit>& limits) {
  nlohmann::ordered_json json;
  for (const ExplicitLimit& limit : limits)
    json[std::string(limit.scheme)] = {
        {"longest_step_s", std::isfinite(limit.longest_step) ? nlohmann::ordered_json(limit.longest_step)
                                                             : nlohmann::ordered_json()},
        {"substeps", limit.substeps}};
  return json;
}

}  // namespace keydrape
