#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "io/play/protocol.h"
#include "io/report/live_server.h"
#include "io/serve/loopback_server.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"

namespace keydrape::fuzz {
namespace {

constexpr std::string_view kPage = "<p>the results";
// In kept inputs, for the server's port and its secret, which are others each time.
constexpr std::string_view kPort = "@PORT@", kSecret = "@SECRET@";

struct Place {
  int port;
  std::string secret;
};
Place place_of(const std::string& url) {  // http://127.0.0.1:PORT/SECRET/
  const std::size_t at = url.rfind(':') + 1, slash = url.find('/', at);
  return {std::stoi(url.substr(at)), url.substr(slash + 1, url.size() - slash - 2)};
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
}

std::string answer_to(int port, std::string_view request) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    ::send(connection, request.data(), request.size(), MSG_NOSIGNAL);
    ::shutdown(connection, SHUT_WR);  // a request that never ends is one that ends too early
    char buffer[4096];
    for (ssize_t got; (got = ::recv(connection, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(connection);
  return answer;
}

// A page that opens a socket, and understands what stages do.
class StagePages final : public PageSource {
 public:
  PageAnswer answer(const std::string&) override { return {}; }
  bool has_sockets() const override { return true; }
  void on_text(int, const std::string& text) override { parse_command(text, kVertices); }

  static constexpr int kVertices = 100;
};

}  // namespace

void run_live(std::string_view bytes) {
  static LiveServer server;
  static const Place place = place_of(server.url());
  if (server.version() == 0) server.show(std::string(kPage));
  std::string request(bytes);
  replace(request, kPort, std::to_string(place.port));
  replace(request, kSecret, place.secret);
  const std::string answer = answer_to(place.port, request);
  expect(answer.empty() || answer.starts_with("HTTP/1.1 "), "an answer that is no HTTP");
  const bool is_ours = request.find("127.0.0.1:" + std::to_string(place.port)) != std::string::npos ||
                       request.find("localhost:" + std::to_string(place.port)) != std::string::npos;
  expect(is_ours || answer.find(kPage) == std::string::npos, "results shown under another name");
  expect(request.find(place.secret) != std::string::npos || answer.find(kPage) == std::string::npos,
         "results shown to somebody who has not got the address");
}

void run_stage(std::string_view bytes) {
  static StagePages pages;
  static LoopbackServer server(pages, {}, "a stage");
  static const Place place = place_of(server.url());
  const auto command = parse_command(bytes, StagePages::kVertices);
  if (command) {
    expect(command->vertex >= 0 && command->vertex < StagePages::kVertices, "a vertex that is not there");
    expect(command->way.allFinite() && command->way.norm() < 1e4, "a hand that is nowhere");
    expect(command->speed >= kSlowest && command->speed <= 1.0, "a speed of time that there is not");
  }
  const std::string host = "127.0.0.1:" + std::to_string(place.port);
  const std::string opening = "GET /" + place.secret + "/socket HTTP/1.1\r\nHost: " + host +
                              "\r\nOrigin: http://" + host +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                              "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  const std::string answer = answer_to(place.port, opening + std::string(bytes));
  expect(answer.empty() || answer.starts_with("HTTP/1.1 101"), "a socket that does not open");
}

}  // namespace keydrape::fuzz
