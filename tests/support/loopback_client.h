#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace keydrape {

// Speaks to a LoopbackServer as a browser does, and as no browser would: bytes of the test's own.
class LoopbackClient {
 public:
  explicit LoopbackClient(const std::string& url)
      : port_(std::stoi(url.substr(url.rfind(':') + 1))), base_(url.substr(url.find('/', 7))) {}

  int port() const { return port_; }
  const std::string& base() const { return base_; }  // "/SECRET/"
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

  // A connection to an address of this machine; -1 if nobody listens there. To be closed by the caller.
  int connected(const char* address = "127.0.0.1") const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    ::inet_pton(AF_INET, address, &to.sin_addr);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return socket;
    ::close(socket);
    return -1;
  }

  // What comes until the server ends the connection.
  static std::string rest_of(int socket) {
    std::string answer;
    char buffer[4096];
    for (ssize_t got; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(got));
    return answer;
  }

  std::string answer_to(const std::string& request) const {
    const int socket = connected();
    EXPECT_GE(socket, 0);
    EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string answer = rest_of(socket);
    ::close(socket);
    return answer;
  }

  // `path` behind the secret; `host` empty: the server's.
  std::string get(const std::string& path, const std::string& headers = "", std::string host = "") const {
    if (host.empty()) host = this->host();
    return answer_to(
        fmt::format("GET {}{} HTTP/1.1\r\nAccept: */*\r\nhOST:  {}\r\n{}\r\n", base_, path, host, headers));
  }

  static constexpr const char* kUpgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  // A socket asked for by a page of this server; the answer, where there is one.
  std::string upgrade(const std::string& path) const {
    return get(path, fmt::format("{}Origin: http://{}\r\n", kUpgrade, host()));
  }

 private:
  int port_;
  std::string base_;
};

}  // namespace keydrape
