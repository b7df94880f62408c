// SPDX-License-Identifier: MIT
// Models of which the processor has some layers and whatever plays the graphics processor here the
// rest, against those that the processor runs alone.
#include "engine/gpu/split_decoder.h"

#include <gtest/gtest.h>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/gpu/logits_of.h"
#include "tests/engine/gpu/split.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(SplitDecoderTest, CutGoldenCasesMeetTheBar) {
  CONFAB_NEEDS_GPU();
  int n_cases = 0;
  for (const GoldenCase& golden : golden_cases()) {
    const Model model = load_bare_model(golden.model());
    const int n_layer = model.hparams.n_layer;
    if (!gpu_refusal(model, Dtype::F32, Dtype::F32).empty() || n_layer > 12) continue;
    const GoldenRun run = golden.runs().front();
    const int n = ++n_cases % 2 == 0 ? 1 : n_layer - 1;
    if (n == n_layer || n == 0 || !can_part(model.hparams, n)) continue;
    Split split(model, n, run.n_ctx);
    EXPECT_EQ(split.decoder.n_layer(), n_layer);
    const std::vector<float> got = logits_of(split.decoder, golden.tokens(), {40, 8});
    EXPECT_LE(difference(std::span(got), std::span(run.logits)).nmse, 5e-4)
        << golden.name << ' ' << n;
  }
  EXPECT_GT(n_cases, 10);
}

TEST(SplitDecoderTest, APassThatIsStoppedChangesNothing) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.n_layer = 3});
  const Model model = load_bare_model(file.path());
  const std::vector<Token> tokens = some_tokens(29, 5);
  Split split(model, 1);
  const auto sequence = split.decoder.make_sequence();
  const auto run = [&](std::span<const Token> some, bool goes_on) {
    const SequenceRun one{sequence.get(), some, LogitsOf::last_token};
    return split.decoder.run({&one, 1}, [goes_on](int) { return goes_on; });
  };
  EXPECT_TRUE(split.decoder.can_stop());
  EXPECT_EQ(run(std::span(tokens).first(20), true), RunEnd::done);
  EXPECT_EQ(run(std::span(tokens).subspan(20), false), RunEnd::stopped);
  EXPECT_EQ(sequence->n_tokens(), 20);
  EXPECT_EQ(run(std::span(tokens).subspan(20), true), RunEnd::done);
  EXPECT_EQ(sequence->n_tokens(), 29);
}

}  // namespace
}  // namespace confab::engine
