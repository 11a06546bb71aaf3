#include "io/report/live_server.h"

#include <thread>

namespace keydrape {
namespace {

constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::seconds kWatching{5};  // a browser that has asked this recently is still there
// Until there is a page: asks again by itself.
constexpr const char* kBeforeTheFirst =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
    "content=\"2\"><title>keydrape</title></head><body><p>The run has begun; its report comes with its "
    "first result.</p></body></html>\n";

}  // namespace

LiveServer::LiveServer() : server_(pages_, {}, "the report (--live)") {}

void LiveServer::wait_until_fetched(std::chrono::milliseconds longest) const {
  const Clock::time_point end = Clock::now() + longest;
  while (Clock::now() < end && pages_.is_awaited()) std::this_thread::sleep_for(kPoll);
}

PageAnswer LiveServer::Pages::answer(const std::string& path) {
  const std::lock_guard lock(mutex_);
  last_request_ = Clock::now();
  if (path == "version") return {200, "text/plain", std::to_string(version_)};
  if (!path.empty()) return {404, "text/plain", "only the page and its version\n"};
  const auto taken = [this, version = version_] {
    const std::lock_guard lock_of_thread(mutex_);
    fetched_version_ = version;
  };
  return {200, "text/html", version_ == 0 ? kBeforeTheFirst : html_, taken};
}

void LiveServer::Pages::show(std::string html) {
  const std::lock_guard lock(mutex_);
  html_ = std::move(html);
  ++version_;
}

int LiveServer::Pages::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

bool LiveServer::Pages::is_awaited() const {
  const std::lock_guard lock(mutex_);
  return fetched_version_ != version_ && Clock::now() - last_request_ <= kWatching;
}

}  // namespace keydrape
