#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace keydrape {

// Shows a page that changes to browsers on this machine, and on no other: HTTP/1.1 on 127.0.0.1, GET only.
//
//   /         the page
//   /version  its number as plain text; a page that is open asks every second and fetches itself again
//
// A request whose Host is another name than 127.0.0.1 or localhost is refused, so that no web page can
// read the results through a name of its own that points here (DNS rebinding). One connection at a time,
// each of them short.
class LiveServer {
 public:
  // Listens on a free port; answers from a thread of its own until it is destroyed. Throws OutputError.
  LiveServer();
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:40123/"

  // A new version of the page.
  void show(std::string html);
  int version() const;  // of the page that is shown: how many there were

  // Waits until a browser that has asked in the last few seconds has the newest version, for
  // at most `longest`.
  void wait_until_fetched(std::chrono::milliseconds longest) const;

 private:
  using Clock = std::chrono::steady_clock;

  void serve();
  void answer(int connection);
  std::string response(const std::string& request);

  int socket_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::string html_;
  int version_ = 0;
  int fetched_version_ = 0;
  Clock::time_point last_request_{};
  std::thread thread_;
};

}  // namespace keydrape
