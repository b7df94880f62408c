// SPDX-License-Identifier: MIT
// What the built program sends, as strace sees it: nothing without an engine that was named or a
// model that is pulled, and to nobody but that engine or hub.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "tests/app/hub_home.h"
#include "tests/app/program.h"
#include "tests/engine/remote/engine_server.h"

namespace confab::app {
namespace {

using engine::EngineServer;
using testing::ElementsAre;
using testing::HasSubstr;
using Connection = LoopbackServer::Connection;

void say_hi(const LoopbackRequest&, Connection& to) {
  to.begin_stream();
  to.event(R"({"choices":[{"index":0,"delta":{"content":"Hi there."}}]})");
  to.event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
  to.event("[DONE]");
  to.end_stream();
}

class NetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (run_command(home_, {"/bin/sh", "-c", "strace -o /dev/null true"}).status != 0)
      GTEST_SKIP() << "strace is not there, or must not look at processes here";
  }
  struct Traced {
    RunResult ran;
    std::set<std::string> internet;  // calls that make, or use, a socket of the internet
  };
  Traced trace(const std::vector<std::string>& words, const Environment& more = {}) {
    const std::string log = home_.path() / "calls";
    std::vector<std::string> command{"/bin/sh", "-c",
                                     "exec strace -f -qq -e trace=network -o \"$0\" \"$@\"", log,
                                     confab_program()};
    command.insert(command.end(), words.begin(), words.end());
    Traced traced{run_command(home_, command, "", more), {}};
    std::istringstream lines(read_file(log));
    for (std::string line; std::getline(lines, line);) {
      const bool reaches = line.find(" connect(") != std::string::npos ||
                           line.find(" sendto(") != std::string::npos ||
                           line.find(" socket(") != std::string::npos;
      if (!reaches || line.find("AF_INET") == std::string::npos) continue;
      const std::size_t port = line.find("sin_port=htons("), host = line.find("inet_addr(\"");
      if (port == std::string::npos || host == std::string::npos) {
        traced.internet.insert("socket");
        continue;
      }
      const std::string number = line.substr(port + 15, line.find(')', port) - port - 15);
      const std::string name = line.substr(host + 11, line.find('"', host + 11) - host - 11);
      traced.internet.insert(name + ":" + number);
    }
    return traced;
  }

  TempDir home_;
};

TEST_F(NetworkTest, WithoutAnEngineThereIsNoSocket) {
  const Traced traced = trace({"-p", "Hello", "-n", "2"});
  EXPECT_NE(traced.ran.out, "");
  EXPECT_THAT(traced.internet, ElementsAre());
}

TEST_F(NetworkTest, NamedEnginesThatAreNotUsedHearNothing) {
  home_.file(".config/confab/config.toml", "[engines.work]\nurl = \"http://127.0.0.1:9\"\n");
  const Traced traced = trace({"-p", "Hello", "-n", "2"});
  EXPECT_NE(traced.ran.out, "") << traced.ran.err;
  EXPECT_THAT(traced.internet, ElementsAre());
}

TEST_F(NetworkTest, AnEngineAloneIsSpokenTo) {
  const EngineServer server(engine::llama_server_pages(), &say_hi);
  const std::string host = server.address().url.substr(7);
  const Traced traced = trace({"-m", server.address().url, "-p", "Hello"});
  EXPECT_EQ(traced.ran.out, "Hi there.\n") << traced.ran.err;
  std::set<std::string> others = traced.internet;
  EXPECT_EQ(others.erase(host), 1U);
  others.erase("socket");
  EXPECT_THAT(others, ElementsAre());
}

TEST_F(NetworkTest, APullSpeaksToItsHubAlone) {
  FakeHub hub;
  const std::string content = random_bytes(100'000, 1);
  hub.files["m-Q4_K_M.gguf"] = {content, sum_of(content)};
  Traced traced = trace({"pull", "org/name"}, {"HF_ENDPOINT=" + hub.url()});
  EXPECT_EQ(traced.ran.status, 0) << traced.ran.err;
  EXPECT_EQ(traced.internet.erase(hub.url().substr(7)), 1U);
  traced.internet.erase("socket");
  EXPECT_THAT(traced.internet, ElementsAre());
}

// Of a pasted text, names of files stay words; a key is in no file of the program's.
TEST_F(NetworkTest, AKeyIsWrittenNowhere) {
  EngineServer server(engine::llama_server_pages(), &say_hi);
  home_.file(".config/confab/config.toml",
             "[engines.work]\nurl = \"" + server.address().url + "\"\nkey_env = \"WORK_KEY\"\n");
  const RunResult ran = run_program(home_, {"-m", "work", "-p", "Hello", "--json", "--stats"}, {},
                                    {"WORK_KEY=s3cret-k3y"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(server.server().requests().back().header("authorization"), "Bearer s3cret-k3y");
  EXPECT_EQ((ran.out + ran.err).find("s3cret"), std::string::npos);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home_.path()))
    if (entry.is_regular_file()) {
      EXPECT_EQ(read_file(entry.path()).find("s3cret"), std::string::npos) << entry.path();
    }
}

// Of a process that runs, in KiB; 0: nobody knows.
long resident_kib(pid_t pid) {
  std::istringstream status(read_file("/proc/" + std::to_string(pid) + "/status"));
  for (std::string word; status >> word;)
    if (long kib = 0; word == "VmRSS:" && status >> kib) return kib;
  return 0;
}

// An engine that answers once 200 have asked, and looks at who asks at the 400th and the last.
class BusyEngine {
 public:
  explicit BusyEngine(int n) : n_(n) {}
  std::string url() const { return server_.address().url; }
  int n_most() const noexcept { return n_most_; }
  long kib_early() const noexcept { return kib_early_; }
  long kib_late() const noexcept { return kib_late_; }
  std::atomic<pid_t> asker = 0;

 private:
  void answer(const LoopbackRequest& request, Connection& to) {
    const int now = ++n_open_, number = ++n_asked_;
    for (int most = n_most_; now > most && !n_most_.compare_exchange_weak(most, now);) continue;
    for (int i = 0; i < 2000 && n_most_ < 200; ++i) to.wait(std::chrono::milliseconds(10));
    if (number == 400) kib_early_ = resident_kib(asker);
    if (number == n_) kib_late_ = resident_kib(asker);
    --n_open_;
    const std::size_t at = request.body.find("number ");
    to.begin_stream();
    to.event(R"({"choices":[{"index":0,"delta":{"content":")" +
             request.body.substr(at, request.body.find('"', at) - at) + R"("}}]})");
    to.event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
    to.end_stream();
  }

  const int n_;
  std::atomic<int> n_open_ = 0, n_most_ = 0, n_asked_ = 0;
  std::atomic<long> kib_early_ = 0, kib_late_ = 0;
  EngineServer server_{engine::vllm_pages(),
                       [this](const auto& request, auto& to) { answer(request, to); }};
};

// CONFAB_REQUESTS says how many requests.
TEST(BatchElsewhereTest, HasTwoHundredRequestsInFlightAndItsMemoryIsFlat) {
  const char* wanted = std::getenv("CONFAB_REQUESTS");
  const int n_requests = wanted == nullptr ? 1200 : std::atoi(wanted);
  BusyEngine engine(n_requests);
  const TempDir home;
  std::string requests;
  for (int i = 0; i < n_requests; ++i)
    requests +=
        R"({"id":"r)" + std::to_string(i) + R"(","prompt":"number )" + std::to_string(i) + "\"}\n";
  const std::string in = home.file("in.jsonl", requests), out = home.path() / "out.jsonl";
  PipeProgram program(
      home, {"batch", in, "--out", out, "-m", engine.url(), "--parallel", "200", "--ordered"});
  engine.asker = program.pid();
  EXPECT_EQ(program.wait_for_exit(), 0) << program.output();
  EXPECT_GE(engine.n_most(), 200);
  std::istringstream lines(read_file(out));
  int n = 0;
  for (std::string line; std::getline(lines, line); ++n) {
    EXPECT_THAT(line, HasSubstr("\"id\":\"r" + std::to_string(n) + "\""));
    EXPECT_THAT(line, HasSubstr("\"number " + std::to_string(n) + "\""));
  }
  EXPECT_EQ(n, n_requests);
  RecordProperty("kib_early", std::to_string(engine.kib_early()));
  RecordProperty("kib_late", std::to_string(engine.kib_late()));
  if (wanted != nullptr)
    std::printf("%ld KiB at 400, %ld KiB at %d\n", engine.kib_early(), engine.kib_late(),
                n_requests);
  constexpr long kMostGrowth = 4096;
  EXPECT_LE(engine.kib_late() - engine.kib_early(), kMostGrowth) << engine.kib_early();
}

}  // namespace
}  // namespace confab::app
