#include "io/report/live_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "io/file/file.h"

namespace keydrape {
namespace {

constexpr int kPollMs = 100;         // how soon the thread sees that it is to stop
constexpr int kRequestMs = 500;      // browsers open connections ahead of need, and then say nothing
constexpr int kConnectionMs = 2000;  // longest silence of one that fetches
constexpr std::size_t kMaxRequest = 16 * 1024;
constexpr std::chrono::seconds kWatching{5};  // a browser that has asked this recently is still there

[[noreturn]] void fail(int socket) {
  const int error_number = errno;
  if (socket >= 0) ::close(socket);
  throw OutputError(fmt::format("the report cannot be served on 127.0.0.1: {}; solve without --live",
                                std::generic_category().message(error_number)));
}

std::string http(std::string_view status, std::string_view type, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{}",
      status, type, body.size(), body);
}

// The value of a header, whose name is given in lower case; empty if there is none.
std::string header(std::string_view request, std::string_view name) {
  for (std::size_t at = request.find("\r\n"); at != std::string_view::npos;
       at = request.find("\r\n", at + 2)) {
    const std::string_view line = request.substr(at + 2, request.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != name.size()) continue;
    const bool same = std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
      return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
    if (!same) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string_view::npos ? "" : std::string(line.substr(begin));
  }
  return "";
}

std::string read_request(int connection) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < kMaxRequest) {
    pollfd ready{connection, POLLIN, 0};
    if (::poll(&ready, 1, kRequestMs) <= 0) return "";
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return "";
    request.append(buffer, static_cast<std::size_t>(got));
  }
  return request;
}

// False: the browser went away.
bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd ready{connection, POLLOUT, 0};
    if (::poll(&ready, 1, kConnectionMs) <= 0) return false;
    const ssize_t put = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

LiveServer::LiveServer() {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) fail(socket_);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_, generic, length) != 0 || ::listen(socket_, 16) != 0 ||
      ::getsockname(socket_, generic, &length) != 0)
    fail(socket_);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

LiveServer::~LiveServer() {
  stop_ = true;
  thread_.join();
  ::close(socket_);
}

std::string LiveServer::url() const { return fmt::format("http://127.0.0.1:{}/", port_); }

void LiveServer::show(std::string html) {
  const std::lock_guard lock(mutex_);
  html_ = std::move(html);
  ++version_;
}

int LiveServer::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void LiveServer::wait_until_fetched(std::chrono::milliseconds longest) const {
  const Clock::time_point end = Clock::now() + longest;
  while (Clock::now() < end) {
    {
      const std::lock_guard lock(mutex_);
      if (fetched_version_ == version_ || Clock::now() - last_request_ > kWatching) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

void LiveServer::serve() {
  while (!stop_) {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMs) <= 0) continue;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void LiveServer::answer(int connection) {
  const std::string request = read_request(connection);
  if (request.empty()) return;
  send_all(connection, response(request));
  ::shutdown(connection, SHUT_WR);
}

std::string LiveServer::response(const std::string& request) {
  const std::string host = header(request, "host");
  if (host != fmt::format("127.0.0.1:{}", port_) && host != fmt::format("localhost:{}", port_))
    return http("403 Forbidden", "text/plain", "for this machine only\n");
  const std::string line = request.substr(0, request.find("\r\n"));
  const std::lock_guard lock(mutex_);
  last_request_ = Clock::now();
  if (line.starts_with("GET /version ")) return http("200 OK", "text/plain", std::to_string(version_));
  if (!line.starts_with("GET / ")) return http("404 Not Found", "text/plain", "only / and /version\n");
  fetched_version_ = version_;
  return http("200 OK", "text/html", html_);
}

}  // namespace keydrape
