// SPDX-License-Identifier: MIT
// What turning text into ids costs, on one thread: English, and texts made of one long word.
//
//   CONFAB_VOCAB=model.gguf CONFAB_TEXT=english.txt engine_bench
//
// CONFAB_VOCAB: any GGUF file with a tokenizer. CONFAB_TEXT: some megabytes of English; without it
// a text of made-up words, which says little about caching.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gguf/gguf.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

std::string repeat(std::string_view part, std::size_t n_bytes) {
  std::string text;
  while (text.size() < n_bytes) text += part;
  return text;
}

// n_bytes of characters drawn from `alphabet`.
std::string random_text(std::string_view alphabet, std::size_t n_bytes) {
  std::mt19937 rng(20250611);
  std::string text;
  while (text.size() < n_bytes) text += alphabet[rng() % alphabet.size()];
  return text;
}

std::string random_han(std::size_t n_bytes) {
  std::mt19937 rng(20250611);
  std::string text;
  while (text.size() < n_bytes) {
    const auto c = static_cast<unsigned>(0x4E00 + rng() % 3000);
    text += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
             static_cast<char>(0x80 | (c & 0x3F))};
  }
  return text;
}

std::string english() {
  if (const char* path = std::getenv("CONFAB_TEXT")) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!text.empty()) return text;
  }
  return random_text("eeeeettttaaaooiinnsshhrrddlluccm     .", 4 * kMegabyte);
}

std::string one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return repeat(text, 10 * kMegabyte);
}

void encode(benchmark::State& state, const Tokenizer& tokenizer, const std::string& text) {
  std::size_t n_tokens = 0;
  for (auto _ : state) n_tokens = tokenizer.encode(text, false).size();
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.counters["bytes/token"] = static_cast<double>(text.size()) / static_cast<double>(n_tokens);
}

}  // namespace
}  // namespace confab::engine

int main(int argc, char** argv) {
  using namespace confab::engine;
  benchmark::Initialize(&argc, argv);
  const char* path = std::getenv("CONFAB_VOCAB");
  if (path == nullptr) {
    std::fputs("CONFAB_VOCAB is not set: the path of a GGUF file with a tokenizer\n", stderr);
    return 2;
  }
  const auto tokenizer = Tokenizer::load(Gguf(path));
  const std::vector<std::pair<std::string, std::string>> texts{
      {"english", english()},
      {"10 MB in one line", one_line(english())},
      {"1 MB of one letter", std::string(kMegabyte, 'a')},
      {"1 MB of spaces", std::string(kMegabyte, ' ')},
      {"1 MB of line feeds", std::string(kMegabyte, '\n')},
      {"1 MB of one emoji", repeat("😀", kMegabyte)},
      {"1 MB of Han without spaces", random_han(kMegabyte)},
      {"1 MB of digits", random_text("0123456789", kMegabyte)},
      {"1 MB of base64",
       random_text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", kMegabyte)},
  };
  for (const auto& [name, text] : texts) {
    benchmark::RegisterBenchmark(name.c_str(), encode, std::cref(*tokenizer), std::cref(text))
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
