#include "io/play/session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "io/file/interrupt.h"
#include "tests/io/play/play_folder.h"
#include "tests/support/loopback_client.h"

namespace keydrape {
namespace {

// A socket that reads what the stage tells.
class Onlooker {
 public:
  explicit Onlooker(const std::string& url) : client_(url), socket_(client_.connected()) {
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::string request =
        fmt::format("GET {}socket HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\n{}\r\n", client_.base(),
                    client_.host(), client_.host(), LoopbackClient::kUpgrade);
    ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
    for (std::string answer; !answer.ends_with("\r\n\r\n");) answer += taken(1);
  }
  ~Onlooker() { ::close(socket_); }
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;

  // The next status. Throws where none comes.
  nlohmann::json status() const {
    for (;;) {
      const std::string head = taken(2);
      std::size_t size = static_cast<unsigned char>(head[1]);
      if (size >= 126) {
        const std::string long_size = taken(size == 126 ? 2 : 8);
        size = 0;
        for (const char byte : long_size) size = size << 8 | static_cast<unsigned char>(byte);
      }
      const std::string payload = taken(size);
      if (head[0] != '\x81') continue;  // a frame of the cloth
      const auto text = nlohmann::json::parse(payload);
      if (text.at("type") == "status") return text;
    }
  }

 private:
  std::string taken(std::size_t size) const {
    std::string bytes(size, '\0');
    const ssize_t got = ::recv(socket_, bytes.data(), size, MSG_WAITALL);
    if (got != static_cast<ssize_t>(size)) throw std::runtime_error("the stage says nothing");
    return bytes;
  }

  LoopbackClient client_;
  int socket_;
};

class PlaySessionTest : public PlayFolder {
 protected:
  static constexpr int kOne = 1001, kAnother = 1002;  // pages, beside those that the server counts

  std::unique_ptr<PlaySession> session() const {
    return std::make_unique<PlaySession>(scene(), StageOptions{}, 0);
  }
  // The status behind so many commands of one page.
  static nlohmann::json after(PlaySession& session, const Onlooker& onlooker,
                              const std::vector<std::string>& commands) {
    nlohmann::json status = onlooker.status();  // of the greeting
    for (const std::string& command : commands) {
      session.on_text(kOne, command);
      status = onlooker.status();
    }
    return status;
  }
};

TEST_F(PlaySessionTest, AnotherPageThatClosesLeavesTheClothInTheHand) {
  const auto session = this->session();
  const Onlooker onlooker(session->url());
  const std::string grab = fmt::format(R"({{"do":"grab","vertex":{}}})", kGrabbed);
  EXPECT_GT(after(*session, onlooker, {grab, R"({"do":"step"})"}).at("held"), 0);
  session->on_open(kAnother);
  EXPECT_GT(onlooker.status().at("held"), 0);
  session->on_close(kAnother);
  session->on_text(kOne, R"({"do":"step"})");
  const nlohmann::json status = onlooker.status();
  EXPECT_GT(status.at("held"), 0);
  EXPECT_EQ(status.at("frame"), kFirst + 2);
  session->on_close(kOne);
  EXPECT_EQ(onlooker.status().at("held"), 0);
}

TEST_F(PlaySessionTest, PauseComesBeforeTheFramesThatWait) {
  constexpr int kSteps = 900;  // some seconds of them
  edit("scene.toml", "1001-1020", "1001-3000");
  const auto session = this->session();
  const Onlooker onlooker(session->url());
  onlooker.status();
  for (int k = 0; k < kSteps; ++k) session->on_text(kOne, R"({"do":"step"})");
  session->on_text(kOne, R"({"do":"pause"})");
  session->on_text(kOne, R"({"do":"speed","factor":0.5})");
  nlohmann::json status = onlooker.status();
  while (status.at("speed") != 0.5) status = onlooker.status();
  EXPECT_LT(status.at("frame"), kFirst + kSteps);
}

// Nor does anything wait of a page that is gone.
TEST_F(PlaySessionTest, APageThatClosesTakesItsFramesAway) {
  constexpr int kSteps = 900;
  edit("scene.toml", "1001-1020", "1001-3000");
  const auto session = this->session();
  const Onlooker onlooker(session->url());
  onlooker.status();
  for (int k = 0; k < kSteps; ++k) session->on_text(kOne, R"({"do":"step"})");
  session->on_close(kOne);
  session->on_text(kOne, R"({"do":"speed","factor":0.5})");
  nlohmann::json status = onlooker.status();
  while (status.at("speed") != 0.5) status = onlooker.status();
  EXPECT_LT(status.at("frame"), kFirst + kSteps);
}

TEST_F(PlaySessionTest, LetGoIsHeardBehindMoreThanCanWait) {
  edit("scene.toml", "1001-1020", "1001-3000");
  const auto session = this->session();
  const Onlooker onlooker(session->url());
  const std::string grab = fmt::format(R"({{"do":"grab","vertex":{}}})", kGrabbed);
  const std::string step = R"({"do":"step"})";
  EXPECT_GT(after(*session, onlooker, {grab, step, step}).at("held"), 0);
  for (int k = 0; k < 1100; ++k) session->on_text(kOne, step);
  session->on_text(kOne, R"({"do":"let go"})");
  session->on_text(kOne, R"({"do":"pause"})");
  nlohmann::json status = onlooker.status();
  while (status.at("held") != 0) status = onlooker.status();  // else it says nothing more, and this throws
}

// What the scene's files hold counts as what it says itself.
TEST_F(PlaySessionTest, ResetTakesFilesAsTheyAreNow) {
  const auto session = this->session();
  const Onlooker onlooker(session->url());
  onlooker.status();
  const std::string page = session->answer("").body;
  folder_.write("rest.obj", sheet([](double& x, double&, double&) { x *= 1.1; }));
  session->on_text(kOne, R"({"do":"reset"})");
  onlooker.status();
  EXPECT_NE(session->answer("").body, page);
}

// What opens a scene gives up where the program is to end: no error, but no end of the program either.
TEST_F(PlaySessionTest, ARequestToEndWhileASceneIsOpenedEndsInOrder) {
  const auto end = [this] {
    catch_signals();
    {
      const auto session = this->session();
      const Onlooker onlooker(session->url());
      onlooker.status();
      edit("scene.toml", "rest = \"rest.obj\"\n", "rest = \"rest.obj\"\ninitial = \"drape\"\n");
      ::raise(SIGINT);
      session->on_text(kOne, R"({"do":"reset"})");
      onlooker.status();
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace keydrape
