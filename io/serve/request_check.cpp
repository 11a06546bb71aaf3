#include "io/serve/request_check.h"

#include <fmt/format.h>

#include <random>

namespace keydrape {
namespace {

constexpr int kHttpPort = 80;

// Of the path: "/", the secret, "/".
std::string prefix_of(const ServerIdentity& identity) { return fmt::format("/{}/", identity.secret); }

// Takes the same time wherever they differ.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

RequestVerdict check_request(const RequestMarks& marks, const ServerIdentity& identity) {
  // Browsers leave out the port that http has.
  const std::string port = identity.port == kHttpPort ? "" : fmt::format(":{}", identity.port);
  const bool is_named = marks.host.size() == 1 && marks.host[0] == "localhost" + port;
  const std::string host = (is_named ? "localhost" : "127.0.0.1") + port;
  if (marks.host.size() != 1 || marks.host[0] != host) return {403, "for this machine only"};
  const bool has_origin = !marks.origin.empty();
  if (marks.is_upgrade && !has_origin) return {403, "for pages of this server only"};
  if (has_origin && (marks.origin.size() != 1 || marks.origin[0] != "http://" + host))
    return {403, "for pages of this server only"};
  for (const std::string_view site : marks.fetch_site)
    if (site != "none" && site != "same-origin")
      return {403, "not from other pages; paste the address into the browser yourself"};
  if (marks.method != "GET") return {405, "GET only"};
  const std::string prefix = prefix_of(identity);
  if (!is_same(marks.target.substr(0, prefix.size()), prefix))
    return {404, "nothing is here; the program says the whole address"};
  return {};
}

std::string path_of(const RequestMarks& marks, const ServerIdentity& identity) {
  const std::string_view path = marks.target.substr(prefix_of(identity).size());
  return std::string(path.substr(0, path.find('?')));
}

std::string random_secret() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace keydrape
