#include "io/serve/loopback_server.h"

#include <fmt/format.h>

#include <utility>  // Asio 1.18 forgets it
// What its coroutines need, before them.
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <deque>
#include <map>
#include <thread>

#include "io/file/file.h"
#include "io/serve/request_check.h"

// One thread, one coroutine a connection, and another one for what a socket is sent: no locks. Whatever takes
// longer than LoopbackOptions allow ends in an error code, and with it the connection.

// Asio's operator new of coroutines hands out a part of what it allocates, which GCC 12 takes for a mistake.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace keydrape {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using Stream = websocket::stream<beast::tcp_stream>;
using Clock = std::chrono::steady_clock;
using Task = asio::awaitable<void>;

auto noting(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

std::vector<std::string_view> values(const http::fields& fields, std::string_view name) {
  std::vector<std::string_view> found;
  const auto [begin, end] = fields.equal_range(beast::string_view(name.data(), name.size()));
  for (auto field = begin; field != end; ++field)
    found.emplace_back(field->value().data(), field->value().size());
  return found;
}

http::response<http::string_body> response_of(PageAnswer answer) {
  http::response<http::string_body> response{static_cast<http::status>(answer.status), 11};
  response.set(http::field::content_type, answer.type + "; charset=utf-8");
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("X-Frame-Options", "DENY");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Referrer-Policy", "no-referrer");
  response.keep_alive(false);
  response.body() = std::move(answer.body);
  response.prepare_payload();
  return response;
}

}  // namespace

// One that pages have opened. Lives as long as its coroutines.
struct LoopbackServer::Socket {
  Socket(tcp::socket connection, int number_in)
      : stream(std::move(connection)), wake(stream.get_executor()), number(number_in) {
    wake.expires_at(Clock::time_point::max());
  }

  Stream stream;
  asio::steady_timer wake;  // cut short where there is something to send
  int number;
  std::deque<std::string> texts;
  std::size_t waiting_bytes = 0;
  std::shared_ptr<const std::string> newest;
  bool is_open = true;
  // Messages of the second that began then.
  Clock::time_point second{};
  int messages = 0;

  // Its reader sees that, and ends.
  void close() {
    is_open = false;
    wake.cancel();
    error_code ignored;
    beast::get_lowest_layer(stream).socket().close(ignored);
  }
};

struct LoopbackServer::Impl {
  struct Counted {  // one of the connections
    int& count;
    explicit Counted(int& each) : count(each) { ++count; }
    ~Counted() { --count; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
  };

  using Sockets = std::map<int, std::shared_ptr<Socket>>;
  struct Opened {  // one of the sockets
    Sockets& all;
    std::shared_ptr<Socket> socket;
    Opened(Sockets& sockets_in, std::shared_ptr<Socket> socket_in)
        : all(sockets_in), socket(std::move(socket_in)) {
      all.emplace(socket->number, socket);
    }
    ~Opened() { all.erase(socket->number); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
  };

  Impl(PageSource& pages_in, const LoopbackOptions& options_in, const std::string& what)
      : pages(pages_in), options(options_in) {
    try {
      const tcp::endpoint place(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(options.port));
      acceptor.open(place.protocol());
      acceptor.set_option(tcp::acceptor::reuse_address(options.port != 0));
      acceptor.bind(place);
      acceptor.listen(16);
      identity = {acceptor.local_endpoint().port(), random_secret()};
    } catch (const boost::system::system_error& error) {
      throw OutputError(fmt::format("{} cannot be served on 127.0.0.1{}: {}; {}", what,
                                    options.port == 0 ? "" : fmt::format(", port {}", options.port),
                                    error.code().message(),
                                    options.port == 0 ? "do without" : "choose another port (--port)"));
    }
    asio::co_spawn(context, accept(), asio::detached);
    thread = std::thread([this] { run(); });
  }

  ~Impl() {
    context.stop();
    thread.join();
    sockets.clear();
  }

  void run();
  Task accept();
  Task serve(tcp::socket connection);
  Task talk(std::shared_ptr<Socket> socket, http::request<http::empty_body> request);
  Task read(std::shared_ptr<Socket> socket);
  Task write(std::shared_ptr<Socket> socket);
  void queue(Socket& socket, std::string text);

  PageSource& pages;
  LoopbackOptions options;
  ServerIdentity identity{};
  int connections = 0;
  int next_socket = 1;
  Sockets sockets;
  asio::io_context context{1};  // coroutines end with it, and count down `connections`
  tcp::acceptor acceptor{context};
  std::thread thread;
};

// What a connection throws, memory that is not there, ends that one alone.
void LoopbackServer::Impl::run() {
  while (!context.stopped()) {
    try {
      context.run();
    } catch (const std::exception&) {
      continue;
    }
  }
}

Task LoopbackServer::Impl::accept() {
  for (;;) {
    error_code error;
    tcp::socket connection = co_await acceptor.async_accept(noting(error));
    if (error) {  // no descriptor is left, say: the next may be accepted when others have gone
      asio::steady_timer pause(context, std::chrono::milliseconds(50));
      co_await pause.async_wait(noting(error));
      continue;
    }
    if (connections >= options.most_connections) continue;  // closed at once
    asio::co_spawn(context, serve(std::move(connection)), asio::detached);
  }
}

Task LoopbackServer::Impl::serve(tcp::socket connection) {
  const Counted counted(connections);
  error_code error;
  beast::tcp_stream stream(std::move(connection));
  beast::flat_buffer buffer(options.most_header_bytes);
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(options.most_header_bytes));
  stream.expires_after(options.request_time);
  co_await http::async_read_header(stream, buffer, parser, noting(error));
  if (error) co_return;
  const http::request<http::empty_body> request = parser.release();
  const beast::string_view method = request.method_string(), target = request.target();
  const RequestMarks marks{{method.data(), method.size()},    {target.data(), target.size()},
                           values(request, "Host"),           values(request, "Origin"),
                           values(request, "Sec-Fetch-Site"), websocket::is_upgrade(request)};
  const RequestVerdict verdict = check_request(marks, identity);
  PageAnswer answer{verdict.status, "text/plain", std::string(verdict.reason) + "\n"};
  if (verdict.status == 0 && marks.is_upgrade) {
    if (!pages.has_sockets() || path_of(marks, identity) != "socket") {
      answer = {404, "text/plain", "no socket is here\n"};
    } else if (static_cast<int>(sockets.size()) >= options.most_sockets) {
      answer = {503, "text/plain", "too many pages are open; close one\n"};
    } else {
      const Opened opened(sockets, std::make_shared<Socket>(stream.release_socket(), next_socket++));
      co_await talk(opened.socket, request);
      co_return;
    }
  } else if (verdict.status == 0) {
    answer = pages.answer(path_of(marks, identity));
  }
  const std::function<void()> taken = std::move(answer.taken);
  const auto response = response_of(std::move(answer));
  stream.expires_after(options.answer_time);
  co_await http::async_write(stream, response, noting(error));
  if (!error && taken) taken();
  stream.socket().shutdown(tcp::socket::shutdown_send, error);
}

Task LoopbackServer::Impl::talk(std::shared_ptr<Socket> socket, http::request<http::empty_body> request) {
  error_code error;
  Stream& stream = socket->stream;
  stream.set_option(websocket::stream_base::timeout{options.request_time, options.silence_time, true});
  stream.read_message_max(options.most_message_bytes);
  stream.auto_fragment(false);
  beast::get_lowest_layer(stream).socket().set_option(tcp::no_delay(true), error);
  co_await stream.async_accept(request, noting(error));
  if (error) co_return;
  pages.on_open(socket->number);
  asio::co_spawn(context, write(socket), asio::detached);
  co_await read(socket);
  socket->close();
  pages.on_close(socket->number);
}

Task LoopbackServer::Impl::read(std::shared_ptr<Socket> socket) {
  while (socket->is_open) {
    error_code error;
    beast::flat_buffer buffer;
    co_await socket->stream.async_read(buffer, noting(error));
    if (error || !socket->stream.got_text()) co_return;
    if (const auto now = Clock::now(); now - socket->second > std::chrono::seconds(1)) {
      socket->second = now;
      socket->messages = 0;
    }
    if (++socket->messages > options.most_messages) co_return;
    pages.on_text(socket->number, beast::buffers_to_string(buffer.data()));
  }
}

Task LoopbackServer::Impl::write(std::shared_ptr<Socket> socket) {
  while (socket->is_open) {
    error_code error;
    if (!socket->texts.empty()) {
      const std::string text = std::move(socket->texts.front());
      socket->texts.pop_front();
      socket->stream.text(true);
      co_await socket->stream.async_write(asio::buffer(text), noting(error));
      socket->waiting_bytes -= text.size();
    } else if (const auto bytes = std::exchange(socket->newest, nullptr)) {
      socket->stream.binary(true);
      co_await socket->stream.async_write(asio::buffer(*bytes), noting(error));
    } else {
      co_await socket->wake.async_wait(noting(error));
      error = {};  // woken
    }
    if (error) socket->close();
  }
}

void LoopbackServer::Impl::queue(Socket& socket, std::string text) {
  socket.waiting_bytes += text.size();
  if (socket.waiting_bytes > options.most_waiting_bytes) return socket.close();
  socket.texts.push_back(std::move(text));
  socket.wake.cancel();
}

LoopbackServer::LoopbackServer(PageSource& pages, const LoopbackOptions& options, const std::string& what)
    : impl_(std::make_unique<Impl>(pages, options, what)) {}

LoopbackServer::~LoopbackServer() = default;

std::string LoopbackServer::url() const {
  return fmt::format("http://127.0.0.1:{}/{}/", impl_->identity.port, impl_->identity.secret);
}

int LoopbackServer::port() const { return impl_->identity.port; }

void LoopbackServer::send_text(int socket, std::string text) {
  asio::post(impl_->context, [this, socket, text = std::move(text)]() mutable {
    const auto found = impl_->sockets.find(socket);
    if (found != impl_->sockets.end()) impl_->queue(*found->second, std::move(text));
  });
}

void LoopbackServer::send_text_to_all(const std::string& text) {
  asio::post(impl_->context, [this, text] {
    for (const auto& [number, socket] : impl_->sockets) impl_->queue(*socket, text);
  });
}

void LoopbackServer::send_newest_to_all(std::shared_ptr<const std::string> bytes) {
  asio::post(impl_->context, [this, bytes = std::move(bytes)] {
    for (const auto& [number, socket] : impl_->sockets) {
      socket->newest = bytes;
      socket->wake.cancel();
    }
  });
}

}  // namespace keydrape
