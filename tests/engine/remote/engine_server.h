// SPDX-License-Identifier: MIT
// An engine on 127.0.0.1 that answers as a test tells it to, with the address of each kind's facts.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/remote/engine_facts.h"
#include "tests/loopback_server.h"

namespace confab::engine {

struct EngineServer {
  using Connection = LoopbackServer::Connection;
  using Handler = std::function<void(const LoopbackRequest&, Connection&)>;

  // pages: what GET answers with 200, by path. answer: what POST gets.
  explicit EngineServer(std::map<std::string, std::string> pages, Handler answer = {})
      : pages_(std::move(pages)),
        answer_(std::move(answer)),
        server_([this](const LoopbackRequest& request, Connection& to) { serve(request, to); }) {}

  EngineAddress address() const { return {.name = "work", .url = server_.url()}; }
  LoopbackServer& server() noexcept { return server_; }

 private:
  void serve(const LoopbackRequest& request, Connection& to) const {
    if (const auto page = pages_.find(request.path); page != pages_.end())
      to.reply(200, page->second);
    else if (request.method == "POST" && answer_)
      answer_(request, to);
    else
      to.reply(404,
               R"({"error":{"message":"File Not Found","type":"not_found_error","code":404}})");
  }

  std::map<std::string, std::string> pages_;
  Handler answer_;
  LoopbackServer server_;
};

inline std::map<std::string, std::string> llama_server_pages(int n_ctx = 4096) {
  return {{"/v1/models",
           R"({"object":"list","data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx":)" +
               std::to_string(n_ctx) +
               R"(,"n_ctx_train":32768,"n_params":1500000000,"size":986000000,"ftype":"Q4_K"}}]})"},
          {"/props",
           R"({"default_generation_settings":{"n_ctx":4096},"total_slots":4,"build_info":"b1-x",)"
           R"("chat_template":"{{ message.reasoning_content }}<think>"})"}};
}

// Of an engine that says no more than OpenAI's protocol wants.
inline std::map<std::string, std::string> plain_pages() {
  return {{"/v1/models", R"({"data":[{"id":"x"}]})"}};
}

inline std::map<std::string, std::string> vllm_pages() {
  return {
      {"/v1/models", R"({"data":[{"id":"org/model","owned_by":"vllm","max_model_len":32768}]})"}};
}

inline std::map<std::string, std::string> ollama_pages() {
  return {{"/v1/models", R"({"data":[{"id":"llama3.2:latest","owned_by":"library"}]})"},
          {"/api/version", R"({"version":"0.12.0"})"},
          {"/api/tags",
           R"({"models":[{"name":"llama3.2:latest","size":2019393189,"details":{)"
           R"("parameter_size":"3.2B","quantization_level":"Q4_K_M"}},{"name":"qwen3:8b"}]})"},
          {"/api/ps", R"({"models":[{"name":"llama3.2:latest","context_length":4096}]})"},
          {"/api/show",
           R"({"model_info":{"llama.context_length":131072},"capabilities":["completion"]})"}};
}

}  // namespace confab::engine
