#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "io/serve/loopback_server.h"

namespace keydrape {

// Shows a page that changes to browsers on this machine (io/serve/loopback_server.h):
//
//   url           the page; before there is one, a line that says so and asks again
//   url version   its number as plain text; a page that is open asks every second and fetches itself again
class LiveServer {
 public:
  // Listens on a free port; answers from a thread of its own until it is destroyed. Throws OutputError.
  LiveServer();

  std::string url() const { return server_.url(); }

  // A new version of the page.
  void show(std::string html) { pages_.show(std::move(html)); }
  int version() const { return pages_.version(); }  // of the page that is shown: how many there were

  // Waits until a browser that has asked in the last few seconds has the newest version, for
  // at most `longest`.
  void wait_until_fetched(std::chrono::milliseconds longest) const;

 private:
  using Clock = std::chrono::steady_clock;

  class Pages final : public PageSource {
   public:
    PageAnswer answer(const std::string& path) override;
    void show(std::string html);
    int version() const;
    // Whether somebody who is there has not got the newest version.
    bool is_awaited() const;

   private:
    mutable std::mutex mutex_;
    std::string html_;
    int version_ = 0;
    int fetched_version_ = 0;
    Clock::time_point last_request_{};
  };

  Pages pages_;
  LoopbackServer server_;
};

}  // namespace keydrape
