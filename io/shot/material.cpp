#include "io/shot/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/cloth/fabric_tester.h"
#include "io/file/file.h"
#include "io/file/word_reader.h"
#include "io/shot/input/named_file.h"

namespace keydrape {
namespace {

bool is_heading(std::string_view word) { return std::isalpha(static_cast<unsigned char>(word.front())) != 0; }

// A stiffness at rest, and how it goes on.
struct Response {
  double stiffness;
  std::shared_ptr<const ConditionCurve> curve;
};
Response response(const std::vector<CurvePoint>& points) {
  const MeasuredCurve measured = measured_curve(points);
  return {measured.stiffness, std::make_shared<const ConditionCurve>(measured.curve)};
}

Response read_response(const scene::FilePath& file, std::string_view role) {
  return NamedFile{file, role}.read([&] { return response(read_curve(file.value)); });
}

// The file has angles g, and forces F that do the work F dg. Cloth knows the sine of the angle, and a force
// that does the same work as that grows: F/cos g.
Response read_shear(const scene::FilePath& file) {
  constexpr double kMost = 1.5;  // [rad], somewhat below a right angle
  return NamedFile{file, "[cloth.material] shear_curve"}.read([&] {
    std::vector<CurvePoint> points = read_curve(file.value);
    for (auto& [angle, force] : points) {
      if (angle > kMost)
        throw InputError(
            fmt::format("{}: found a shear angle of {:g}; expected angles in radians, up to {:g}; if they "
                        "are in degrees, "
                        "multiply by pi/180; leave out what lies beyond",
                        file.value.string(), angle, kMost));
      force /= std::cos(angle);
      angle = std::sin(angle);
    }
    return response(points);
  });
}

TesterSheet sheet_of(const scene::TesterTable& t) {
  return {t.emt, t.lt, t.initial, t.g, t.hg2, t.b, t.hb2, t.weight, t.thickness};
}

}  // namespace

std::vector<CurvePoint> read_curve(const std::filesystem::path& path) {
  std::string text = read_file(path);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  WordReader reader(path, text, WordReader::Continuation::kNone);
  std::vector<CurvePoint> points;
  bool is_first = true;
  for (auto words = reader.next_line(); !words.empty(); words = reader.next_line()) {
    if (std::exchange(is_first, false) && is_heading(words[0])) continue;
    if (words.size() != 2)
      reader.fail(words.back(), {fmt::format("a line of {} words", words.size()), "two: strain tension",
                                 "write one point of the curve in each line"});
    const CurvePoint point{reader.number(words[0]), reader.number(words[1])};
    if (points.empty() && (point.c != 0.0 || point.tension != 0.0))
      reader.fail(words[0], {fmt::format("the curve begins at {} {}", point.c, point.tension), "0 0",
                             "write the point at rest first; in compression cloth has a key of its own"});
    if (!points.empty() && point.c <= points.back().c)
      reader.fail(words[0], {fmt::format("a strain of {} after {}", point.c, points.back().c),
                             "more than in the line before", "sort the points, and leave out repeats"});
    const bool falls = !points.empty() && (point.tension < points.back().tension ||
                                           (points.size() == 1 && point.tension == 0.0));
    if (falls)
      reader.fail(words[1], {fmt::format("a tension of {} after {}", point.tension, points.back().tension),
                             points.size() == 1 ? "more than at rest" : "no less than in the line before",
                             "take the curve as the fabric is loaded, and smooth out the noise"});
    const auto is_number = [](double value) { return value == 0.0 || (value >= 1e-30 && value <= 1e30); };
    const double slope =
        points.empty() ? 0.0 : (point.tension - points.back().tension) / (point.c - points.back().c);
    if (!is_number(point.c) || !is_number(point.tension) || !is_number(slope))
      reader.fail(words[0], {fmt::format("a point {} {}, and a slope of {}", point.c, point.tension, slope),
                             "each 0, or from 1e-30 to 1e30", "leave out points that all but repeat"});
    points.push_back(point);
  }
  if (points.size() < 2)
    reader.fail(reader.line_end(),
                {points.empty() ? "no point" : "one point alone", "two or more, the first 0 0",
                 "write one point of the curve in each line"});
  return points;
}

Material read_material(const scene::Material& table) {
  Material m = find_material_preset(table.preset).value();  // the reader knows the presets
  if (table.kes) m = with_tester_sheet(m, sheet_of(*table.kes));
  m.density = table.density.value_or(m.density);
  if (table.stretch) m.k_warp = table.stretch->x(), m.k_weft = table.stretch->y();
  m.k_shear = table.shear.value_or(m.k_shear);
  m.bend = table.bend.value_or(m.bend);
  m.damping = table.damping.value_or(m.damping);
  m.thickness = table.thickness.value_or(m.thickness);
  m.strain_limit = table.strain_limit;
  m.coupling = table.coupling.value_or(m.coupling);
  m.shear_hysteresis = table.shear_hysteresis.value_or(m.shear_hysteresis);
  m.bend_hysteresis = table.bend_hysteresis.value_or(m.bend_hysteresis);
  if (table.warp_curve) {
    const Response warp = read_response(*table.warp_curve, "[cloth.material] warp_curve"),
                   weft = read_response(*table.weft_curve, "[cloth.material] weft_curve");
    m.k_warp = warp.stiffness, m.warp_curve = warp.curve;
    m.k_weft = weft.stiffness, m.weft_curve = weft.curve;
  }
  if (table.shear_curve) {
    const Response shear = read_shear(*table.shear_curve);
    m.k_shear = shear.stiffness, m.shear_curve = shear.curve;
  }
  if (table.model == scene::MembraneModel::kIsotropic) {
    m.isotropic = {*table.young, table.poisson.value_or(kPoissonOfSprings)};
    m.coupling = 0.0;  // the preset's: of threads, which this model has none of
  }
  const bool is_asked_to_buckle = table.compression && table.compression->is_buckling;
  if (is_asked_to_buckle && m.bend == 0.0)
    throw InputError(
        fmt::format("{}: [cloth.material] compression: \"buckling\" with a bend of 0, which bears no load at "
                    "all; give the fabric a bend above 0, or a number in place of \"buckling\"",
                    table.source.where()));
  if (table.fold_length && m.bend == 0.0)
    throw InputError(
        fmt::format("{}: [cloth.material] fold_length: found {:g} with a bend of 0, of which no fold bears a "
                    "load; give the fabric a bend above 0, or take fold_length away",
                    table.source.where(), *table.fold_length));
  m.compression.fold_length = table.fold_length;
  if (table.compression && !is_asked_to_buckle)
    m.compression = Compression::softer(table.compression->factor);
  return m;
}

}  // namespace keydrape
