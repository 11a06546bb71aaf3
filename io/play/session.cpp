#include "io/play/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "io/file/counted.h"
#include "io/file/file.h"
#include "io/file/interrupt.h"
#include "io/file/short_number.h"
#include "io/report/page.h"
#include "io/run/shot_record.h"

namespace keydrape {
namespace {

using Kind = StageCommand::Kind;

constexpr std::size_t kMostCommands = 1000;  // that wait: a page sends one for each picture that it draws
constexpr std::size_t kMostMessage = 1024;   // bytes of a command
constexpr std::string_view kReports = "report/";

// Of one of the differences of two fingerprints: whether it is of what a page shows, and was made with.
bool changes_look(const std::string& difference) {
  const std::string key = difference.substr(0, difference.find(' '));
  if (key == "cloth.rest" || key == "shot.meters_per_unit" || key == "shot.up_axis") return true;
  return key.starts_with("collider.") && !key.ends_with(".friction") && !key.ends_with(".voxel") &&
         !key.ends_with(".point_spacing");
}

std::string play_page_of(const Stage& stage) {
  ReportRun run;
  run.folder = stage.scene().source.file;
  run.shot = shot_record(stage.scene(), stage.shot());
  run.takes = {{"simulated", "memory", {stage.shot().start().x}}};
  run.summary = "null";
  run.warnings = stage.shot().warnings;
  return play_html(run);
}

}  // namespace

PlaySession::PlaySession(const Scene& scene, const StageOptions& options, int port)
    : options_(options), recorder_(scene) {
  if (const auto obstacle = report_obstacle()) throw InputError("play: " + *obstacle);
  stage_ = std::make_unique<Stage>(scene, options);
  page_vertices_ = static_cast<std::size_t>(stage_->shot().rest().vertex_count());
  opened_ = scene_fingerprint(scene);
  page_ = play_page_of(*stage_);
  LoopbackOptions limits;
  limits.port = port;
  limits.most_message_bytes = kMostMessage;
  server_ = std::make_unique<LoopbackServer>(*this, limits, "the stage");
  thread_ = std::thread([this] { perform(); });
}

PlaySession::~PlaySession() {
  {
    const std::lock_guard lock(mutex_);
    is_to_stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  job_.reset();
}

PageAnswer PlaySession::answer(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (path.empty()) return {200, "text/html", page_};
  int number = 0;
  if (path.starts_with(kReports))
    std::from_chars(path.data() + kReports.size(), path.data() + path.size(), number);
  const auto found = reports_.find(number);
  if (found == reports_.end() || path != fmt::format("{}{}", kReports, number))
    return {404, "text/plain", "only the stage and the reports of its searches\n"};
  const std::filesystem::path file = found->second / "report.html";
  try {
    if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file)))
      return {200, "text/html", read_file(file)};
  } catch (const std::exception&) {
    // as if there were none: it is being replaced, or somebody has moved it
  }
  return {404, "text/plain", "there is no report yet\n"};
}

void PlaySession::on_open(int) {
  const std::lock_guard lock(mutex_);
  ++socket_count_;
  is_to_greet_ = true;
  wake_.notify_all();
}

void PlaySession::on_text(int socket, const std::string& text) {
  const std::optional<StageCommand> command = parse_command(text, static_cast<int>(page_vertices_));
  if (!command)
    return server_->send_text(socket, note_text(NoteKind::kRefused, "this page and its program do not fit"));
  const std::lock_guard lock(mutex_);
  if (command->kind == Kind::kGrab) holder_ = socket;
  if (command->kind == Kind::kDrag && !commands_.empty() && commands_.back().kind == Kind::kDrag)
    commands_.back() = *command;  // where the hand is now, not every way that it went
  else
    push(*command);
  wake_.notify_all();
}

void PlaySession::push(const StageCommand& command) {
  if (command.kind == Kind::kPause)  // now, not behind the frames that were asked for before
    std::erase_if(commands_, [](const StageCommand& waiting) { return waiting.kind == Kind::kStep; });
  const bool is_end = command.kind == Kind::kPause || command.kind == Kind::kLetGo;
  if (commands_.size() < (is_end ? 2 : 1) * kMostCommands) commands_.push_back(command);
}

// Nobody holds the cloth any longer who is not there, and nobody looks on.
void PlaySession::on_close(int socket) {
  const std::lock_guard lock(mutex_);
  if (holder_ == socket) {
    holder_ = kNobody;
    push({.kind = Kind::kLetGo});
  }
  if (--socket_count_ == 0) push({.kind = Kind::kPause});
  wake_.notify_all();
}

template <class Act>
bool PlaySession::attempt(const Act& act) {
  try {
    act();
    return true;
  } catch (const InputError& error) {
    say(NoteKind::kRefused, error.what());
  } catch (const Interrupted&) {
    is_playing_ = false;  // the program ends, and the stage with it
  } catch (const std::exception& error) {
    is_playing_ = false;
    say(NoteKind::kFailed, error.what());
  }
  return false;
}

void PlaySession::perform() {
  for (;;) {
    std::optional<StageCommand> command;
    bool is_to_greet = false;
    {
      std::unique_lock lock(mutex_);
      const auto is_awake = [&] { return is_to_stop_ || is_to_greet_ || !commands_.empty(); };
      if (is_playing_)
        wake_.wait_until(lock, next_frame_, is_awake);
      else
        wake_.wait(lock, is_awake);
      if (is_to_stop_) return;
      if (!commands_.empty()) {
        command = commands_.front();
        commands_.pop_front();
      }
      is_to_greet = std::exchange(is_to_greet_, false);
    }
    if (command) attempt([&] { obey(*command); });
    if (command || is_to_greet) show_status();
    if (is_to_greet) {
      show_frame();
      if (job_) server_->send_text_to_all(solve_text(job_->status()));
    }
    if (!is_playing_ || Clock::now() < next_frame_ || attempt([&] { take_frame(); })) continue;
    is_playing_ = false;  // it would be tried again at once, for ever
    show_status();
  }
}

void PlaySession::obey(const StageCommand& command) {
  switch (command.kind) {
    case Kind::kPlay:
      if (stage_->is_at_end())
        say(NoteKind::kRefused, "The shot ends here. Reset begins it again; --last plays on beyond it.");
      is_playing_ = !stage_->is_at_end();
      next_frame_ = Clock::now();
      return;
    case Kind::kPause:
      is_playing_ = false;
      return;
    case Kind::kStep:
      is_playing_ = false;
      if (!stage_->is_at_end()) take_frame();
      return;
    case Kind::kReset:
      return reset();
    case Kind::kSpeed:
      speed_ = command.speed;
      return;
    case Kind::kGrab:
      return stage_->grab(command.vertex);
    case Kind::kDrag:
      stamp_ = command.stamp;
      if (stage_->is_held()) stage_->drag(command.way);
      return;
    case Kind::kLetGo:
      return stage_->let_go();
    case Kind::kWind:
      return stage_->switch_wind(command.is_on);
    case Kind::kBodies:
      return stage_->switch_bodies(command.is_on);
    case Kind::kSolve:
      return begin_solve();
    case Kind::kStopSolve:
      if (job_) job_->stop();
      return;
    case Kind::kKeyframe:
    case Kind::kRecordPins:
    case Kind::kRecordTrack:
      return obey_record(command);
  }
}

void PlaySession::obey_record(const StageCommand& command) {
  if (command.kind == Kind::kRecordPins) stage_->let_go();
  const std::string said = command.kind == Kind::kKeyframe     ? recorder_.keyframe(*stage_)
                           : command.kind == Kind::kRecordPins ? recorder_.pins(*stage_)
                                                               : recorder_.track(*stage_);
  is_played_scene_newer_ = true;
  say(NoteKind::kDone, said);
}

void PlaySession::reset() {
  is_playing_ = false;
  Scene scene = read_scene(recorder_.scene_file());
  SceneFingerprint now = scene_fingerprint(scene);
  if (is_played_scene_newer_ || scene.text != stage_->scene().text || now != opened_)
    reopen(std::move(scene), std::move(now));
  stage_->reset();
  recorder_.begin(stage_->scene());
  show_frame();
}

// The stage anew, with the scene as it is now. What stands in its way leaves the stage as it was.
void PlaySession::reopen(Scene scene, SceneFingerprint now) {
  auto stage = std::make_unique<Stage>(std::move(scene), options_);
  if (static_cast<std::size_t>(stage->shot().rest().vertex_count()) != page_vertices_)
    throw InputError(fmt::format("{}: has another cloth now than this stage; play it anew",
                                 recorder_.scene_file().string()));
  stage->switch_wind(stage_->has_wind());
  stage->switch_bodies(stage_->has_bodies());
  std::string page = play_page_of(*stage);
  const std::vector<std::string> changes = differences(opened_, now);
  const bool looks_other = std::any_of(changes.begin(), changes.end(), changes_look);
  stage_ = std::move(stage);
  opened_ = std::move(now);
  is_played_scene_newer_ = false;
  const ShotClock& clock = stage_->shot().clock;
  say(NoteKind::kDone,
      fmt::format("Plays {} as it is now: frames {}, {}.{}", recorder_.scene_file().filename().string(),
                  clock.frames.text(), counted(clock.substeps, "substep"),
                  looks_other ? " Bodies or triangles are others: load this page again to see them." : ""));
  const std::lock_guard lock(mutex_);
  page_ = std::move(page);
}

void PlaySession::begin_solve() {
  if (job_ && job_->status().is_running) {
    say(NoteKind::kRefused, "A search is under way; stop it, or wait for its end.");
    return;
  }
  is_playing_ = false;
  stage_->let_go();
  const int number = ++solve_count_;
  const std::filesystem::path folder = recorder_.folder() / fmt::format("solve_{:03}", number);
  {
    const std::lock_guard lock(mutex_);
    reports_[number] = folder;
  }
  job_ = std::make_unique<SolveJob>(recorder_.scene_file(), folder, number,
                                    [this](const SolveStatus& status) { heed(status); });
}

void PlaySession::heed(const SolveStatus& status) {
  server_->send_text_to_all(solve_text(status));
  if (status.is_running) return;
  const std::lock_guard lock(mutex_);
  is_to_greet_ = true;  // whether it goes on stands in the status
  wake_.notify_all();
}

void PlaySession::take_frame() {
  const auto frame_time = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(1.0 / (speed_ * stage_->shot().clock.fps)));
  const PlayedFrame played = stage_->advance();
  next_frame_ = std::max(Clock::now(), next_frame_ + frame_time);
  if (!played.problem.empty()) {
    is_playing_ = false;
    say(NoteKind::kFailed, fmt::format("Frame {} cannot be stepped to: {}. Let go, or reset.",
                                       stage_->frame() + 1, played.problem));
    return show_status();
  }
  shown_.seconds = played.seconds;
  shown_.residual = played.residual;
  show_frame();
  if (is_playing_ && stage_->is_at_end()) {
    is_playing_ = false;
    stage_->let_go();
    show_status();
  }
}

void PlaySession::show_frame() {
  ++shown_.sequence;
  shown_.frame = stage_->frame();
  shown_.stamp = stamp_;
  server_->send_newest_to_all(std::make_shared<const std::string>(frame_bytes(shown_, stage_->x())));
}

void PlaySession::show_status() {
  StageStatus status;
  const Scene& scene = stage_->scene();
  status.is_playing = is_playing_;
  status.is_at_end = stage_->is_at_end();
  status.is_solving = job_ && job_->status().is_running;
  status.frame = stage_->frame();
  status.frames = stage_->shot().clock.frames;
  status.fps = stage_->shot().clock.fps;
  status.substeps = stage_->shot().clock.substeps;
  status.speed = speed_;
  if (scene.wind.source.line > 0) status.wind = stage_->has_wind();
  if (!scene.colliders.empty()) status.bodies = stage_->has_bodies();
  status.held = static_cast<int>(stage_->held_vertices().size());
  status.drags = recorder_.unrecorded(*stage_);
  status.keyframes = recorder_.keyframes();
  if (recorder_.has_recorded()) status.scene = recorder_.scene_file().filename().string();
  server_->send_text_to_all(status_text(status));
}

}  // namespace keydrape
