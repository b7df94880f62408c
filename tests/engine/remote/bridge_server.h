// SPDX-License-Identifier: MIT
// A model of this machine behind HTTP, as llama-server has one: so that both kinds of ChatModel can
// be asked the same.
#pragma once

#include <poll.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/run/local_chat_model.h"
#include "tests/engine/remote/engine_server.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {

class BridgeServer {
 public:
  explicit BridgeServer(int n_ctx)
      : model_(load_chat_model({.path = file_.path(), .n_ctx = n_ctx, .n_threads = 1})),
        server_(llama_server_pages(n_ctx),
                [this](const LoopbackRequest& request, LoopbackServer::Connection& to) {
                  const std::lock_guard lock(mutex_);  // a ChatModel is for one thread
                  answer(nlohmann::json::parse(request.body), to);
                }) {}

  EngineAddress address() const { return server_.address(); }

 private:
  using Connection = LoopbackServer::Connection;
  using json = nlohmann::json;

  static GenerateRequest request_of(const json& body) {
    GenerateRequest request;
    for (const json& message : body["messages"])
      request.turns.push_back({{message["role"], message["content"]}});
    request.n_predict = body.value("max_tokens", -1);
    request.sampling.temperature = body.value("temperature", 0.8F);
    request.sampling.ignore_eos = body.value("ignore_eos", false);
    if (body.contains("stop")) request.stop = body["stop"];
    if (body.contains("grammar"))
      request.shape = {.kind = ConstraintSpec::Kind::gbnf, .text = body["grammar"]};
    request.continues = body.value("continue_final_message", false);
    return request;
  }

  void answer(const json& body, Connection& to) {
    const GenerateRequest request = request_of(body);
    // What there is of it already is not told again over HTTP.
    std::size_t n_told = request.continues ? request.turns.back().message.content.size() : 0;
    bool has_begun = false;
    const AnswerId id = model_->generate(request);
    for (;;) {
      pollfd entry{model_->wake_fd(), POLLIN, 0};
      ::poll(&entry, 1, 20);
      if (is_closed(to)) model_->cancel(id);
      while (const auto told = model_->next_event()) {
        if (const auto* failed = std::get_if<Failed>(&told->event))
          return fail(*failed, has_begun, to);
        if (const auto* text = std::get_if<TextDelta>(&told->event)) {
          if (!std::exchange(has_begun, true)) to.begin_stream();
          std::string more = text->text;
          const std::size_t n_known = std::min(n_told, more.size());
          n_told -= n_known;
          if (more.size() > n_known) send(more.substr(n_known), to);
        }
        const auto* finished = std::get_if<Finished>(&told->event);
        if (finished == nullptr) continue;
        if (!has_begun) to.begin_stream();
        return end(*finished, to);
      }
    }
  }

  static bool is_closed(Connection& to) { return !to.wait(std::chrono::milliseconds(1)); }

  // A few characters at a time, as a model that has to think.
  static void send(std::string_view text, Connection& to) {
    constexpr std::size_t kPiece = 6;
    while (!text.empty() && !is_closed(to)) {
      std::size_t n = std::min(kPiece, text.size());
      while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) ++n;
      to.event(
          json{{"choices", {{{"index", 0}, {"delta", {{"content", text.substr(0, n)}}}}}}}.dump());
      text.remove_prefix(n);
    }
  }
  static void fail(const Failed& failed, bool has_begun, Connection& to) {
    const json error{{"error",
                      {{"message", failed.message},
                       {"type", failed.prompt_too_long ? "exceed_context_size_error" : "x"}}}};
    if (has_begun)
      to.event(error.dump());
    else
      to.reply(400, error.dump());
  }
  static void end(const Finished& finished, Connection& to) {
    const bool is_cut =
        finished.reason == FinishReason::length || finished.reason == FinishReason::context_full;
    to.event(json{{"choices",
                   {{{"index", 0},
                     {"delta", json::object()},
                     {"finish_reason", is_cut ? "length" : "stop"}}}}}
                 .dump());
    to.event(json{{"choices", json::array()},
                  {"usage",
                   {{"prompt_tokens", finished.stats.n_prompt},
                    {"completion_tokens", finished.stats.n_generated}}}}
                 .dump());
    to.event("[DONE]");
    to.end_stream();
  }

  TinyModelFile file_{{.n_ctx = 8192}};
  std::unique_ptr<ChatModel> model_;
  std::mutex mutex_;
  EngineServer server_;
};

}  // namespace confab::engine
