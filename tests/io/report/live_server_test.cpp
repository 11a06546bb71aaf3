#include "io/report/live_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace keydrape {
namespace {

int port_of(const LiveServer& server) {
  const std::string url = server.url();
  return std::stoi(url.substr(url.rfind(':') + 1));
}

// A connection to an address of this machine; -1 if nobody listens there.
int connected(const LiveServer& server, const char* address = "127.0.0.1") {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port_of(server)));
  ::inet_pton(AF_INET, address, &to.sin_addr);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return socket;
  ::close(socket);
  return -1;
}

std::string answer_to(const LiveServer& server, const std::string& request) {
  const int socket = connected(server);
  EXPECT_GE(socket, 0);
  EXPECT_EQ(::send(socket, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(got));
  ::close(socket);
  return answer;
}

std::string get(const LiveServer& server, const std::string& path, std::string host = "") {
  if (host.empty()) host = "127.0.0.1:" + std::to_string(port_of(server));
  return answer_to(server, "GET " + path + " HTTP/1.1\r\nAccept: */*\r\nhOST:  " + host + "\r\n\r\n");
}

std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

TEST(LiveServer, ServesTheNewestPage) {
  LiveServer server;
  EXPECT_EQ(body(get(server, "/version")), "0");
  const std::string long_page(5'000'000, 'x');  // more than a socket takes at once
  for (const std::string& page : {std::string("<p>one"), long_page}) {
    server.show(page);
    const std::string answer = get(server, "/");
    EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK");
    EXPECT_TRUE(body(answer) == page);
  }
  EXPECT_EQ(body(get(server, "/version")), "2");
}

TEST(LiveServer, ListensOnOneAddressOnly) {
  const LiveServer server;
  EXPECT_LT(connected(server, "127.0.0.2"), 0);
}

TEST(LiveServer, RefusesOtherNamesAndPaths) {
  LiveServer server;
  server.show("secret");
  const std::string port = std::to_string(port_of(server));
  EXPECT_EQ(body(get(server, "/", "localhost:" + port)), "secret");
  for (const std::string& host :
       {std::string("evil.example"), "evil.example:" + port, std::string("127.0.0.1")}) {
    const std::string answer = get(server, "/", host);
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 403") << host;
    EXPECT_EQ(answer.find("secret"), std::string::npos);
  }
  EXPECT_EQ(answer_to(server, "GET / HTTP/1.1\r\n\r\n").substr(0, 12), "HTTP/1.1 403");
  EXPECT_EQ(get(server, "/../etc/passwd").substr(0, 12), "HTTP/1.1 404");
  EXPECT_EQ(answer_to(server, "POST / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n").substr(0, 12),
            "HTTP/1.1 404");
}

TEST(LiveServer, ASilentConnectionHoldsNobodyUp) {
  LiveServer server;
  server.show("page");
  const int silent = connected(server);
  EXPECT_EQ(body(get(server, "/")), "page");
  ::close(silent);
}

TEST(LiveServer, WaitsForABrowserThatIsThere) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  LiveServer server;
  const auto seconds_of_waiting = [&] {
    const auto begin = steady_clock::now();
    server.wait_until_fetched(milliseconds(400));
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  server.show("one");
  EXPECT_LT(seconds_of_waiting(), 0.2);  // nobody has asked
  get(server, "/");
  EXPECT_LT(seconds_of_waiting(), 0.2);  // has it
  server.show("two");
  EXPECT_GE(seconds_of_waiting(), 0.4);  // is expected to come for it
}

}  // namespace
}  // namespace keydrape
