// SPDX-License-Identifier: MIT
#include "engine/fit/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/cache/kv_layout.h"
#include "engine/gguf/gguf.h"
#include "engine/gguf/quantize.h"
#include "engine/size_text.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

class Adviser {
 public:
  Adviser(const Gguf& gguf, const Misfit& misfit) : gguf_(gguf), misfit_(misfit) {}

  std::string text() const {
    const std::string settings = with_settings(), bits = with_fewer_bits();
    if (!settings.empty() && !bits.empty()) return settings + "; " + bits;
    if (!settings.empty() || !bits.empty()) return settings + bits;
    return "use a smaller model";
  }

 private:
  // Any context but the requested one is rounded to whole blocks.
  std::optional<FitChoice> longest(FitChoice choice) const {
    if (fits(choice)) return choice;
    int least = kLeastContext / kBlockTokens - 1, most = choice.n_ctx / kBlockTokens;
    while (most - least > 1) {
      const int middle = least + (most - least) / 2;
      choice.n_ctx = middle * kBlockTokens;
      (fits(choice) ? least : most) = middle;
    }
    choice.n_ctx = least * kBlockTokens;
    if (choice.n_ctx < kLeastContext) return std::nullopt;
    return choice;
  }
  bool fits(const FitChoice& choice) const {
    return misfit_.bytes(choice) <= misfit_.available_bytes;
  }

  std::string told(const FitChoice& choice) const {
    std::string how;
    if (choice.n_ctx != misfit_.asked.n_ctx) how += fmt::format(" -c {}", choice.n_ctx);
    if (choice.type_k != misfit_.asked.type_k) how += " -ctk q4_0";
    if (choice.type_v != misfit_.asked.type_v) how += " -ctv q4_0";
    if (choice.n_parallel != misfit_.asked.n_parallel) {
      return fmt::format("ask for fewer answers at a time: with {}{}{} it takes {}",
                         choice.n_parallel, how.empty() ? "" : " and", how,
                         size_text(misfit_.bytes(choice)));
    }
    return fmt::format("with{} it takes {}", how, size_text(misfit_.bytes(choice)));
  }

  // The requested types, then with shorter values, then also with shorter keys, which affect
  // answers more.
  std::vector<FitChoice> cache_types() const {
    std::vector<FitChoice> choices{misfit_.asked};
    FitChoice small = misfit_.asked;
    const auto shorten = [&](bool may, Dtype FitChoice::*type) {
      if (!may) return;
      small.*type = Dtype::Q4_0;
      choices.push_back(small);
    };
    shorten(misfit_.may_shorten_values, &FitChoice::type_v);
    shorten(misfit_.may_shorten_keys, &FitChoice::type_k);
    return choices;
  }

  // Prefers shorter cache types to a context of less than half the requested size.
  std::string with_settings() const {
    const FitChoice& asked = misfit_.asked;
    std::optional<FitChoice> best;
    for (const FitChoice& choice : cache_types()) {
      if (best && 2 * best->n_ctx >= asked.n_ctx) break;
      const auto found = longest(choice);
      if (found && (!best || found->n_ctx > best->n_ctx)) best = found;
    }
    if (best) return told(*best);
    FitChoice fewer = asked;
    for (fewer.n_parallel = asked.n_parallel - 1; fewer.n_parallel > 0; --fewer.n_parallel)
      if (const auto found = longest(fewer)) return told(*found);
    return {};
  }

  // Returns the largest file type with fewer bits than this file that would fit.
  std::string with_fewer_bits() const {
    std::uint64_t now = 0;
    for (const GgufTensor& tensor : gguf_.tensors()) now += tensor.n_bytes();
    const MixTraits traits = mix_traits(gguf_);
    FitChoice least = misfit_.asked;
    least.n_ctx = std::min(least.n_ctx, kLeastContext);
    for (const FitChoice& choice : {misfit_.asked, least}) {
      const std::uint64_t bytes = misfit_.bytes(choice);
      for (const FileType& type : sized_file_types()) {
        const std::uint64_t then = quantized_bytes(gguf_.tensors(), traits, type);
        if (then >= now || bytes - std::min(bytes, now - then) > misfit_.available_bytes) continue;
        if (choice.n_ctx == misfit_.asked.n_ctx)
          return fmt::format("{} of this model would fit whole", type.name);
        return fmt::format("{} of this model would fit with -c {}", type.name, choice.n_ctx);
      }
    }
    return {};
  }

  const Gguf& gguf_;
  const Misfit& misfit_;
};

}  // namespace

std::string advice(const Gguf& gguf, const Misfit& misfit) {
  return Adviser(gguf, misfit).text();
}

}  // namespace confab::engine
