// SPDX-License-Identifier: MIT
// Llama 3 of April 2024, from before files said how text is cut before it is encoded; the
// vocabulary tells. Source: llama/compat/llama-ollama-compat.cpp, handle_llama3_metadata.
#include "engine/ollama/ollama_form.h"
#include "engine/ollama/tokenizer_keys.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

bool is_llama3(const Gguf& gguf) {
  constexpr std::size_t kStartHeader = 128006, kEndOfTurn = 128009;
  const std::string_view pre = gguf.find_string("tokenizer.ggml.pre").value_or("");
  if (!pre.empty() && pre != "default") return false;
  const auto* tokens = array_of<std::string_view>(gguf, "tokenizer.ggml.tokens");
  return tokens != nullptr && tokens->size() > kEndOfTurn &&
         (*tokens)[kStartHeader] == "<|start_header_id|>" && (*tokens)[kEndOfTurn] == "<|eot_id|>";
}

}  // namespace

const OllamaForm kOllamaLlama3{
    .architecture = "llama",
    .becomes = "llama",
    .matches = is_llama3,
    .translate = [](Translation& to) { name_pre_tokenizer(to, "llama-bpe"); }};

}  // namespace confab::engine
