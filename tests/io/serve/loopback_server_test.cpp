#include "io/serve/loopback_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "io/serve/request_check.h"
#include "tests/support/loopback_client.h"

namespace keydrape {
namespace {

// Notes what it is asked.
class NotingPages final : public PageSource {
 public:
  PageAnswer answer(const std::string& path) override { return {200, "text/html", "page <" + path + ">"}; }
  bool has_sockets() const override { return true; }
  void on_open(int socket) override { note("open " + std::to_string(socket)); }
  void on_text(int, const std::string& text) override { note("text " + text); }
  void on_close(int socket) override { note("close " + std::to_string(socket)); }

  // Waits until so many things have been noted; what there is then.
  std::vector<std::string> noted(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(5), [&] { return notes_.size() >= count; });
    return notes_;
  }

 private:
  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(text);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;
};

struct Served {
  explicit Served(const LoopbackOptions& options = {}) : server(pages, options, "a test") {}
  NotingPages pages;
  LoopbackServer server;
  LoopbackClient client{server.url()};
};

int status(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }

// A text as a browser sends it: masked, here by zeros.
std::string frame(const std::string& text) {
  std::string bytes("\x81");
  if (text.size() < 126) {
    bytes += static_cast<char>(0x80 | text.size());
  } else {
    bytes += static_cast<char>(0x80 | 127);
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>((text.size() >> shift) & 0xff);
  }
  return bytes + std::string(4, '\0') + text;
}

// A socket that is open, with what the server said to that.
int opened_socket(const Served& served) {
  const int socket = served.client.connected();
  const std::string request = "GET " + served.client.base() +
                              "socket HTTP/1.1\r\nHost: " + served.client.host() + "\r\nOrigin: http://" +
                              served.client.host() + "\r\n" + LoopbackClient::kUpgrade + "\r\n";
  EXPECT_EQ(::send(socket, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  char byte;
  while (!answer.ends_with("\r\n\r\n") && ::recv(socket, &byte, 1, 0) == 1) answer += byte;
  EXPECT_EQ(status(answer), 101) << answer;
  return socket;
}

std::string received(int socket, std::size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = ::recv(socket, bytes.data(), count, MSG_WAITALL);
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

void send_all(int socket, const std::string& bytes) {
  EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

// Whose address has no port, of pages and in what browsers say of it.
TEST(RequestCheck, ThePortOfHttpIsLeftOut) {
  RequestMarks marks{.method = "GET", .target = "/s/", .host = {"127.0.0.1"}, .origin = {}, .fetch_site = {}};
  EXPECT_EQ(check_request(marks, {80, "s"}).status, 0);
  EXPECT_EQ(check_request(marks, {8080, "s"}).status, 403);
  marks.host = {"localhost"};
  marks.origin = {"http://localhost"};
  EXPECT_EQ(check_request(marks, {80, "s"}).status, 0);
  marks.origin = {"http://elsewhere"};
  EXPECT_EQ(check_request(marks, {80, "s"}).status, 403);
}

TEST(LoopbackServer, AnswersWhoHasItsAddress) {
  const Served served;
  const std::string answer = served.client.get("some/where?with=this");
  EXPECT_EQ(status(answer), 200);
  EXPECT_NE(answer.find("page <some/where>"), std::string::npos);
  EXPECT_NE(answer.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  EXPECT_EQ(status(served.client.get("", "", "localhost:" + std::to_string(served.client.port()))), 200);
}

TEST(LoopbackServer, ListensOnOneAddressOnly) {
  const Served served;
  EXPECT_LT(served.client.connected("127.0.0.2"), 0);
}

TEST(LoopbackServer, RefusesOtherNames) {
  const Served served;
  const std::string port = std::to_string(served.client.port());
  for (const std::string& host : {std::string("evil.example"), "evil.example:" + port,
                                  std::string("127.0.0.1"), "127.0.0.1:" + port + ".x"})
    EXPECT_EQ(status(served.client.get("", "", host)), 403) << host;
  EXPECT_EQ(status(served.client.answer_to("GET " + served.client.base() + " HTTP/1.1\r\n\r\n")), 403);
  EXPECT_EQ(status(served.client.get("", "Host: evil.example\r\n")), 403);  // two of them
}

TEST(LoopbackServer, RefusesOtherPages) {
  const Served served;
  const std::string own = "Origin: http://" + served.client.host() + "\r\n";
  EXPECT_EQ(status(served.client.get("", own)), 200);
  for (const std::string origin : {"http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:1"})
    EXPECT_EQ(status(served.client.get("", "Origin: " + origin + "\r\n")), 403) << origin;
  EXPECT_EQ(status(served.client.get(
                "", "Origin: http://localhost:" + std::to_string(served.client.port()) + "\r\n")),
            403);  // a name of ours, but not the one that was asked
  EXPECT_EQ(status(served.client.get("", "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(status(served.client.get("", "Sec-Fetch-Site: same-site\r\n")), 403);
  EXPECT_EQ(status(served.client.get("", "Sec-Fetch-Site: none\r\n")), 200);
}

TEST(LoopbackServer, RefusesSocketsOfOtherPages) {
  Served served;
  EXPECT_EQ(status(served.client.get("socket", LoopbackClient::kUpgrade)), 403);  // browsers say their origin
  EXPECT_EQ(status(served.client.get(
                "socket", fmt::format("{}Origin: http://evil.example\r\n", LoopbackClient::kUpgrade))),
            403);
  EXPECT_EQ(status(served.client.upgrade("elsewhere")), 404);
  EXPECT_TRUE(served.pages.noted(0).empty());
}

TEST(LoopbackServer, HasNothingForThoseWithoutItsSecret) {
  const Served served;
  const auto ask = [&](const std::string& line) {
    return status(served.client.answer_to(line + " HTTP/1.1\r\nHost: " + served.client.host() + "\r\n\r\n"));
  };
  EXPECT_EQ(ask("GET /"), 404);
  EXPECT_EQ(ask("GET /" + std::string(32, '0') + "/"), 404);
  EXPECT_EQ(ask("GET " + served.client.base().substr(0, 20)), 404);
  EXPECT_EQ(ask("GET http://evil.example" + served.client.base()), 404);
  EXPECT_EQ(ask("POST " + served.client.base()), 405);
  EXPECT_EQ(ask("OPTIONS " + served.client.base()), 405);
  EXPECT_EQ(ask("GET " + served.client.base()), 200);
  const Served other;
  EXPECT_NE(other.client.base(), served.client.base());
}

TEST(LoopbackServer, EndsRequestsThatAreTooLongOrNoRequests) {
  const Served served;
  EXPECT_EQ(served.client.get("", "X: " + std::string(20'000, 'x') + "\r\n"), "");
  EXPECT_EQ(served.client.answer_to("\x16\x03\x01\x02\r\n\r\n"), "");
  EXPECT_EQ(status(served.client.get("")), 200);
}

TEST(LoopbackServer, SilentAndSlowConnectionsHoldNobodyUpAndEnd) {
  LoopbackOptions options;
  options.request_time = std::chrono::milliseconds(300);
  const Served served(options);
  const int silent = served.client.connected(), slow = served.client.connected();
  send_all(slow, "GET / HT");
  EXPECT_EQ(status(served.client.get("")), 200);
  EXPECT_EQ(LoopbackClient::rest_of(silent), "");  // returns: the server has ended it
  EXPECT_EQ(LoopbackClient::rest_of(slow), "");
  ::close(silent);
  ::close(slow);
}

TEST(LoopbackServer, TakesSoManyConnectionsAndThenNoMore) {
  LoopbackOptions options;
  options.most_connections = 3;
  const Served served(options);
  std::vector<int> held;
  held.reserve(3);
  for (int k = 0; k < 3; ++k) held.push_back(served.client.connected());
  const int turned_away = served.client.connected();
  EXPECT_EQ(LoopbackClient::rest_of(turned_away), "");
  ::close(turned_away);
  for (const int each : held) ::close(each);
  int tries = 0;
  while (status(served.client.get("")) != 200 && tries < 50) ++tries;
  EXPECT_LT(tries, 50);
}

TEST(LoopbackServer, SocketsCarryTextsAndTheNewestBytes) {
  Served served;
  const int socket = opened_socket(served);
  EXPECT_EQ(served.pages.noted(1), (std::vector<std::string>{"open 1"}));
  send_all(socket, frame("hello"));
  EXPECT_EQ(served.pages.noted(2).back(), "text hello");
  served.server.send_text(1, "to you");
  EXPECT_EQ(received(socket, 8), std::string("\x81\x06to you"));
  served.server.send_text(2, "to nobody");
  served.server.send_newest_to_all(std::make_shared<const std::string>("bytes"));
  EXPECT_EQ(received(socket, 7), std::string("\x82\x05"
                                             "bytes"));
  ::close(socket);
  EXPECT_EQ(served.pages.noted(3).back(), "close 1");
}

TEST(LoopbackServer, WhoIsSlowSeesFewerFrames) {
  Served served;
  const int socket = opened_socket(served);
  constexpr int kMessages = 200;
  const std::string large(1'000'000, 'x');
  for (int k = 0; k < kMessages; ++k)
    served.server.send_newest_to_all(std::make_shared<const std::string>(std::to_string(1000 + k) + large));
  served.server.send_newest_to_all(std::make_shared<const std::string>("end"));
  std::string last;
  std::int64_t bytes = 0;
  std::vector<char> some(1 << 20);
  for (ssize_t got; !last.ends_with("end") && (got = ::recv(socket, some.data(), some.size(), 0)) > 0;) {
    bytes += got;
    last.append(some.data() + std::max<ssize_t>(0, got - 3), some.data() + got);
    last.erase(0, last.size() > 3 ? last.size() - 3 : 0);
  }
  EXPECT_TRUE(last.ends_with("end"));
  EXPECT_LT(bytes, 100'000'000);
  ::close(socket);
}

TEST(LoopbackServer, EndsSocketsThatFlood) {
  LoopbackOptions options;
  options.most_messages = 20;
  options.most_message_bytes = 1000;
  Served served(options);
  const int flood = opened_socket(served);
  for (int k = 0; k < 40; ++k) ::send(flood, frame("x").data(), frame("x").size(), MSG_NOSIGNAL);
  LoopbackClient::rest_of(flood);
  ::close(flood);
  EXPECT_EQ(served.pages.noted(22).size(), 22u);  // opened, 20 texts, closed
  const int long_text = opened_socket(served);
  send_all(long_text, frame(std::string(2000, 'x')));
  LoopbackClient::rest_of(long_text);
  ::close(long_text);
  EXPECT_EQ(served.pages.noted(24).back(), "close 2");
}

TEST(LoopbackServer, EndsSocketsThatGiveNoSignOfLife) {
  LoopbackOptions options;
  options.silence_time = std::chrono::milliseconds(400);
  Served served(options);
  const int socket = opened_socket(served);  // answers no ping
  LoopbackClient::rest_of(socket);
  ::close(socket);
  EXPECT_EQ(served.pages.noted(2).back(), "close 1");
}

TEST(LoopbackServer, TakesSoManySocketsAndThenNoMore) {
  LoopbackOptions options;
  options.most_sockets = 2;
  const Served served(options);
  const int a = opened_socket(served), b = opened_socket(served);
  EXPECT_EQ(status(served.client.upgrade("socket")), 503);
  ::close(a);
  ::close(b);
}

TEST(LoopbackServer, APortThatIsTakenIsSaid) {
  const Served served;
  LoopbackOptions options;
  options.port = served.server.port();
  NotingPages pages;
  try {
    const LoopbackServer second(pages, options, "the stage");
    FAIL();
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("the stage cannot be served on 127.0.0.1, port"), std::string::npos) << text;
    EXPECT_NE(text.find("--port"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace keydrape
