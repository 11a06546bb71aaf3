#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keydrape {

// What decides whether a request may be answered. Of each header all values that came, in their order.
struct RequestMarks {
  std::string_view method;
  std::string_view target;  // behind the method, as it came
  std::vector<std::string_view> host, origin, fetch_site;
  bool is_upgrade = false;  // wants to become a socket
};

// Who may ask: pages of this server.
struct ServerIdentity {
  int port;
  std::string secret;  // the first part of every path
};

// HTTP's status for a request that is refused, and why; 0: it is answered.
struct RequestVerdict {
  int status = 0;
  std::string_view reason{};
};

// Host has to be this server, so that no name that somebody points here is one (DNS rebinding). Origin, which
// a socket's upgrade must have, has to be that host: no other page gets at what is served. Browsers say where
// a request comes from (Sec-Fetch-Site) even where they send no Origin.
RequestVerdict check_request(const RequestMarks& marks, const ServerIdentity& identity);

// Of the target of a request that is answered, what stands behind the secret.
std::string path_of(const RequestMarks& marks, const ServerIdentity& identity);

// 128 bits from the system's source of randomness, in hexadecimal.
std::string random_secret();

}  // namespace keydrape
