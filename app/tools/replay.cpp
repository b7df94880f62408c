// SPDX-License-Identifier: MIT
#include "app/tools/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>

#include "app/error.h"
#include "app/paths.h"
#include "engine/run/sampler.h"

namespace confab::app {
namespace {

using engine::Token;

int n_right(std::span<const Token> draft, std::span<const Token> rest) {
  const auto end = std::ranges::mismatch(draft, rest).in1;
  return static_cast<int>(end - draft.begin());
}

std::vector<Token> rows_of_pass(Token last, std::span<const Token> draft) {
  std::vector<Token> rows = {last};
  rows.insert(rows.end(), draft.begin(), draft.end());
  return rows;
}

// Looks at the first n rows of logits as sampling would.
void look_at(engine::Sampler& sampler, std::span<const float> rows, std::size_t n_vocab, int n) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row)
    sampler.sample(rows.subspan(row * n_vocab, n_vocab));
}

void count(Replay& replay, engine::DraftSource source, int n_drafted, int n_accepted) {
  ++replay.n_passes;
  engine::DraftCount& count = engine::count_of(replay, source);
  count.n_drafted += n_drafted;
  count.n_accepted += n_accepted;
}

}  // namespace

std::vector<Token> tokens_of_file(const engine::Model& model, const std::string& file) {
  std::ifstream in(expand_home(file), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw UserError(fmt::format("{}: cannot be read", file));
  if (text.empty()) throw UserError(fmt::format("{}: is empty", file));
  return model.tokenizer->encode(text, false);
}

Replay replay(Inference& inference, engine::Forward& forward, engine::Drafting& drafting,
              std::span<const Token> prompt, std::span<const Token> answer) {
  using Clock = std::chrono::steady_clock;
  engine::KvCache& cache = inference.cache();
  const auto n_vocab = static_cast<std::size_t>(inference.model().hparams.n_vocab);
  engine::Sampler greedy({.temperature = 0}, static_cast<int>(n_vocab));
  cache.truncate(0);
  drafting.begin(prompt);
  inference.prefill(prompt, engine::LogitsOf::none, [](std::span<const float>) {});

  const auto by_head = [&](Token token, int n_ahead) {
    return forward.guess(cache, token, n_ahead);
  };
  const engine::Drafting::Guess guess = by_head;
  Replay result;
  const Clock::time_point begin = Clock::now();
  const std::clock_t processor_begin = std::clock();
  for (std::size_t at = 0; at < answer.size();) {
    const Clock::time_point pass_begin = Clock::now();
    drafting.add(answer[at]);
    const auto rest = answer.subspan(at + 1);
    const auto draft = drafting.propose(static_cast<int>(rest.size()), {}, &guess);
    const std::vector<Token> run = rows_of_pass(answer[at], draft);
    const int n_before = cache.n_tokens(), n_drafted = static_cast<int>(draft.size());
    const int n_accepted = n_right(draft, rest);
    const auto rows = forward.run(
        cache, run, draft.empty() ? engine::LogitsOf::last_token : engine::LogitsOf::all_tokens);
    look_at(greedy, rows, n_vocab, 1 + n_accepted);
    cache.truncate(n_before + 1 + n_accepted);
    drafting.record(n_drafted, n_accepted, Clock::now() - pass_begin);
    for (int i = 0; i < n_accepted; ++i) drafting.add(rest[static_cast<std::size_t>(i)]);
    count(result, drafting.source(), n_drafted, n_accepted);
    at += 1 + static_cast<std::size_t>(n_accepted);
  }
  result.time = Clock::now() - begin;
  result.processor = std::chrono::duration<double>(
      static_cast<double>(std::clock() - processor_begin) / CLOCKS_PER_SEC);
  inference.model().gguf.check();
  return result;
}

}  // namespace confab::app
