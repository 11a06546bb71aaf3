#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/shot/shot.h"

namespace keydrape {

// How long steps of the shot's cloth could be without any matrix, whatever its integrator is.
struct ExplicitLimit {
  std::string_view scheme;  // as [solver] scheme calls it
  double longest_step;      // that it bears at the first frame [s]; infinite: nothing is fast
  int substeps;             // a frame that [solver] integrator = "explicit" asks for at least
};

// Of every scheme. Contact and strain limits, which explicit steps do not know, are left out.
std::vector<ExplicitLimit> explicit_limits(const Shot& shot);

// One row for people, two where the shot has what explicit steps do not know.
std::vector<std::string> explicit_limit_rows(const Shot& shot, const std::vector<ExplicitLimit>& limits);
// {scheme: {longest_step_s, substeps}}
nlohmann::ordered_json explicit_limits_json(const std::vector<ExplicitLimit>& limits);

}  // namespace keydrape
