#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "io/serve/page_source.h"

namespace keydrape {

// What strangers may use up (io/serve/README.md).
struct LoopbackOptions {
  int port = 0;  // 0: a free one
  int most_connections = 32;
  int most_sockets = 4;                            // of the connections
  std::size_t most_header_bytes = 16 * 1024;       // of a request
  std::size_t most_message_bytes = 64 * 1024;      // from a socket
  int most_messages = 500;                         // from a socket in a second
  std::size_t most_waiting_bytes = 8 << 20;        // texts that a socket has not taken yet
  std::chrono::milliseconds request_time{2000};    // for a request to be whole, from the connection's start
  std::chrono::milliseconds answer_time{10'000};   // for an answer to be taken
  std::chrono::milliseconds silence_time{20'000};  // of a socket, which is asked for a sign in between
};

// Pages for browsers on this machine, for nobody else on it, and on no other: HTTP/1.1 and WebSocket on
// 127.0.0.1. Its url holds a secret of 128 random bits, without which nothing is found; a request under
// another name than 127.0.0.1 or localhost, from another page, or of another kind than GET is refused.
class LoopbackServer {
 public:
  // Answers from a thread of its own until it is destroyed. `pages` outlives it. Throws OutputError: the port
  // cannot be had. `what`: what is served, for that message.
  LoopbackServer(PageSource& pages, const LoopbackOptions& options, const std::string& what);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:40123/0123..ef/"
  int port() const;

  // From any thread; without waiting for anybody. A socket that is gone gets nothing.
  void send_text(int socket, std::string text);
  void send_text_to_all(const std::string& text);
  // Bytes that replace those that a socket has not taken yet: who is slow sees fewer of them.
  void send_newest_to_all(std::shared_ptr<const std::string> bytes);

 private:
  struct Socket;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace keydrape
