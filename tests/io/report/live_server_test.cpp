#include "io/report/live_server.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/support/loopback_client.h"
#include "tests/support/temporary_folder.h"

namespace keydrape {
namespace {

std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

TEST(LiveServer, ServesTheNewestPage) {
  LiveServer server;
  const LoopbackClient client(server.url());
  EXPECT_EQ(body(client.get("version")), "0");
  EXPECT_TRUE(says(body(client.get("")), {"http-equiv=\"refresh\"", "comes with its first result"}));
  const std::string long_page(5'000'000, 'x');  // more than a socket takes at once
  for (const std::string& page : {std::string("<p>one"), long_page}) {
    server.show(page);
    const std::string answer = client.get("");
    EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK");
    EXPECT_TRUE(body(answer) == page);
  }
  EXPECT_EQ(body(client.get("version")), "2");
}

TEST(LiveServer, HasOnePageAndNoSocket) {
  LiveServer server;
  server.show("secret");
  const LoopbackClient client(server.url());
  EXPECT_EQ(client.get("../etc/passwd").substr(0, 12), "HTTP/1.1 404");
  EXPECT_EQ(client.upgrade("socket").substr(0, 12), "HTTP/1.1 404");
  EXPECT_EQ(client.get("").substr(0, 12), "HTTP/1.1 200");
}

TEST(LiveServer, WaitsForABrowserThatIsThere) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  LiveServer server;
  const LoopbackClient client(server.url());
  const auto seconds_of_waiting = [&](milliseconds longest) {
    const auto begin = steady_clock::now();
    server.wait_until_fetched(longest);
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
  };
  server.show("one");
  EXPECT_LT(seconds_of_waiting(milliseconds(4000)), 3.0);  // nobody has asked
  client.get("");
  EXPECT_LT(seconds_of_waiting(milliseconds(4000)), 3.0);  // has it
  server.show("two");
  EXPECT_GE(seconds_of_waiting(milliseconds(400)), 0.4);  // is expected to come for it
}

// The server ends with the run: what has been asked for has to be whole by then.
TEST(LiveServer, WaitsForAPageThatIsStillOnItsWay) {
  const std::string page(30'000'000, 'x');  // more than the system takes over for a reader
  std::string answer(1, '\0');
  auto server = std::make_unique<LiveServer>();
  const LoopbackClient client(server->url());
  server->show(page);
  const int socket = client.connected();
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", client.base(), client.host());
  ASSERT_EQ(::send(socket, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  ASSERT_EQ(::recv(socket, answer.data(), 1, 0), 1);  // the answer has begun
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    answer += LoopbackClient::rest_of(socket);
  });
  server->wait_until_fetched(std::chrono::seconds(4));
  server.reset();
  reader.join();
  ::close(socket);
  EXPECT_TRUE(body(answer) == page);
}

}  // namespace
}  // namespace keydrape
