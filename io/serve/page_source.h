#pragma once

#include <functional>
#include <string>

namespace keydrape {

struct PageAnswer {
  int status = 200;  // of HTTP
  std::string type = "text/html";
  std::string body;
  // Called in the server's thread once the whole answer is on its way. May be empty.
  std::function<void()> taken{};
};

// What a LoopbackServer shows. It is asked in the server's thread, one question at a time, and answers soon:
// nobody else is served meanwhile. Throws nothing.
class PageSource {
 public:
  virtual ~PageSource() = default;

  // A GET of what stands behind the server's url: "" is the url itself. Any bytes but blanks and '?'.
  virtual PageAnswer answer(const std::string& path) = 0;

  // Whether pages may open sockets. Each has a number of its own, from 1 on.
  virtual bool has_sockets() const { return false; }
  virtual void on_open(int) {}
  // A whole text from a page: UTF-8, of LoopbackOptions::most_message_bytes at most.
  virtual void on_text(int, const std::string&) {}
  virtual void on_close(int) {}
};

}  // namespace keydrape
