// SPDX-License-Identifier: MIT
#include "engine/remote/http_client.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <string>

#include "tests/loopback_server.h"

namespace confab::engine {
namespace {

using namespace std::chrono_literals;
using Connection = LoopbackServer::Connection;

// Takes what comes; a test waits for it.
class Reader final : public HttpReader {
 public:
  void head(const HttpHead& head) override {
    const std::lock_guard lock(mutex_);
    status_ = head.status;
  }
  bool body(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    if (is_full_) {
      ++n_refused_;
      changed_.notify_all();
      return false;
    }
    body_ += bytes;
    changed_.notify_all();
    return true;
  }
  std::optional<HttpRequest> end(const std::string& fault) override {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    ++n_ends_;
    changed_.notify_all();
    return std::exchange(next_, std::nullopt);
  }

  template <class Ready>
  bool wait_for(Ready ready, std::chrono::milliseconds most = 20s) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, [&] { return ready(*this); });
  }
  bool wait_for_end() {
    return wait_for([](const Reader& r) { return r.n_ends_ > 0; });
  }
  void set_full(bool on) {
    const std::lock_guard lock(mutex_);
    is_full_ = on;
  }
  void go_on_with(HttpRequest next) { next_ = std::move(next); }

  std::string body_, fault_;
  int status_ = 0, n_ends_ = 0, n_refused_ = 0;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_full_ = false;
  std::optional<HttpRequest> next_;
};

TEST(HttpClientTest, PostsABodyAndReadsTheAnswer) {
  LoopbackServer server([](const LoopbackRequest& request, Connection& to) {
    to.reply(201, "got " + request.body, "X-Thing: 7\r\n");
  });
  HttpClient client;
  const HttpAnswer answer = fetch(client, {.url = server.url() + "/a?b", .body = "{}", .key = "k"});
  EXPECT_EQ(answer.fault, "");
  EXPECT_EQ(answer.head.status, 201);
  EXPECT_EQ(answer.head.header("x-thing"), "7");
  EXPECT_EQ(answer.body, "got {}");
  const LoopbackRequest asked = server.requests().front();
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.path, "/a?b");
  EXPECT_EQ(asked.header("authorization"), "Bearer k");
  EXPECT_EQ(asked.header("content-type"), "application/json");
  EXPECT_EQ(asked.header("expect"), "");
}

TEST(HttpClientTest, SaysInOneLineWhyNothingCame) {
  HttpClient client;
  int port = 0;
  {
    LoopbackServer gone([](const LoopbackRequest&, Connection&) {});
    port = gone.port();
  }
  const std::string host = "127.0.0.1:" + std::to_string(port);
  EXPECT_EQ(fetch(client, {.url = "http://" + host}).fault, "nothing answers at " + host);
  LoopbackServer breaks([](const LoopbackRequest&, Connection& to) { to.reset(); });
  EXPECT_EQ(fetch(client, {.url = breaks.url()}).fault,
            "the connection to " + breaks.host() + " broke");
  LoopbackServer silent([](const LoopbackRequest&, Connection& to) { to.wait(5s); });
  EXPECT_EQ(fetch(client, {.url = silent.url(), .most = 100ms}).fault,
            silent.host() + " did not answer in time");
  LoopbackServer cut([](const LoopbackRequest&, Connection& to) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    to.close();
  });
  const HttpAnswer part = fetch(client, {.url = cut.url()});
  EXPECT_EQ(part.body, "abc");
  EXPECT_EQ(part.fault, "the connection to " + cut.host() + " broke");
}

TEST(HttpClientTest, SilenceHasALimitWhereOneIsGiven) {
  LoopbackServer slow([](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    to.chunk("a");
    to.wait(10s);
  });
  HttpClient client;
  const HttpAnswer answer = fetch(client, {.url = slow.url(), .silence = 1s});
  EXPECT_EQ(answer.body, "a");
  EXPECT_EQ(answer.fault, slow.host() + " did not answer in time");
}

// However fast it was before, and whatever was sent.
TEST(HttpClientTest, SilenceBeginsWithTheLastByte) {
  LoopbackServer stops([](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    for (int i = 0; i < 10 && to.chunk(std::string(2000, 'x')); ++i) to.wait(50ms);
    to.wait(20s);
  });
  HttpClient client;
  const auto begin = HttpRequest::Clock::now();
  const HttpAnswer answer =
      fetch(client, {.url = stops.url(), .body = std::string(500'000, 'q'), .silence = 2s});
  EXPECT_EQ(answer.body.size(), 20'000U);
  EXPECT_EQ(answer.fault, stops.host() + " did not answer in time");
  EXPECT_LT(HttpRequest::Clock::now() - begin, 4s);
}

TEST(HttpClientTest, ACancelledTransferIsClosedAtOnceAndNeverHeardOfAgain) {
  std::atomic<bool> saw_close = false;
  LoopbackServer server([&](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    to.chunk("a");
    saw_close = !to.wait(20s);
    to.close();
  });
  HttpClient client;
  const auto reader = std::make_shared<Reader>();
  const TransferId id = client.start({.url = server.url()}, reader);
  ASSERT_TRUE(reader->wait_for([](const Reader& r) { return r.body_ == "a"; }));
  client.cancel(id);
  client.cancel(id);
  for (int i = 0; i < 2000 && !saw_close; ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(saw_close);
  EXPECT_EQ(reader->n_ends_, 0);
}

TEST(HttpClientTest, APausedTransferLosesNothingAndHoldsTheSenderBack) {
  constexpr std::size_t kLots = 32U << 20;
  std::atomic<std::size_t> n_sent = 0;
  LoopbackServer server([&](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    const std::string block(64 * 1024, 'x');
    while (n_sent < kLots && to.chunk(block)) n_sent += block.size();
    to.end_stream();
  });
  HttpClient client;
  const auto reader = std::make_shared<Reader>();
  reader->set_full(true);
  const TransferId id = client.start({.url = server.url()}, reader);
  ASSERT_TRUE(reader->wait_for([](const Reader& r) { return r.n_refused_ > 0; }));
  std::size_t before = 0;  // until the sockets are full
  for (int i = 0; i < 200 && before != n_sent; ++i) {
    before = n_sent;
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_LT(n_sent, kLots);
  reader->set_full(false);
  client.resume(id);
  ASSERT_TRUE(reader->wait_for_end());
  EXPECT_EQ(reader->body_.size(), kLots);
  EXPECT_EQ(reader->fault_, "");
}

TEST(HttpClientTest, AReaderCanAskAgainLater) {
  std::atomic<int> n = 0;
  LoopbackServer server(
      [&](const LoopbackRequest&, Connection& to) { to.reply(n++ == 0 ? 503 : 200, "x"); });
  HttpClient client;
  const auto reader = std::make_shared<Reader>();
  const HttpRequest request{.url = server.url()};
  HttpRequest later = request;
  later.begin = HttpRequest::Clock::now() + 300ms;
  const auto due = later.begin;
  reader->go_on_with(later);
  client.start(request, reader);
  ASSERT_TRUE(reader->wait_for([](const Reader& r) { return r.n_ends_ == 2; }));
  EXPECT_GE(HttpRequest::Clock::now(), due);
  EXPECT_EQ(reader->status_, 200);
}

TEST(HttpClientTest, AKeyGoesToNoOtherHostAfterARedirect) {
  LoopbackServer other([](const LoopbackRequest&, Connection& to) { to.reply(200, "elsewhere"); });
  LoopbackServer server([&](const LoopbackRequest&, Connection& to) {
    to.reply(302, "", "Location: http://localhost:" + std::to_string(other.port()) + "/x\r\n");
  });
  HttpClient client;
  const HttpAnswer stayed = fetch(client, {.url = server.url(), .key = "secret"});
  EXPECT_EQ(stayed.head.status, 302);
  EXPECT_TRUE(other.requests().empty());
  const HttpAnswer followed = fetch(client, {.url = server.url(), .key = "secret", .follow = true});
  EXPECT_EQ(followed.body, "elsewhere");
  ASSERT_EQ(other.requests().size(), 1U);
  EXPECT_EQ(other.requests().front().header("authorization"), "");
}

TEST(HttpClientTest, OnTheSameHostAndPortARedirectKeepsTheBodyAndTheKey) {
  LoopbackServer server([](const LoopbackRequest& request, Connection& to) {
    if (request.path == "/old") return void(to.reply(307, "moved", "Location: /new\r\n"));
    if (request.path == "/round") return void(to.reply(308, "", "Location: /round\r\n"));
    if (request.path == "/post") return void(to.reply(302, "moved", "Location: /new\r\n"));
    to.reply(200, request.method + " " + request.body + " " + request.header("authorization"));
  });
  HttpClient client;
  const HttpAnswer answer =
      fetch(client, {.url = server.url() + "/old", .body = "hi", .key = "secret"});
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_EQ(answer.body, "POST hi Bearer secret");
  EXPECT_EQ(fetch(client, {.url = server.url() + "/round"}).head.status, 308);
  EXPECT_EQ(server.requests().size(), 11U);  // two, and nine in the round
  // By 302 a body would be lost.
  EXPECT_EQ(fetch(client, {.url = server.url() + "/post", .body = "hi"}).head.status, 302);
}

TEST(HttpClientTest, WhatIsCompressedUnaskedIsRead) {
  // gzip of "hello", by gzip -n
  constexpr std::string_view kHello(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36"
      "\x05\x00\x00\x00",
      25);
  LoopbackServer server([&](const LoopbackRequest& request, Connection& to) {
    EXPECT_EQ(request.header("accept-encoding"), "identity");
    to.reply(200, kHello, "Content-Encoding: gzip\r\n");
  });
  HttpClient client;
  EXPECT_EQ(fetch(client, {.url = server.url()}).body, "hello");
}

TEST(HttpClientTest, AReaderThatHasEnoughIsHeldByNoServer) {
  class Few final : public HttpReader {
   public:
    void head(const HttpHead&) override {}
    bool body(std::string_view bytes) override { return n_bytes_ += bytes.size(), true; }
    bool has_enough() override { return n_bytes_ >= 3; }
    std::optional<HttpRequest> end(const std::string& fault) override {
      ended_.set_value(fault);
      return std::nullopt;
    }
    std::size_t n_bytes_ = 0;
    std::promise<std::string> ended_;
  };
  LoopbackServer server([](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    while (to.send("3\r\nabc\r\n")) std::this_thread::sleep_for(20ms);
  });
  HttpClient client;
  const auto few = std::make_shared<Few>();
  client.start({.url = server.url()}, few);
  auto ended = few->ended_.get_future();
  ASSERT_EQ(ended.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(ended.get(), "");
}

TEST(HttpClientTest, ManyTransfersRunSideBySide) {
  std::atomic<int> n_open = 0, n_most = 0;
  LoopbackServer server([&](const LoopbackRequest& request, Connection& to) {
    const int now = ++n_open;
    for (int most = n_most; now > most && !n_most.compare_exchange_weak(most, now);) continue;
    for (int i = 0; i < 400 && n_open < 50 && n_most < 50; ++i) std::this_thread::sleep_for(5ms);
    --n_open;
    to.reply(200, request.body);
  });
  HttpClient client;
  std::vector<HttpRequest> requests;
  for (int i = 0; i < 50; ++i) requests.push_back({.url = server.url(), .body = std::to_string(i)});
  const auto answers = fetch_all(client, requests);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(answers[static_cast<std::size_t>(i)].body, std::to_string(i));
  EXPECT_EQ(n_most, 50);
}

TEST(HttpClientTest, TransfersThatRunEndWithTheClient) {
  LoopbackServer server([](const LoopbackRequest&, Connection& to) {
    to.begin_stream();
    to.wait(20s);
  });
  const auto reader = std::make_shared<Reader>();
  {
    HttpClient client;
    client.start({.url = server.url()}, reader);
    client.start({.url = server.url(), .begin = HttpRequest::Clock::now() + 1h}, reader);
    ASSERT_TRUE(reader.get() != nullptr);
    for (int i = 0; i < 1000 && server.requests().empty(); ++i) std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(reader->n_ends_, 0);
}

TEST(HttpClientTest, WhoIsAbandonedWaitsForNothing) {
  LoopbackServer server([](const LoopbackRequest&, Connection& to) { to.wait(60s); });
  HttpClient client;
  const auto begin = HttpRequest::Clock::now();
  std::thread other([&] {
    while (server.requests().empty()) std::this_thread::yield();
    client.abandon();
  });
  EXPECT_EQ(fetch(client, {.url = server.url()}).fault, "stopped");
  other.join();
  EXPECT_EQ(fetch(client, {.url = server.url()}).fault, "stopped") << "nor later on";
  EXPECT_LT(HttpRequest::Clock::now() - begin, 20s);
}

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)  // whose own thread wakes
// Voluntary context switches of all threads of this process.
long n_wake_ups() {
  long n = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string word; status >> word;)
      if (word == "voluntary_ctxt_switches:") {
        long of_task = 0;
        status >> of_task;
        n += of_task;
      }
  }
  return n;
}

TEST(HttpClientTest, AnIdleClientSleeps) {
  long before = 0, after = 0;
  {
    LoopbackServer server([](const LoopbackRequest&, Connection& to) { to.reply(200, "x"); });
    HttpClient probe;
    EXPECT_EQ(fetch(probe, {.url = server.url()}).body, "x");
  }
  HttpClient client;
  std::this_thread::sleep_for(200ms);
  before = n_wake_ups();
  std::this_thread::sleep_for(1s);
  after = n_wake_ups();
  EXPECT_LE(after - before, 3);  // this thread's own sleep
}
#endif

}  // namespace
}  // namespace confab::engine
