// SPDX-License-Identifier: MIT
// Talks HTTP to other programs, many transfers at once on one thread of its own, which sleeps while
// nothing is to be done.
//
// Certificates are verified, by CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR where they are set;
// proxies are those that curl's variables name, but none leads to this machine itself. What goes
// wrong is told in one line. A key is sent to the host of the request and to no other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

struct HttpRequest {
  using Clock = std::chrono::steady_clock;

  std::string url = {};                   // of http or https
  std::vector<std::string> headers = {};  // "Name: value"
  std::optional<std::string> body = {};   // that is posted; none: GET
  std::string key = {};                   // of "Authorization: Bearer"; empty: none
  // Where the answer says that it is elsewhere: to any host, but from https to https alone. Without
  // it, to other paths of the same host and port.
  bool follow = false;
  std::chrono::milliseconds connect{10'000};
  std::chrono::seconds silence{0};    // fails when nothing has come for so long; 0: waits on
  std::chrono::milliseconds most{0};  // fails when it has not ended by then; 0: waits on
  Clock::time_point begin = {};       // not before
};

struct HttpHead {
  int status = 0;
  std::map<std::string, std::string> headers = {};    // names in lower case
  std::string header(const std::string& name) const;  // empty: there is none
};

// Gets what comes; called by the client's thread, one function at a time.
class HttpReader {
 public:
  virtual ~HttpReader() = default;
  virtual void head(const HttpHead& head) = 0;  // before all else of an answer
  // False: not now; the same bytes come again after resume().
  virtual bool body(std::string_view bytes) = 0;
  // Whether what has come is enough: the connection is closed where more would come, and end() says
  // that the answer is whole. Asked after each body().
  virtual bool has_enough() { return false; }
  // The last call. Where the answer has come whole, fault is empty; else one line without a dot
  // that says why. Engaged: it goes on with this request.
  virtual std::optional<HttpRequest> end(const std::string& fault) = 0;
};

enum class TransferId : std::uint64_t { none = 0 };

// Thread-safe but for its destructor, after which no reader is called.
class HttpClient {
 public:
  HttpClient();  // throws ModelError where there is no libcurl
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  TransferId start(HttpRequest request, std::shared_ptr<HttpReader> reader);
  // Closes its connection; the reader is not called any more once the client's thread has seen it,
  // which is at once. One that has ended is none of its business.
  void cancel(TransferId transfer);
  void resume(TransferId transfer);
  // Ends all transfers with a fault, and from now on each one that is started: so whoever waits for
  // an answer waits no more.
  void abandon();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

// The longest list of models is a megabyte, and a page of a hub's files less.
inline constexpr std::size_t kMostAnswer = std::size_t{8} << 20;

// An answer as a whole, of up to kMostAnswer bytes.
struct HttpAnswer {
  HttpHead head = {};
  std::string body = {};
  std::string fault = {};  // why it is not whole; empty: it is
};
// Waits for it: what request.most says, at most.
HttpAnswer fetch(HttpClient& client, HttpRequest request);
// Side by side.
std::vector<HttpAnswer> fetch_all(HttpClient& client, std::vector<HttpRequest> requests);

}  // namespace confab::engine
