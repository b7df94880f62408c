// SPDX-License-Identifier: MIT
// An engine behind a bad line: every answer ends, in bounded time, with what came of it told.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <map>
#include <optional>
#include <random>

#include "engine/locked.h"
#include "engine/remote/remote_chat_model.h"
#include "tests/engine/remote/engine_server.h"
#include "tests/engine/run/chat_model_rig.h"

namespace confab::engine {
namespace {

using namespace std::chrono_literals;
using Connection = LoopbackServer::Connection;

constexpr int kWords = 12;

std::string word(int i) {
  return "w" + std::to_string(i) + " ";
}

std::string event(const std::string& json) {
  return "data: " + json + "\n\n";
}

std::string answer_bytes() {
  std::string body;
  for (int i = 0; i < kWords; ++i)
    body += event(R"({"choices":[{"index":0,"delta":{"content":")" + word(i) + R"("}}]})");
  body += event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
  return body + event("[DONE]");
}

std::string whole_answer() {
  std::string text;
  for (int i = 0; i < kWords; ++i) text += word(i);
  return text;
}

// The words of the events that are whole in these bytes.
std::string words_in(const std::string& bytes) {
  std::string words;
  int n = 0;
  for (std::size_t at = 0; n < kWords && (at = bytes.find("\n\n", at)) != bytes.npos; at += 2)
    words += word(n++);
  return words;
}

// Does one thing wrong, which the number chooses, at a place that it chooses too.
class BadLine {
 public:
  // came(text): what the other side must have of an answer that breaks off.
  template <class Came>
  void serve(std::uint32_t seed, Connection& to, Came came) {
    std::mt19937 random(seed);
    const std::string body = answer_bytes();
    const std::size_t at = random() % body.size();
    const std::string begin = body.substr(0, at), rest = body.substr(at);
    const std::string chunked_head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    switch (random() % 14) {
      case 0:  // cut
        to.begin_stream();
        to.chunk(begin);
        came(words_in(begin));
        return to.close();
      case 1:  // reset
        to.begin_stream();
        to.chunk(begin);
        return to.reset();
      case 2:  // half-open: nothing more comes
        to.begin_stream();
        to.chunk(begin);
        came(words_in(begin));
        to.wait(3s);
        return to.close();
      case 3:  // bytes one by one
        to.begin_stream();
        for (std::size_t i = 0; i < body.size(); ++i) to.chunk(body.substr(i, 1));
        to.end_stream();
        return;
      case 4: {  // noise in the middle
        to.begin_stream();
        to.chunk(begin);
        std::string noise(1 + random() % 200, ' ');
        for (char& c : noise) c = static_cast<char>(random());
        to.chunk(noise);
        to.chunk(rest);
        to.end_stream();
        return;
      }
      case 5:  // a length that is too long
        to.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " +
                std::to_string(body.size() + 100) + "\r\n\r\n" + body);
        return to.close();
      case 6:  // one that is too short
        to.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " +
                std::to_string(at) + "\r\n\r\n" + body);
        return to.close();
      case 7:  // a wrong size of a chunk
        to.send(chunked_head + "zz\r\n" + begin);
        return to.close();
      case 8:  // a line that is huge
        to.begin_stream();
        to.chunk(begin);
        for (int i = 0; i < 40 && to.chunk(std::string(512 * 1024, 'x')); ++i) continue;
        return to.close();
      case 9:  // no HTTP
        to.send("SSH-2.0-OpenSSH_9.2\r\n" + begin);
        return to.close();
      case 10:  // a status of its own
        to.reply(static_cast<int>(400 + random() % 100), begin, "", "text/html");
        return;
      case 11:  // late
        to.wait(std::chrono::milliseconds(random() % 300));
        to.begin_stream();
        to.chunk(body);
        to.end_stream();
        return;
      case 12:  // the head alone, cut
        to.send(chunked_head.substr(0, random() % chunked_head.size()));
        return to.close();
      default:  // an error, then more
        to.begin_stream();
        to.chunk(begin + "\n\n" + event(R"({"error":{"message":"no"}})") + rest);
        to.end_stream();
    }
  }
};

// Serves each answer badly; a question is its number.
class BadEngine {
 public:
  EngineAddress address() const {
    EngineAddress address = engine_.address();
    address.silence = 1s;
    return address;
  }
  std::optional<std::string> came(int number) {
    return came_.with([number](auto& came) {
      const auto found = came.find(number);
      return found == came.end() ? std::nullopt : std::optional(found->second);
    });
  }

 private:
  void serve(const LoopbackRequest& request, Connection& to) {
    constexpr std::string_view kBefore = "question ";
    const std::size_t at = request.body.find(kBefore) + kBefore.size();
    const int number = std::atoi(request.body.c_str() + at);
    BadLine().serve(seed_++, to, [&](std::string text) {
      came_.with([&](auto& came) { return came[number] = std::move(text), true; });
    });
  }

  std::atomic<std::uint32_t> seed_ = 20261125;
  Locked<std::map<int, std::string>> came_;
  const EngineServer engine_{plain_pages(), [this](const LoopbackRequest& request, Connection& to) {
                               serve(request, to);
                             }};
};

struct Asked {
  int number = 0;
  std::string text = {};  // of the answer, so far

  // came: what of it has been sent, where that is known.
  void expect_failed(const std::string& fault, const std::optional<std::string>& came) const {
    EXPECT_TRUE(fault.starts_with("work: ")) << fault;
    EXPECT_EQ(fault.find_first_of("\r\n\x1b"), std::string::npos) << fault;
    if (!came) return;
    EXPECT_TRUE(text.starts_with(*came)) << number << ": " << text;
    EXPECT_TRUE(whole_answer().starts_with(text)) << number << ": " << text;
  }
};

TEST(RemoteFaultsTest, AThousandFaultsEndEachOnceAndLoseNoText) {
  constexpr int kFaults = 1000, kAtOnce = 40;
  BadEngine engine;
  const auto model = load_remote_model({.address = engine.address(), .n_ctx = 4096});
  std::map<AnswerId, Asked> asked;
  int n_begun = 0, n_ended = 0, n_whole = 0, n_parts = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (n_ended < kFaults) {
    for (; n_begun < kFaults && n_begun - n_ended < kAtOnce; ++n_begun)
      asked[model->generate({.turns = {{{"user", "question " + std::to_string(n_begun)}}}})] = {
          n_begun};
    pollfd entry{model->wake_fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&entry, 1, 30'000), 1) << "an answer hangs";
    while (const auto told = model->next_event()) {
      const auto found = asked.find(told->answer);
      ASSERT_NE(found, asked.end()) << "something came after the end";
      Asked& one = found->second;
      if (const auto* delta = std::get_if<TextDelta>(&told->event)) one.text += delta->text;
      if (!is_end(told->event)) continue;
      if (std::holds_alternative<Finished>(told->event)) {
        EXPECT_EQ(one.text, whole_answer()) << one.number;
        ++n_whole;
      } else {
        const std::optional<std::string> came = engine.came(one.number);
        one.expect_failed(std::get<Failed>(told->event).message, came);
        n_parts += came ? 1 : 0;
      }
      ++n_ended;
      asked.erase(found);
    }
  }
  EXPECT_GT(n_parts, 50);
  EXPECT_GT(n_whole, 50);
  EXPECT_LT(n_whole, kFaults - 50);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5min);
}

}  // namespace
}  // namespace confab::engine
