#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "io/play/protocol.h"
#include "io/play/recorder.h"
#include "io/play/solve_job.h"
#include "io/play/stage.h"
#include "io/run/scene_fingerprint.h"
#include "io/serve/loopback_server.h"

namespace keydrape {

// A scene on a page of this machine's browsers, to be played (io/play/README.md). The stage steps in one
// thread, at the scene's frames per second or as fast as it can; the server has its own, and so has a search.
class PlaySession final : public PageSource {
 public:
  // Throws InputError: as Stage; this program has no pages (report_obstacle). OutputError: as LoopbackServer.
  PlaySession(const Scene& scene, const StageOptions& options, int port);
  ~PlaySession() override;
  PlaySession(const PlaySession&) = delete;
  PlaySession& operator=(const PlaySession&) = delete;

  std::string url() const { return server_->url(); }

  PageAnswer answer(const std::string& path) override;
  bool has_sockets() const override { return true; }
  void on_open(int socket) override;
  void on_text(int socket, const std::string& text) override;
  void on_close(int socket) override;

 private:
  using Clock = std::chrono::steady_clock;

  // In the stage's thread.
  void perform();
  // Whether it was done; what stood in its way is told.
  template <class Act>
  bool attempt(const Act& act);
  void obey(const StageCommand& command);
  void obey_record(const StageCommand& command);
  void reset();
  void reopen(Scene scene, SceneFingerprint now);
  void begin_solve();
  void take_frame();
  void show_frame();
  void show_status();
  void say(NoteKind kind, const std::string& text) { server_->send_text_to_all(note_text(kind, text)); }

  // Under the lock: what waits is bounded, but what ends something has room of its own.
  void push(const StageCommand& command);

  // In a search's.
  void heed(const SolveStatus& status);

  const StageOptions options_;
  std::unique_ptr<Stage> stage_;
  SceneFingerprint opened_;  // of the scene that it was opened with, options apart
  Recorder recorder_;
  std::size_t page_vertices_;  // of the page that is shown; it never changes
  bool is_playing_ = false;
  double speed_ = 1.0;
  bool is_played_scene_newer_ = false;  // something has been recorded since the stage was opened
  double stamp_ = 0.0;                  // of the newest drag [ms]
  SentFrame shown_;
  Clock::time_point next_frame_{};
  std::unique_ptr<SolveJob> job_;
  int solve_count_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::deque<StageCommand> commands_;
  bool is_to_greet_ = false, is_to_stop_ = false;
  static constexpr int kNobody = -1;
  int holder_ = kNobody;  // the socket whose page grabbed last
  int socket_count_ = 0;
  std::map<int, std::filesystem::path> reports_;  // of searches, by number: their folders
  std::string page_;

  // Ends by its destructor, before what its thread uses: a reset() would take it from under on_text().
  std::unique_ptr<LoopbackServer> server_;
  std::thread thread_;
};

}  // namespace keydrape
