// SPDX-License-Identifier: MIT
// An HTTP client that runs many transfers at once on its own thread, which sleeps while there is
// nothing to do.
//
// Certificates are verified, with CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR if they are set.
// Proxies come from curl's environment variables, but are never used for this machine itself.
// Errors are reported in one line. A key is sent only to the host of the request.
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

  std::string url = {};                   // http or https
  std::vector<std::string> headers = {};  // "Name: value"
  std::optional<std::string> body = {};   // posted if set; otherwise the request is a GET
  std::string key = {};                   // for "Authorization: Bearer"; empty: none
  // Follow redirects to any host, but from https only to https. If false, follow them only within
  // the same host and port.
  bool follow = false;
  std::chrono::milliseconds connect{10'000};
  std::chrono::seconds silence{0};    // fails after so long without a byte; 0: no limit
  std::chrono::milliseconds most{0};  // fails if not complete by then; 0: no limit
  Clock::time_point begin = {};       // do not start earlier
};

struct HttpHead {
  int status = 0;
  std::map<std::string, std::string> headers = {};    // names in lower case
  std::string header(const std::string& name) const;  // empty if there is none
};

// Receives a response. The client's thread calls it, one function at a time.
class HttpReader {
 public:
  virtual ~HttpReader() = default;
  virtual void head(const HttpHead& head) = 0;  // before everything else of a response
  // Returns false if there is no room now; the same bytes come again after resume().
  virtual bool body(std::string_view bytes) = 0;
  // Whether enough has arrived. If more would come, the connection is closed, and end() reports the
  // response as complete. Asked after each body().
  virtual bool has_enough() { return false; }
  // The last call. `fault` is empty if the response is complete; otherwise it is one line without a
  // full stop. If a request is returned, the transfer continues with it.
  virtual std::optional<HttpRequest> end(const std::string& fault) = 0;
};

enum class TransferId : std::uint64_t { none = 0 };

// Thread-safe except for its destructor. After that no reader is called.
class HttpClient {
 public:
  HttpClient();  // throws ModelError if there is no libcurl
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  TransferId start(HttpRequest request, std::shared_ptr<HttpReader> reader);
  // Closes the connection. Once the client's thread has seen this, which is at once, it no longer
  // calls the reader. Does nothing if the transfer has ended.
  void cancel(TransferId transfer);
  void resume(TransferId transfer);
  // Ends all transfers with a fault, and every later one when it is started, so that nobody waits
  // for a response any longer.
  void abandon();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

// The longest list of models is a megabyte; a page of a hub's files is less.
inline constexpr std::size_t kMostAnswer = std::size_t{8} << 20;

// A complete response of up to kMostAnswer bytes.
struct HttpAnswer {
  HttpHead head = {};
  std::string body = {};
  std::string fault = {};  // why it is incomplete; empty if it is complete
};
// Waits for the response, for at most request.most.
HttpAnswer fetch(HttpClient& client, HttpRequest request);
// Waits for all of them; they run in parallel.
std::vector<HttpAnswer> fetch_all(HttpClient& client, std::vector<HttpRequest> requests);

}  // namespace confab::engine
