// SPDX-License-Identifier: MIT
// A hub on this machine: its lists, and its files with ranges, behind a redirection as the real one
// has it; with what can go wrong.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "tests/loopback_server.h"

namespace confab {

struct FakeHubFile {
  std::string content;  // what comes
  std::string sha256;   // what is listed; empty: none
  std::string etag = "\"one\"";
};

// Of the repository org/name.
class FakeHub {
 public:
  static constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

  FakeHub()
      : server_([this](const auto& request, auto& connection) { serve(request, connection); }) {}

  std::string url() const { return server_.url(); }
  std::vector<LoopbackRequest> requests() const { return server_.requests(); }
  int count(const std::string& begin) const {
    int n = 0;
    for (const LoopbackRequest& request : requests()) n += request.path.starts_with(begin) ? 1 : 0;
    return n;
  }

  // All fixed before the first request, but for those that are atomic and `put`.
  std::map<std::string, FakeHubFile> files = {};
  std::string listing = {};  // instead of what files say
  std::string gate = {};     // the token that it wants; empty: none
  bool has_ranges = true;
  std::atomic<std::size_t> bytes_per_ms{0};  // of each connection; 0: as fast as it goes
  std::atomic<int> n_breaks{0};              // so many answers break off in their middle
  std::atomic<int> n_busy{0};                // so many are "503"

  void set_etag(const std::string& path, const std::string& etag) {
    const std::lock_guard lock(mutex_);
    files[path].etag = etag;
  }

 private:
  using Connection = LoopbackServer::Connection;

  void serve(const LoopbackRequest& request, Connection& connection) {
    const std::string api = "/api/models/org/name", resolve = "/org/name/resolve/";
    if (request.path == api)
      return void(connection.reply(200, std::string("{\"sha\":\"") + kCommit + "\"}"));
    if (request.path.starts_with(api + "/tree/")) return void(connection.reply(200, tree()));
    if (!gate.empty() && request.path.starts_with(resolve) &&
        request.header("authorization") != "Bearer " + gate)
      return void(connection.reply(401, "{}", "X-Error-Code: GatedRepo\r\n"));
    if (request.path.starts_with(resolve + kCommit + "/"))
      return void(connection.reply(
          302, "", "Location: /cdn/" + request.path.substr(resolve.size() + 41) + "\r\n"));
    if (request.path.starts_with("/cdn/")) return send_file(request, connection);
    connection.reply(404, "{}");
  }

  std::string tree() const {
    if (!listing.empty()) return listing;
    std::string json = "[";
    for (const auto& [path, file] : files) {
      json += json.size() > 1 ? "," : "";
      json += "{\"type\":\"file\",\"oid\":\"1\",\"path\":\"" + path +
              "\",\"size\":" + std::to_string(file.content.size());
      if (!file.sha256.empty()) json += ",\"lfs\":{\"oid\":\"" + file.sha256 + "\"}";
      json += "}";
    }
    return json + "]";
  }

  void send_file(const LoopbackRequest& request, Connection& connection) {
    FakeHubFile file;
    {
      const std::lock_guard lock(mutex_);
      file = files[request.path.substr(5)];
    }
    if (n_busy.fetch_sub(1) > 0) return void(connection.reply(503, "busy"));
    const std::size_t size = file.content.size();
    unsigned long begin = 0, last = size - 1;
    const std::string range = request.header("range");
    const bool is_part =
        has_ranges && std::sscanf(range.c_str(), "bytes=%lu-%lu", &begin, &last) == 2;
    if (!is_part) begin = 0, last = size - 1;
    std::string head = is_part
                           ? "HTTP/1.1 206 Part\r\nContent-Range: bytes " + std::to_string(begin) +
                                 "-" + std::to_string(last) + "/" + std::to_string(size) + "\r\n"
                           : "HTTP/1.1 200 All\r\n";
    head += "ETag: " + file.etag + "\r\nContent-Length: " + std::to_string(last - begin + 1);
    if (!connection.send(head + "\r\n\r\n")) return connection.close();
    send_slowly(std::string_view(file.content).substr(begin, last - begin + 1), connection);
  }

  void send_slowly(std::string_view bytes, Connection& connection) {
    const bool breaks = n_breaks.fetch_sub(1) > 0;
    if (breaks) bytes = bytes.substr(0, bytes.size() / 2);
    const std::size_t step = bytes_per_ms > 0 ? bytes_per_ms * 5 : bytes.size();
    while (!bytes.empty()) {
      if (!connection.send(bytes.substr(0, step))) return connection.close();
      bytes.remove_prefix(std::min(step, bytes.size()));
      if (bytes_per_ms > 0 && !connection.wait(std::chrono::milliseconds(5)))
        return connection.close();
    }
    if (breaks) connection.close();
  }

  std::mutex mutex_;
  LoopbackServer server_;  // the last one made, the first one gone
};

}  // namespace confab
