#include "io/wedge/contact_sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/file/short_number.h"
#include "io/picture/picture.h"
#include "io/report/run.h"

namespace keydrape {
namespace {

constexpr int kWidth = 280, kHeight = 230;  // of one picture [px]
constexpr int kCaption = 48;                // below each row of an element
constexpr int kGap = 12;
constexpr int kSheetWidth = 1700;
constexpr std::size_t kMostFrames = 6;
constexpr std::size_t kMostDrawn = 400;

struct SheetFrame {
  int frame;
  VecX positions, target;  // [m] (3n); target: empty where there is no pose
};
struct SheetElement {
  const WedgeRow* row;
  std::vector<Triangle> triangles;
  std::vector<SheetFrame> frames;
  Vec3 up;
};

SheetElement read_element(const std::filesystem::path& wedge, const WedgeRow& row) {
  const ReportRun run = read_report_run(element_folder(wedge, *row.element));
  SheetElement element{
      &row, run.shot.rest.triangles, {}, run.shot.up_axis == "Z" ? Vec3(0, 0, 1) : Vec3(0, 1, 0)};
  if (run.takes.empty() || run.takes.front().frames.empty()) return element;
  const std::vector<VecX>& frames = run.takes.front().frames;
  const auto add = [&](int frame, const VecX& target) {
    const int at = frame - run.shot.frames.first;
    if (at >= 0 && at < static_cast<int>(frames.size()))
      element.frames.push_back({frame, frames[static_cast<std::size_t>(at)], target});
  };
  std::vector<const RecordedKeyframe*> keyframes;
  for (const RecordedKeyframe& keyframe : run.shot.keyframes) keyframes.push_back(&keyframe);
  std::sort(keyframes.begin(), keyframes.end(),
            [](const auto* a, const auto* b) { return a->frame < b->frame; });
  const std::size_t shown = std::min(kMostFrames, keyframes.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const RecordedKeyframe& keyframe = *keyframes[shown == 1 ? 0 : k * (keyframes.size() - 1) / (shown - 1)];
    const bool is_pose = keyframe.kind == TargetKind::kPose || keyframe.kind == TargetKind::kTrack;
    add(keyframe.frame, is_pose ? keyframe.goal.target : VecX());
  }
  if (element.frames.empty()) add(run.shot.frames.first + static_cast<int>(frames.size()) - 1, VecX());
  return element;
}

// Each with its own triangles: `cloth.rest` may be what the elements differ in. They outlive the result.
std::vector<SeenCloth> seen_in(const std::vector<SheetElement>& elements) {
  std::vector<SeenCloth> seen;
  for (const SheetElement& element : elements)
    for (const SheetFrame& frame : element.frames) {
      seen.push_back({frame.positions, element.triangles});
      if (frame.target.size() == frame.positions.size()) seen.push_back({frame.target, element.triangles});
    }
  return seen;
}

std::string settings_text(const WedgeElement& element) {
  std::string text = fmt::format("{:03}", element.number);
  for (const SceneSetting& setting : element.settings)
    text += fmt::format(" {}={}", setting.key.substr(setting.key.rfind('.') + 1), setting.value);
  return text;
}

void draw(Picture& sheet, const SheetElement& element, const View& view, int left, int top) {
  constexpr Colour kInk = {40, 40, 44};
  int x = left;
  for (const SheetFrame& frame : element.frames) {
    sheet.paste(draw_cloth(frame.positions, element.triangles, frame.target, view, kWidth, kHeight), x, top);
    std::string text = fmt::format("F {}", frame.frame);
    for (const ElementTarget& target : element.row->outcome.targets)
      if (target.frames.count() == 1 && target.frames.first == frame.frame)
        text += fmt::format(" {} MM", short_number(1e3 * target.rms));
    sheet.write(text, x + 6, top + kHeight - 16, 2, kInk);
    x += kWidth + 2;
  }
  const std::size_t room = static_cast<std::size_t>(std::max(kWidth, x - left)) / 8;  // letters of 8 pixels
  const std::string settings = settings_text(*element.row->element);
  for (std::size_t line = 0; line < 2 && line * room < settings.size(); ++line)
    sheet.write(settings.substr(line * room, room), left, top + kHeight + 4 + 14 * static_cast<int>(line), 2,
                kInk);
  std::string verdict(word(element.row->outcome.state));
  if (element.row->outcome.rms_g) verdict += fmt::format(" {} G", short_number(*element.row->outcome.rms_g));
  sheet.write(verdict, left, top + kHeight + 32, 2, kInk);
}

}  // namespace

std::optional<std::string> contact_sheet(const std::filesystem::path& wedge,
                                         const std::vector<WedgeRow>& rows) {
  std::vector<SheetElement> elements;
  std::size_t columns = 1;  // of pictures in an element
  for (const WedgeRow& row : rows) {
    const ElementState state = row.outcome.state;
    if (state != ElementState::kDone && state != ElementState::kMissed) continue;
    if (elements.size() == kMostDrawn) break;
    SheetElement element = read_element(wedge, row);
    if (element.frames.empty()) continue;
    columns = std::max(columns, element.frames.size());
    elements.push_back(std::move(element));
  }
  if (elements.empty()) return {};
  const View view = view_of(seen_in(elements), elements.front().up, kWidth, kHeight);
  const int block_width = static_cast<int>(columns) * (kWidth + 2) + kGap,
            block_height = kHeight + kCaption + kGap;
  const int count = static_cast<int>(elements.size());
  const int across = std::clamp(kSheetWidth / block_width, 1, count);
  Picture sheet(across * block_width + kGap, (count + across - 1) / across * block_height + kGap,
                {255, 255, 255});
  for (int k = 0; k < count; ++k)
    draw(sheet, elements[static_cast<std::size_t>(k)], view, kGap + k % across * block_width,
         kGap + k / across * block_height);
  return png(sheet);
}

}  // namespace keydrape
