// SPDX-License-Identifier: MIT
// A server of HTTP/1.1 on a port of 127.0.0.1 that does what a test tells it to, right or wrong. A
// thread for each connection; all end with the object.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace confab {

struct LoopbackRequest {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

class LoopbackServer {
 public:
  class Connection {
   public:
    Connection(int fd, const std::atomic<bool>& stop) : fd_(fd), stop_(stop) {}
    ~Connection() { close(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // False: the other side has closed, or the test ends.
    bool send(std::string_view bytes) {
      while (!bytes.empty() && fd_ >= 0 && wait_for(POLLOUT)) {
        const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
      }
      return bytes.empty();
    }
    // An answer with its length.
    bool reply(int status, std::string_view body, std::string_view headers = "",
               std::string_view type = "application/json") {
      return send("HTTP/1.1 " + std::to_string(status) + " Said\r\nContent-Type: " +
                  std::string(type) + "\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n" + std::string(headers) + "\r\n" + std::string(body));
    }
    // The head of an answer that ends when its chunks do.
    bool begin_stream(std::string_view type = "text/event-stream") {
      return send("HTTP/1.1 200 OK\r\nContent-Type: " + std::string(type) +
                  "\r\nTransfer-Encoding: chunked\r\n\r\n");
    }
    bool chunk(std::string_view bytes) {
      char size[32];
      std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
      return send(size + std::string(bytes) + "\r\n");
    }
    bool end_stream() { return send("0\r\n\r\n"); }
    bool event(std::string_view json) { return chunk("data: " + std::string(json) + "\n\n"); }

    // Sleeps; false: the other side has closed meanwhile, or the test ends.
    bool wait(std::chrono::milliseconds time) {
      const auto end = std::chrono::steady_clock::now() + time;
      while (std::chrono::steady_clock::now() < end) {
        pollfd entry{fd_, POLLIN, 0};
        if (stop_) return false;
        if (::poll(&entry, 1, 5) != 1) continue;
        char byte = 0;
        if (::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
      return true;
    }
    // Without the end that TCP has: what is on its way is lost.
    void reset() {
      const linger at_once{1, 0};
      setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      close();
    }
    void close() {
      if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    bool is_open() const noexcept { return fd_ >= 0; }

    std::optional<LoopbackRequest> read_request();

   private:
    bool wait_for(short what) {
      while (!stop_) {
        pollfd entry{fd_, what, 0};
        if (::poll(&entry, 1, 20) == 1) return true;
      }
      return false;
    }
    bool read_more() {
      char bytes[16384];
      if (!wait_for(POLLIN)) return false;
      const ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
      if (n <= 0) return false;
      held_.append(bytes, static_cast<std::size_t>(n));
      return true;
    }

    int fd_;
    const std::atomic<bool>& stop_;
    std::string held_ = {};
  };
  using Handler = std::function<void(const LoopbackRequest&, Connection&)>;

  explicit LoopbackServer(Handler handler) : handler_(std::move(handler)) {
    fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const auto at = reinterpret_cast<sockaddr*>(&address);
    if (fd_ < 0 || ::bind(fd_, at, size) != 0 || ::listen(fd_, 512) != 0 ||
        ::getsockname(fd_, at, &size) != 0)
      throw std::runtime_error("no port of 127.0.0.1 can be had");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~LoopbackServer() {
    stop_ = true;
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(fd_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const noexcept { return port_; }
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return "http://" + host(); }
  std::vector<LoopbackRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  int n_connections() const noexcept { return n_connections_; }

 private:
  void accept_all() {
    while (!stop_) {
      pollfd entry{fd_, POLLIN, 0};
      if (::poll(&entry, 1, 10) != 1) continue;
      const int fd = ::accept(fd_, nullptr, nullptr);
      if (fd < 0) continue;
      ++n_connections_;
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }
  void serve(int fd) {
    Connection connection(fd, stop_);
    while (connection.is_open()) {
      const auto request = connection.read_request();
      if (!request) return;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(*request);
      }
      handler_(*request, connection);
    }
  }

  Handler handler_;
  int fd_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> n_connections_ = 0;
  mutable std::mutex mutex_;
  std::vector<LoopbackRequest> requests_;
  std::list<std::thread> threads_;  // the acceptor's
  std::thread acceptor_;
};

inline std::optional<LoopbackRequest> LoopbackServer::Connection::read_request() {
  std::size_t end = 0;
  while ((end = held_.find("\r\n\r\n")) == std::string::npos)
    if (!read_more()) return std::nullopt;
  const std::string head = held_.substr(0, end);
  held_.erase(0, end + 4);
  LoopbackRequest request;
  const std::size_t first = head.find(' '), second = head.find(' ', first + 1);
  request.method = head.substr(0, first);
  request.path = head.substr(first + 1, second - first - 1);
  for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at)) {
    at += 2;
    const std::size_t colon = head.find(':', at);
    const std::size_t line_end = std::min(head.find("\r\n", at), head.size());
    if (colon == std::string::npos || colon > line_end) continue;
    std::string name = head.substr(at, colon - at);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t value = head.find_first_not_of(' ', colon + 1);
    request.headers[name] = head.substr(value, line_end - value);
  }
  const auto size = static_cast<std::size_t>(std::atoll(request.header("content-length").c_str()));
  while (held_.size() < size)
    if (!read_more()) return std::nullopt;
  request.body = held_.substr(0, size);
  held_.erase(0, size);
  return request;
}

}  // namespace confab
