#include "io/perform/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/inspect/contact_summary.h"
#include "io/file/counted.h"
#include "io/file/short_number.h"
#include "io/run/blocked_step.h"
#include "io/shot/control.h"

namespace keydrape {
namespace {

// "12 vertices are farther off than 40 mm: 1503 by 57.3, 1502 by 55.1, .."
std::string far_text(const KeyframeOutcome& k) {
  constexpr std::size_t kNamed = 5;
  const std::size_t count = k.far_vertices.size();
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, count); ++i)
    names += fmt::format("{}{} by {}", i == 0 ? "" : ", ", k.far_vertices[i].vertex,
                         short_number(1e3 * k.far_vertices[i].distance));
  return fmt::format("{} farther off than {} mm{}: {}{}", counted(count, "vertex is", "vertices are"),
                     short_number(1e3 * k.farthest_wanted),
                     k.tolerance_max ? " (tolerance_max)" : ", four tolerances", names,
                     count > kNamed ? ", .." : "");
}

// In millimetres; a dash where it is not known.
std::string millimetres(double length) {
  return std::isnan(length) ? "-" : fmt::format("{:.3f}", 1e3 * length);
}

}  // namespace

std::string failure_message(const Shot& shot, const Trajectory& trajectory) {
  const int n = trajectory.first_failure();
  assert(n < trajectory.step_count());
  const StepReport& report = trajectory.reports[n];
  const std::string where =
      fmt::format("the simulation failed at frame {}, substep {} of {}: {}", shot.clock.frame_of_step(n),
                  shot.clock.substep_of_step(n), shot.clock.substeps, reason(report.end));
  if (report.end == NewtonEnd::kBlocked)
    return fmt::format("{}, in {}{}; try more substeps, slower bodies, pins or stretch_scale", where,
                       counted(report.violations, "place"), describe_blocked(shot, trajectory, n));
  // What cloth bears that has flown apart already is no number to go by.
  if (report.end == NewtonEnd::kTooLong && report.iterations > 0)
    return fmt::format("{}, and its end is not finite; try more substeps", where);
  if (report.end == NewtonEnd::kTooLong)
    return fmt::format("{}; expected at least {} substeps", where,
                       substeps_that_do(shot.clock.substeps, report.residual));
  if (const std::string flat = describe_flat(shot, trajectory, n); !flat.empty())
    return fmt::format(
        "{}{}; expected corners that are not on one line: move them apart, or hold fewer of them", where,
        flat);
  const Simulator& simulator = shot.simulator();
  if (simulator.is_explicit() || leaves_residuals(simulator))
    return fmt::format("{}; try more substeps, slower pins, or [solver] integrator = \"newton\"", where);
  PairSearch search;
  const double end = (n + 1) * shot.simulator().dt();
  const bool touches = contact_summary(shot.model(), trajectory.back(), end, search).pairs > 0;
  return fmt::format(
      "{}; residual {} of the cloth's weight (newton_tolerance {}) after {} iterations; try more "
      "substeps, slower pins, {}or a larger max_newton_iterations or newton_tolerance in [solver]",
      where, short_number(report.residual, 2), short_number(shot.simulator().options().newton.tolerance, 2),
      report.iterations, touches ? "a larger stiffness in [contact] where cloth is squeezed hard, " : "");
}

std::string crossings_text(const CrossingFigures& crossings) {
  const auto [places, curves, left, near, near_left, frame] = crossings;
  if (curves == 0)
    return fmt::format("start_crossings: pairs without the whole gap: {} at the first frame, {} now", near,
                       near_left);
  const std::string parted = frame ? fmt::format(", the last that came apart in frame {}", *frame) : "";
  return fmt::format(
      "start_crossings: of {} curves along which the cloth went through itself at the first frame, in {} "
      "places, {} left{}; pairs without the whole gap: {} then, {} now",
      curves, places, left, parted, near, near_left);
}

std::string time_text(const RunSummary& summary) {
  return summary.total_s > summary.start_s
             ? fmt::format("{:.1f} s, {:.1f} s of them since --resume", summary.total_s, summary.start_s)
             : fmt::format("{:.1f} s", summary.total_s);
}

std::vector<std::string> keyframe_table(const std::vector<KeyframeOutcome>& keyframes,
                                        std::string_view unforced) {
  std::vector<std::string> lines = {fmt::format("{:>8} {:>10} {:>10} {:>18} {:>7} {:>13}  {}", "keyframe",
                                                "rms [mm]", "max [mm]", fmt::format("{} [mm]", unforced),
                                                "miss", "tolerance [mm]", "reached")};
  if (std::all_of(keyframes.begin(), keyframes.end(), [](const auto& k) { return k.track.has_value(); }))
    lines.clear();
  for (const KeyframeOutcome& k : keyframes) {
    if (k.track) continue;
    // Of a miss that is within the tolerance by itself, a share says nothing.
    const bool has_share = k.uncontrolled_rms > k.tolerance.value_or(0.0);
    const std::string share =
        has_share ? fmt::format("{:.1f} %", 100.0 * k.miss.rms / k.uncontrolled_rms) : "-";
    lines.push_back(fmt::format("{:>8} {:>10.3f} {:>10.3f} {:>18} {:>7} {:>13}  {}", k.frame,
                                1e3 * k.miss.rms, 1e3 * k.miss.max, millimetres(k.uncontrolled_rms), share,
                                k.tolerance ? fmt::format("{:.3f}", 1e3 * *k.tolerance) : "-",
                                k.reached() ? "yes" : "NO"));
    if (!k.far_vertices.empty()) lines.push_back(fmt::format("{:>8} {}", "", far_text(k)));
    if (k.velocity_tolerance || k.miss.velocity_rms > 0.0)
      lines.push_back(fmt::format("{:>8} velocities {} m/s{}", "", short_number(k.miss.velocity_rms),
                                  k.velocity_tolerance
                                      ? fmt::format(", tolerance {} m/s", short_number(*k.velocity_tolerance))
                                      : ""));
  }
  for (const TrackOutcome& track : track_outcomes(keyframes))
    lines.push_back(fmt::format("track {}: {:.3f} mm RMS, at worst {:.3f} mm at frame {} ({} {} mm){}",
                                track.range.text(), 1e3 * track.rms, 1e3 * track.worst.miss.rms,
                                track.worst.frame, unforced, millimetres(track.uncontrolled_rms),
                                track.worst.reached() ? "" : ": NOT within its tolerance"));
  return lines;
}

std::vector<std::string> bare_surface_sentences(const std::vector<KeyframeOutcome>& keyframes) {
  std::vector<std::string> sentences;
  for (const KeyframeOutcome& k : keyframes) {
    if (!k.coverage || !k.coverage->is_left_bare(k.miss.rms)) continue;
    const SurfaceCoverage& c = *k.coverage;
    const std::string size = c.spare >= 0.005
                                 ? fmt::format("its rest mesh is too small for {:.0f} %", 100.0 * c.spare)
                                 : "its rest mesh is large enough for all of it";
    sentences.push_back(fmt::format(
        "frame {}: the cloth leaves {:.0f} % of the surface bare, farther than {} mm from it, and {} mm at "
        "({}, {}, {}) m; {}. It may lie crowded on a part: give corners of it their places by [[keyframe]] "
        "landmarks on the same frame, or lower max_angle",
        k.frame, 100.0 * c.bare, short_number(1e3 * c.within), short_number(1e3 * c.farthest),
        short_number(c.place.x()), short_number(c.place.y()), short_number(c.place.z()), size));
  }
  return sentences;
}

std::vector<std::string> distance_lines(const std::vector<KeyframeOutcome>& keyframes,
                                        std::string_view cloth) {
  std::vector<std::string> lines;
  const auto allowed = [](const KeyframeOutcome& k) {
    return k.tolerance ? fmt::format("; tolerance {} mm", short_number(1e3 * *k.tolerance)) : "";
  };
  for (const KeyframeOutcome& k : keyframes)
    if (!k.track)
      lines.push_back(fmt::format("keyframe {}: {} is {} mm RMS away, at most {} mm{}", k.frame, cloth,
                                  short_number(1e3 * k.miss.rms), short_number(1e3 * k.miss.max),
                                  allowed(k)));
  for (const TrackOutcome& track : track_outcomes(keyframes))
    lines.push_back(fmt::format("track {}: {} is {} mm RMS away, at worst {} mm at frame {}{}",
                                track.range.text(), cloth, short_number(1e3 * track.rms),
                                short_number(1e3 * track.worst.miss.rms), track.worst.frame,
                                allowed(track.worst)));
  return lines;
}

std::string miss_text(const std::vector<KeyframeOutcome>& outcomes) {
  std::string text;
  const auto separator = [&] { return text.empty() ? "" : ", "; };
  for (const KeyframeOutcome& k : outcomes)
    if (!k.track) text += fmt::format("{}frame {}: {:.2f} mm", separator(), k.frame, 1e3 * k.miss.rms);
  for (const TrackOutcome& track : track_outcomes(outcomes))
    text += fmt::format("{}frames {}: {:.2f} mm, at worst {:.2f} mm at frame {}", separator(),
                        track.range.text(), 1e3 * track.rms, 1e3 * track.worst.miss.rms, track.worst.frame);
  return text;
}

}  // namespace keydrape
