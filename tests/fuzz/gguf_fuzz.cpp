// SPDX-License-Identifier: MIT
// Any file: a model that runs, or a ModelError, in bounded time and memory.
//
// Input: one byte that says how many times 64 KiB of weights follow the file, so that a corpus of
// headers alone makes whole models, then the file. One that loads is asked for its plan and its
// text, and for a few tokens.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "engine/cache/kv_cache.h"
#include "engine/cpu/forward.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"
#include "kernels/isa.h"

namespace {

using namespace confab;

constexpr std::size_t kPaddingBytes = std::size_t{64} << 10U;
constexpr char kPaddingByte = 0x3C;  // gives positive numbers near 1 in F32, F16 and BF16
constexpr int kContext = 32;
// What a mutation makes large but does not make wrong is loaded and not run.
constexpr std::uint64_t kMaxRunBytes = std::uint64_t{64} << 20U;

// A file without a name: the bytes, and `n_padding` times the padding.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size, int n_padding)
      : fd_(memfd_create("model.gguf", MFD_CLOEXEC)) {
    static const std::string padding(kPaddingBytes, kPaddingByte);
    append(data, size);
    for (int i = 0; i < n_padding; ++i) append(padding.data(), padding.size());
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  void append(const void* data, std::size_t size) const {
    if (write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }

  int fd_;
};

void use_text(const engine::Model& model) {
  const auto ids = model.tokenizer->encode("Hello <|im_start|> w\xC3\xB6rld\n\n 123", true);
  model.tokenizer->decode(ids, true);
  const auto source = engine::choose_template(model.gguf, *model.tokenizer, "");
  const engine::PromptBuilder prompts(*model.tokenizer, source.text);
  prompts.build({engine::Turn{{"user", "Hello"}, {}}});
}

void run(const engine::Model& model) {
  static kernels::ThreadPool pool(1);
  const auto& table = *kernels::kernel_table(kernels::Isa::scalar);
  engine::LoadOptions options;
  options.n_ctx = kContext;
  options.n_threads = 1;
  options.n_batch = 4;
  const engine::ContextPlan plan =
      engine::plan_context(model, options, std::numeric_limits<std::uint64_t>::max());
  if (plan.memory.kv_bytes + plan.memory.scratch_bytes > kMaxRunBytes) return;
  engine::KvCache cache(model.hparams, plan.n_ctx, plan.type_k, plan.type_v);
  const int last = model.hparams.n_vocab - 1;
  for (const bool exact : {true, false}) {
    engine::Forward forward(model, table, pool, plan.n_ctx, {.n_batch = 4, .exact = exact});
    forward.run(cache, std::array<engine::Token, 3>{0, last, last / 2},
                engine::LogitsOf::last_token);
    forward.run(cache, std::array<engine::Token, 1>{last}, engine::LogitsOf::last_token);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile file(data + 1, size - 1, data[0]);
  try {
    const auto model = engine::Model::load(file.path());
    run(*model);
    use_text(*model);
  } catch (const engine::ModelError&) {
  }
  return 0;
}
