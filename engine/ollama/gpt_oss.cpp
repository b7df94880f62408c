// SPDX-License-Identifier: MIT
// gpt-oss of August 2025 to May 2026: the architecture has another name, and so have the output of
// attention, its sinks and the second norm. Sources: convert/convert_gptoss.go at 93085127f
// (October 2025: the form that is read) and at fa7776fd2 and 59412fbb4 (the first two, which are
// refused); llama/compat/llama-ollama-compat.cpp, handle_gptoss.
#include <array>

#include "engine/ollama/ollama_form.h"
#include "engine/ollama/translation.h"

namespace confab::engine {
namespace {

constexpr auto kTensors = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"attn_out.weight", "attn_output.weight"},
     {"attn_out.bias", "attn_output.bias"},
     {"attn_sinks", "attn_sinks.weight"},
     {"ffn_norm.weight", "post_attention_norm.weight"}});

void translate(Translation& to) {
  const Gguf& gguf = to.gguf();
  if (gguf.find_tensor("blk.0.ffn_gate_up_exps.weight") != nullptr) {
    gguf.fail(
        "is gpt-oss as Ollama packed it until October 2025 (gate and up in one, row by row), which "
        "is not read; get it anew: ollama pull gpt-oss, or confab pull ggml-org/gpt-oss-20b-GGUF");
  }
  const GgufTensor* gate = gguf.find_tensor("blk.0.ffn_gate_exps.weight");
  if (gate != nullptr && gate->shape.size() > 1)
    to.set_if_missing("expert_feed_forward_length", static_cast<std::uint32_t>(gate->shape[1]));
  to.set_if_missing("rope.scaling.type", "yarn");
  to.set("tokenizer.ggml.pre", "gpt-4o");
  to.rename_tensors(kTensors);
}

}  // namespace

const OllamaForm kOllamaGptOss{.architecture = "gptoss",
                               .becomes = "gpt-oss",
                               .matches = [](const Gguf&) { return true; },
                               .translate = translate};

}  // namespace confab::engine
