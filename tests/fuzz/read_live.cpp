#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "io/report/live_server.h"
#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/readers.h"

namespace keydrape::fuzz {
namespace {

constexpr std::string_view kPage = "<p>the results";
// In kept inputs, for the server's port, which is another one each time.
constexpr std::string_view kPort = "@PORT@";

int port_of(const LiveServer& server) {
  const std::string url = server.url();
  return std::stoi(url.substr(url.rfind(':') + 1));
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

}  // namespace

void run_live(std::string_view bytes) {
  static LiveServer server;
  static const int port = port_of(server);
  if (server.version() == 0) server.show(std::string(kPage));
  std::string request(bytes);
  for (std::size_t at; (at = request.find(kPort)) != std::string::npos;)
    request.replace(at, kPort.size(), std::to_string(port));
  const std::string answer = answer_to(port, request);
  expect(answer.empty() || answer.starts_with("HTTP/1.1 "), "an answer that is no HTTP");
  const bool is_ours = request.find("127.0.0.1:" + std::to_string(port)) != std::string::npos ||
                       request.find("localhost:" + std::to_string(port)) != std::string::npos;
  expect(is_ours || answer.find(kPage) == std::string::npos, "results shown under another name");
}

}  // namespace keydrape::fuzz
