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
Response read_response(const scene::FilePath& file, std::string_view role,
                       CurveOf quantity = CurveOf::kStrain) {
  const MeasuredCurve measured =
      NamedFile{file, role}.read([&] { return measured_curve(read_curve(file.value, quantity)); });
  return {measured.stiffness, std::make_shared<const ConditionCurve>(measured.curve)};
}

TesterSheet sheet_of(const scene::TesterTable& t) {
  return {t.emt, t.lt, t.initial, t.g, t.hg2, t.b, t.hb2, t.weight, t.thickness};
}

}  // namespace

std::vector<CurvePoint> read_curve(const std::filesystem::path& path, CurveOf quantity) {
  constexpr double kMostAngle = 1.5;  // [rad], somewhat below a right angle
  std::string text = read_file(path);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  WordReader reader(path, text, WordReader::Continuation::kNone);
  std::vector<CurvePoint> points;
  CurvePoint before{};  // as the file has it
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
    if (!points.empty() && point.c <= before.c)
      reader.fail(words[0], {fmt::format("a strain of {} after {}", point.c, before.c),
                             "more than in the line before", "sort the points, and leave out repeats"});
    const bool falls =
        !points.empty() && (point.tension < before.tension || (points.size() == 1 && point.tension == 0.0));
    if (falls)
      reader.fail(words[1], {fmt::format("a tension of {} after {}", point.tension, before.tension),
                             points.size() == 1 ? "more than at rest" : "no less than in the line before",
                             "take the curve as the fabric is loaded, and smooth out the noise"});
    const bool is_angle = quantity == CurveOf::kShearAngle;
    if (is_angle && point.c > kMostAngle)
      reader.fail(words[0], {fmt::format("a shear angle of {}", point.c),
                             fmt::format("one in radians, up to {}", kMostAngle),
                             "multiply degrees by pi/180, and leave out what lies beyond"});
    const CurvePoint of_cloth =
        is_angle ? CurvePoint{std::sin(point.c), point.tension / std::cos(point.c)} : point;
    const auto is_number = [](double value) { return value == 0.0 || (value >= 1e-30 && value <= 1e30); };
    const double slope =
        points.empty() ? 0.0 : (of_cloth.tension - points.back().tension) / (of_cloth.c - points.back().c);
    if (!is_number(point.c) || !is_number(point.tension) || !is_number(slope))
      reader.fail(words[0], {fmt::format("a point {} {}, and a slope of {}", point.c, point.tension, slope),
                             "each 0, or from 1e-30 to 1e30", "leave out points that all but repeat"});
    before = point;
    points.push_back(of_cloth);
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
    const Response shear =
        read_response(*table.shear_curve, "[cloth.material] shear_curve", CurveOf::kShearAngle);
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
