// SPDX-License-Identifier: MIT
// What an architecture changes of the common decoder. Adding one: a file here that defines its
// Architecture, and a line in architecture.cpp.
#pragma once

#include <string>
#include <string_view>

namespace confab::engine {

class Gguf;
struct Hparams;

struct Architecture {
  std::string_view name;  // general.architecture, also the prefix of its keys
  // Called when the common keys have been read: sets what differs, and throws ModelError for what
  // the file asks for and the decoder cannot do.
  void (*specialise)(const Gguf& gguf, Hparams& hparams);
};

extern const Architecture kLlama;
extern const Architecture kQwen2;

const Architecture* find_architecture(std::string_view name) noexcept;  // nullptr: unknown
std::string known_architectures();                                      // "llama, qwen2"

// Throws ModelError when the file has experts.
void refuse_experts(const Gguf& gguf, const Hparams& hparams);

}  // namespace confab::engine
