// SPDX-License-Identifier: MIT
#include "engine/remote/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/thread.h"
#include "engine/ascii_case.h"
#include "engine/error.h"
#include "engine/locked.h"
#include "engine/remote/curl.h"
#include "engine/remote/url.h"

namespace confab::engine {

namespace {

using Clock = HttpRequest::Clock;

// Whether curl's message is about a proxy: it then names another host.
bool names_another(std::string_view detail, const std::string& host) {
  return !detail.empty() && !host.starts_with('[') &&
         detail.find(host.substr(0, host.rfind(':'))) == detail.npos;
}

// One line for somebody who waits for an engine, made from curl's error.
std::string fault_text(CURLcode code, const char* detail, const HttpRequest& request) {
  const std::string host = host_of(request.url);
  const std::string more = printable(*detail != '\0' ? detail : curl().easy_strerror(code));
  switch (code) {
    case CURLE_OK:
      return {};
    case CURLE_COULDNT_RESOLVE_HOST:
      return fmt::format("no host is called {}", host.substr(0, host.rfind(':')));
    case CURLE_COULDNT_RESOLVE_PROXY:
      return fmt::format("the proxy has no address: {}", more);
    case CURLE_COULDNT_CONNECT:
      if (names_another(detail, host)) return fmt::format("the proxy does not answer: {}", more);
      return fmt::format("nothing answers at {}", host);
    case CURLE_OPERATION_TIMEDOUT:
      return fmt::format("{} did not answer in time", host);
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2_STREAM:
      return fmt::format("the connection to {} broke", host);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return fmt::format("the certificate of {} is not trusted: {}", host, more);
    default:
      return fmt::format("{}: {}", host, more);
  }
}

constexpr int kMostRedirects = 8;
constexpr std::size_t kMostHeaders = std::size_t{256} << 10;  // bytes of one response

struct Transfer {
  TransferId id;
  HttpRequest request;
  std::shared_ptr<HttpReader> reader;
  CURL* handle = nullptr;  // set while it runs
  curl_slist* headers = nullptr;
  HttpHead head = {};
  bool told_head = false;
  std::size_t n_header_bytes = 0;
  int n_redirects = 0;           // followed so far
  bool is_full = false;          // the reader has no room
  Clock::time_point heard = {};  // when bytes last moved
  curl_off_t n_moved = 0;        // bytes of bodies moved until then
  std::array<char, CURL_ERROR_SIZE> detail{};

  Transfer(TransferId number, HttpRequest what, std::shared_ptr<HttpReader> who)
      : id(number), request(std::move(what)), reader(std::move(who)) {}
  ~Transfer() { close(); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void open();
  void set_times();
  void set_way();
  void close() {
    if (handle != nullptr) curl().easy_cleanup(std::exchange(handle, nullptr));
    if (headers != nullptr) curl().slist_free_all(std::exchange(headers, nullptr));
  }
  void tell_head() {
    if (!std::exchange(told_head, true)) reader->head(head);
  }
  void take_header(std::string_view line);
  std::string elsewhere() const;
  bool has_all() const;
};

void Transfer::take_header(std::string_view line) {
  if (line.starts_with("HTTP/")) {  // a new response, after a redirect
    head = {};
    n_header_bytes = 0;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = ascii_lower(std::string(line.substr(0, colon)));
  std::string_view value = line.substr(colon + 1);
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = value.find_first_not_of(kSpace);
  value = first == std::string_view::npos ? "" : value.substr(first);
  head.headers[name] = value.substr(0, value.find_last_not_of(kSpace) + 1);
}

std::size_t on_header(char* bytes, std::size_t /*one*/, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  transfer.heard = Clock::now();
  transfer.take_header({bytes, size});
  transfer.n_header_bytes += size;
  return transfer.n_header_bytes > kMostHeaders ? 0 : size;
}

// Where on the same host and port the response redirects to; empty if nowhere. Only 307 and 308
// keep the method and the body.
std::string Transfer::elsewhere() const {
  const bool keeps_all = head.status == 307 || head.status == 308;
  const bool keeps_get = head.status >= 301 && head.status <= 303 && !request.body;
  if (request.follow || n_redirects >= kMostRedirects || (!keeps_all && !keeps_get)) return {};
  const std::string place = head.header("location");
  const bool is_path = place.starts_with('/') && !place.starts_with("//");
  const std::size_t path = request.url.find_first_of("/?#", request.url.find("//") + 2);
  const std::string url = is_path ? request.url.substr(0, path) + place : place;
  return is_same_origin(url, request.url) ? url : "";
}

// Whether the whole body has arrived.
bool Transfer::has_all() const {
  curl_off_t size = -1, came = 0;
  curl().easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
  curl().easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &came);
  return size >= 0 && came >= size;
}

std::size_t on_body(char* bytes, std::size_t /*one*/, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  long status = 0;
  curl().easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  transfer.head.status = static_cast<int>(status);
  if (!transfer.elsewhere().empty()) return 0;  // nobody wants the body of a redirect
  transfer.tell_head();
  if (!transfer.reader->body({bytes, size})) {
    transfer.is_full = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  // A complete response ends by itself, so that the connection can be reused.
  return transfer.reader->has_enough() && !transfer.has_all() ? 0 : size;
}

int on_progress(void* user, curl_off_t /*all*/, curl_off_t n_came, curl_off_t /*all*/,
                curl_off_t n_went) {
  auto& transfer = *static_cast<Transfer*>(user);
  const curl_off_t n = n_came + n_went;
  if (std::exchange(transfer.n_moved, n) != n) transfer.heard = Clock::now();
  return 0;
}

void Transfer::set_times() {
  const auto set = [this](CURLoption option, long value) {
    curl().easy_setopt(handle, option, value);
  };
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.most.count()));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Trust comes from the same variables as for the curl program: https://curl.se/docs/sslcerts.html.
// No proxy is used for this machine itself.
void Transfer::set_way() {
  const auto set = [this](CURLoption option, const std::string& value) {
    if (!value.empty()) curl().easy_setopt(handle, option, value.c_str());
  };
  const std::string bundle = variable("CURL_CA_BUNDLE");
  set(CURLOPT_CAINFO, bundle.empty() ? variable("SSL_CERT_FILE") : bundle);
  if (bundle.empty()) set(CURLOPT_CAPATH, variable("SSL_CERT_DIR"));
  if (is_loopback(request.url)) set(CURLOPT_NOPROXY, "*");
}

void Transfer::open() {
  handle = curl().easy_init();
  heard = Clock::now();
  const auto set = [this](CURLoption option, auto value) {
    curl().easy_setopt(handle, option, value);
  };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, is_https(request.url) ? "https" : "http,https");
  // Some servers compress without being asked; this option undoes it. Bytes of a file are taken as
  // they are.
  const auto is_range = [](const std::string& line) { return line.starts_with("Range:"); };
  if (std::ranges::none_of(request.headers, is_range)) set(CURLOPT_ACCEPT_ENCODING, "identity");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, 30L);
  set(CURLOPT_TCP_KEEPINTVL, 10L);
  set(CURLOPT_USERAGENT, "confab");
  set_times();
  set_way();
  set(CURLOPT_FOLLOWLOCATION, request.follow ? 1L : 0L);
  set(CURLOPT_MAXREDIRS, static_cast<long>(kMostRedirects));
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, this);
  set(CURLOPT_ERRORBUFFER, detail.data());
  set(CURLOPT_PRIVATE, this);
  if (!request.key.empty()) {
    set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(CURLOPT_XOAUTH2_BEARER, request.key.c_str());
  }
  if (request.body) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
    set(CURLOPT_POSTFIELDS, request.body->c_str());
    headers = curl().slist_append(headers, "Content-Type: application/json");
    headers = curl().slist_append(headers, "Expect:");
  }
  for (const std::string& line : request.headers)
    headers = curl().slist_append(headers, line.c_str());
  set(CURLOPT_HTTPHEADER, headers);
}

class WholeAnswers;

class WholeReader final : public HttpReader {
 public:
  WholeReader(std::shared_ptr<WholeAnswers> all, std::size_t number)
      : all_(std::move(all)), number_(number) {}
  void head(const HttpHead& head) override { answer_.head = head; }
  bool body(std::string_view bytes) override {
    const std::size_t room = kMostAnswer - answer_.body.size();
    is_too_long_ = bytes.size() > room;
    answer_.body += bytes.substr(0, room);
    return true;
  }
  bool has_enough() override { return is_too_long_; }
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  std::shared_ptr<WholeAnswers> all_;
  std::size_t number_;
  HttpAnswer answer_ = {};
  bool is_too_long_ = false;
};

class WholeAnswers {
 public:
  explicit WholeAnswers(std::size_t n) {
    all_.with([n](All& all) {
      all.answers.resize(n);
      return all.n_left = n;
    });
  }
  void put(std::size_t number, HttpAnswer answer) {
    all_.with([&](All& all) {
      all.answers[number] = std::move(answer);
      return --all.n_left;
    });
  }
  std::vector<HttpAnswer> wait() {
    return all_.wait([](const All& all) { return all.n_left == 0; },
                     [](All& all) { return std::move(all.answers); });
  }

 private:
  struct All {
    std::vector<HttpAnswer> answers = {};
    std::size_t n_left = 0;
  };
  Locked<All> all_;
};

std::optional<HttpRequest> WholeReader::end(const std::string& fault) {
  answer_.fault = fault;
  if (is_too_long_) answer_.fault = fmt::format("it sends more than {} MiB", kMostAnswer >> 20);
  all_->put(number_, std::move(answer_));
  return std::nullopt;
}

}  // namespace

std::string HttpHead::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

class HttpClient::Loop {
 public:
  Loop()
      : multi_(curl().multi_init()),
        thread_(base::stack::kUsual, [this](const std::stop_token&) { run(); }) {}
  ~Loop() {
    inbox_.with([](Inbox& inbox) { return inbox.leave = true; });
    curl().multi_wakeup(multi_);
    thread_.join();
    for (const auto& [id, transfer] : running_)
      if (transfer->handle != nullptr) curl().multi_remove_handle(multi_, transfer->handle);
    running_.clear();
    curl().multi_cleanup(multi_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  TransferId start(HttpRequest request, std::shared_ptr<HttpReader> reader) {
    const auto id = static_cast<TransferId>(++n_started_);
    auto transfer = std::make_unique<Transfer>(id, std::move(request), std::move(reader));
    put([&](Inbox& inbox) { inbox.begun.push_back(std::move(transfer)); });
    return id;
  }
  void cancel(TransferId id) {
    put([id](Inbox& inbox) { inbox.cancelled.push_back(id); });
  }
  void resume(TransferId id) {
    put([id](Inbox& inbox) { inbox.resumed.push_back(id); });
  }
  void abandon() {
    put([](Inbox& inbox) { inbox.abandon = true; });
  }

 private:
  struct Inbox {
    std::deque<std::unique_ptr<Transfer>> begun = {};
    std::vector<TransferId> cancelled = {};
    std::vector<TransferId> resumed = {};
    bool abandon = false;
    bool leave = false;
  };

  template <class Fn>
  void put(Fn fn) {
    inbox_.with([&fn](Inbox& inbox) { return fn(inbox), true; });
    curl().multi_wakeup(multi_);
  }
  void run();
  bool take_inbox();
  void end_all();
  Clock::time_point begin_due();
  void end_done();
  Clock::time_point end_silent();
  void finish(Transfer& transfer, CURLcode code);
  void end(Transfer& transfer, const std::string& fault);
  void begin_again(Transfer& transfer, HttpRequest next, int n_redirects);

  CURLM* multi_;
  std::map<TransferId, std::unique_ptr<Transfer>> running_;
  bool is_abandoned_ = false;
  Locked<Inbox> inbox_;
  std::atomic<std::uint64_t> n_started_{0};
  base::Thread thread_;
};

void HttpClient::Loop::run() {
  while (take_inbox()) {
    const Clock::time_point begin = begin_due();
    int n_running = 0;
    curl().multi_perform(multi_, &n_running);
    end_done();
    const Clock::time_point due = std::min(begin, end_silent());
    int wait_ms = INT_MAX;  // curl's own events wake it earlier
    if (due != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
      wait_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
    }
    curl().multi_poll(multi_, nullptr, 0, wait_ms, nullptr);
  }
}

bool HttpClient::Loop::take_inbox() {
  Inbox next = inbox_.with([](Inbox& inbox) { return std::exchange(inbox, {}); });
  for (auto& transfer : next.begun) running_.emplace(transfer->id, std::move(transfer));
  for (const TransferId id : next.cancelled) {
    const auto found = running_.find(id);
    if (found == running_.end()) continue;
    if (found->second->handle != nullptr) curl().multi_remove_handle(multi_, found->second->handle);
    running_.erase(found);
  }
  for (const TransferId id : next.resumed) {
    const auto found = running_.find(id);
    if (found == running_.end() || !std::exchange(found->second->is_full, false)) continue;
    found->second->heard = Clock::now();
    curl().easy_pause(found->second->handle, CURLPAUSE_CONT);
  }
  is_abandoned_ = is_abandoned_ || next.abandon;
  if (is_abandoned_) end_all();
  return !next.leave;
}

void HttpClient::Loop::end_all() {
  for (const auto& [id, transfer] : std::exchange(running_, {})) {
    if (transfer->handle != nullptr) curl().multi_remove_handle(multi_, transfer->handle);
    transfer->reader->end("stopped");
  }
}

// Starts transfers that are due. Returns when the next one is due.
Clock::time_point HttpClient::Loop::begin_due() {
  Clock::time_point next = Clock::time_point::max();
  const Clock::time_point now = Clock::now();
  for (const auto& [id, transfer] : running_) {
    if (transfer->handle != nullptr) continue;
    if (transfer->request.begin > now) {
      next = std::min(next, transfer->request.begin);
      continue;
    }
    transfer->open();
    curl().multi_add_handle(multi_, transfer->handle);
  }
  return next;
}

void HttpClient::Loop::end_done() {
  int n_left = 0;
  while (const CURLMsg* message = curl().multi_info_read(multi_, &n_left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    finish(*transfer, code);
  }
}

// Ends transfers that have been silent for too long. Returns when the next one would be. curl's own
// limit checks an average speed over some seconds, so it would fire some seconds late.
Clock::time_point HttpClient::Loop::end_silent() {
  Clock::time_point next = Clock::time_point::max();
  const Clock::time_point now = Clock::now();
  std::vector<Transfer*> silent;
  for (const auto& [id, transfer] : running_) {
    const auto most = transfer->request.silence;
    if (transfer->handle == nullptr || most.count() == 0 || transfer->is_full) continue;
    if (now >= transfer->heard + most)
      silent.push_back(transfer.get());
    else
      next = std::min(next, transfer->heard + most);
  }
  for (Transfer* transfer : silent) finish(*transfer, CURLE_OPERATION_TIMEDOUT);
  return next;
}

void HttpClient::Loop::finish(Transfer& transfer, CURLcode code) {
  long status = 0;
  curl().easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  transfer.head.status = static_cast<int>(status);
  const std::string elsewhere = transfer.elsewhere();
  curl().multi_remove_handle(multi_, transfer.handle);
  if (!elsewhere.empty()) {
    HttpRequest next = std::move(transfer.request);
    next.url = elsewhere;
    return begin_again(transfer, std::move(next), transfer.n_redirects + 1);
  }
  const bool has_enough = transfer.told_head && transfer.reader->has_enough();
  const std::string fault =
      has_enough ? "" : fault_text(code, transfer.detail.data(), transfer.request);
  if (status != 0) transfer.tell_head();
  end(transfer, fault);
}

void HttpClient::Loop::begin_again(Transfer& transfer, HttpRequest next, int n_redirects) {
  const TransferId id = transfer.id;
  auto again = std::make_unique<Transfer>(id, std::move(next), transfer.reader);
  again->n_redirects = n_redirects;
  running_[id] = std::move(again);
  curl().multi_wakeup(multi_);
}

void HttpClient::Loop::end(Transfer& transfer, const std::string& fault) {
  const TransferId id = transfer.id;
  std::optional<HttpRequest> next = transfer.reader->end(fault);
  if (!next) {
    running_.erase(id);
    return;
  }
  begin_again(transfer, *std::move(next), 0);
}

HttpClient::HttpClient() : loop_(std::make_unique<Loop>()) {}
HttpClient::~HttpClient() = default;

TransferId HttpClient::start(HttpRequest request, std::shared_ptr<HttpReader> reader) {
  return loop_->start(std::move(request), std::move(reader));
}
void HttpClient::cancel(TransferId transfer) {
  loop_->cancel(transfer);
}
void HttpClient::resume(TransferId transfer) {
  loop_->resume(transfer);
}
void HttpClient::abandon() {
  loop_->abandon();
}

std::vector<HttpAnswer> fetch_all(HttpClient& client, std::vector<HttpRequest> requests) {
  if (requests.empty()) return {};
  const auto all = std::make_shared<WholeAnswers>(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    client.start(std::move(requests[i]), std::make_shared<WholeReader>(all, i));
  return all->wait();
}

HttpAnswer fetch(HttpClient& client, HttpRequest request) {
  std::vector<HttpRequest> one;
  one.push_back(std::move(request));
  return std::move(fetch_all(client, std::move(one)).front());
}

}  // namespace confab::engine
