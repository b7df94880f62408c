// SPDX-License-Identifier: MIT
// Drafts where layers are recurrent: whatever was run and forgotten, a sequence goes on as one that
// was never given more than what is left, to the bit.
#include <gtest/gtest.h>

#include <deque>
#include <tuple>
#include <utility>

#include "engine/cpu/cpu_decoder.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

constexpr int kContext = 400, kBatch = 64, kInFlight = 16;
constexpr auto kGoOn = [](int) { return true; };

std::vector<float> copy(std::span<const float> rows) {
  return {rows.begin(), rows.end()};
}

// A sequence and the tokens that it should have.
struct Known {
  std::unique_ptr<Sequence> sequence;
  std::vector<Token> tokens = {};

  int n_tokens() const { return static_cast<int>(tokens.size()); }
  // Returns whether all that was to be left is.
  bool truncate(int n) {
    const int n_left = sequence->truncate(n);
    tokens.resize(static_cast<std::size_t>(n_left));
    return n_left == n;
  }
};

struct Piece {
  Known* known;
  std::vector<Token> tokens;
  LogitsOf wanted;
};

// The second with key heads that stand side by side, experts, matrices of Q8_0, and a delta net as
// the last layer.
const TinyModelOptions kShapes[] = {{.architecture = "qwen35"},
                                    {.architecture = "qwen3next",
                                     .n_layer = 3,
                                     .quantised = true,
                                     .n_expert = 4,
                                     .n_ff_shared = 32}};

using Param = std::tuple<const kernels::KernelTable*, int>;  // and a shape
class DeltaNetDraftTest : public testing::TestWithParam<Param> {
 protected:
  std::unique_ptr<CpuDecoder> decoder(int max_in_flight) {
    return std::make_unique<CpuDecoder>(
        model, *std::get<0>(GetParam()), pool,
        CpuDecoder::Options{.n_ctx = kContext,
                            .n_pages = 64,
                            .max_in_flight = max_in_flight,
                            .forward = {.n_batch = kBatch, .n_logits = kBatch}});
  }
  Known begin() { return {drafting->make_sequence()}; }
  static Known fork(const Known& known, int n) {
    Known other{known.sequence->fork(n), known.tokens};
    other.tokens.resize(static_cast<std::size_t>(other.sequence->n_tokens()));
    return other;
  }
  // One pass; the logits of the first piece.
  std::vector<float> run(const std::vector<Piece>& pieces) {
    std::vector<SequenceRun> runs;
    for (const Piece& piece : pieces)
      runs.push_back({piece.known->sequence.get(), piece.tokens, piece.wanted});
    EXPECT_EQ(drafting->run(runs, kGoOn), RunEnd::done);
    for (const Piece& piece : pieces)
      piece.known->tokens.insert(piece.known->tokens.end(), piece.tokens.begin(),
                                 piece.tokens.end());
    return copy(drafting->logits(0));
  }
  // What follows `next` in a sequence that has seen but these tokens, and read them at once.
  std::vector<float> expected(std::span<const Token> tokens, std::span<const Token> next) {
    const auto fresh = plain->make_sequence();
    while (!tokens.empty()) {
      const auto part = tokens.first(std::min<std::size_t>(kBatch, tokens.size()));
      const SequenceRun run{fresh.get(), part, LogitsOf::none};
      EXPECT_EQ(plain->run({&run, 1}, kGoOn), RunEnd::done);
      tokens = tokens.subspan(part.size());
    }
    const SequenceRun run{fresh.get(), next, LogitsOf::all_tokens};
    EXPECT_EQ(plain->run({&run, 1}, kGoOn), RunEnd::done);
    return copy(plain->logits(0));
  }
  // A fork of it goes on as it should.
  void expect_sound(const Known& known) {
    EXPECT_EQ(copied(known.sequence->tokens()), known.tokens);
    const std::vector<Token> next = some_tokens(2, static_cast<unsigned>(known.tokens.size()));
    Known other = fork(known, known.n_tokens());
    ASSERT_EQ(other.tokens, known.tokens);
    const std::vector<float> want = expected(known.tokens, next);
    EXPECT_TRUE(same_bits(run({{&other, next, LogitsOf::all_tokens}}), want));
  }
  static std::vector<Token> copied(std::span<const Token> tokens) {
    return {tokens.begin(), tokens.end()};
  }

  const TinyModelFile file{kShapes[std::get<1>(GetParam())]};
  const Model model = load_bare_model(file.path());
  kernels::ThreadPool pool{2};
  const std::unique_ptr<CpuDecoder> drafting = decoder(kInFlight), plain = decoder(0);
};

TEST_P(DeltaNetDraftTest, EveryNumberOfAcceptedTokensGoesOnAlike) {
  const std::vector<Token> prompt = some_tokens(40, 1), draft = some_tokens(kInFlight, 2);
  const std::vector<float> rows = expected(prompt, draft);
  for (int n_accepted = 0; n_accepted <= kInFlight; ++n_accepted) {
    SCOPED_TRACE(n_accepted);
    Known known = begin();
    run({{&known, prompt, LogitsOf::none}});
    EXPECT_TRUE(same_bits(run({{&known, draft, LogitsOf::all_tokens}}), rows));
    EXPECT_TRUE(known.truncate(40 + n_accepted));
    expect_sound(known);
    // Not the fork alone: the sequence itself goes on, with one token and with the next draft.
    const std::vector<Token> one = some_tokens(1, 3);
    const std::vector<float> want = expected(known.tokens, one);
    EXPECT_TRUE(same_bits(run({{&known, one, LogitsOf::last_token}}), want));
    const std::vector<float> want_draft = expected(known.tokens, draft);
    EXPECT_TRUE(same_bits(run({{&known, draft, LogitsOf::all_tokens}}), want_draft));
  }
}

TEST_P(DeltaNetDraftTest, WithoutRoomForADraftOnlyCheckpointsAreLeft) {
  const auto sequence = plain->make_sequence();
  const std::vector<Token> tokens = some_tokens(kInFlight, 2);
  const SequenceRun run{sequence.get(), tokens, LogitsOf::all_tokens};
  ASSERT_EQ(plain->run({&run, 1}, kGoOn), RunEnd::done);
  EXPECT_EQ(sequence->truncate(10), 0);
}

// Further back than the draft there is the last checkpoint, and from there the same text again.
TEST_P(DeltaNetDraftTest, ACutBeforeTheDraftGoesToACheckpoint) {
  Known known = begin();
  run({{&known, some_tokens(20, 1), LogitsOf::none}});
  known.sequence->checkpoint();
  run({{&known, some_tokens(9, 2), LogitsOf::last_token}});
  run({{&known, some_tokens(8, 3), LogitsOf::all_tokens}});
  EXPECT_TRUE(known.truncate(33));
  EXPECT_TRUE(known.truncate(29));
  expect_sound(known);
  EXPECT_EQ(fork(known, 28).n_tokens(), 20);
  EXPECT_FALSE(known.truncate(28));
  EXPECT_EQ(known.n_tokens(), 20);
  expect_sound(known);
  run({{&known, some_tokens(5, 4), LogitsOf::last_token}});
  expect_sound(known);
  // A checkpoint while a draft is in flight is one of what was before it.
  run({{&known, some_tokens(8, 3), LogitsOf::all_tokens}});
  known.sequence->checkpoint();
  run({{&known, some_tokens(3, 5), LogitsOf::last_token}});
  EXPECT_FALSE(known.truncate(30));
  EXPECT_EQ(known.n_tokens(), 25);
  expect_sound(known);
}

// A draft longer than there is room for is as any other run.
TEST_P(DeltaNetDraftTest, ARunThatIsTooLongIsNotForgottenInPart) {
  Known known = begin();
  run({{&known, some_tokens(kInFlight + 1, 1), LogitsOf::all_tokens}});
  expect_sound(known);
  EXPECT_FALSE(known.truncate(kInFlight));
  EXPECT_EQ(known.n_tokens(), 0);
  expect_sound(known);
}

// Runs of all kinds, alone and beside another, cut and forked at random.
class RandomSteps {
 public:
  RandomSteps(unsigned seed, Known first) : rng_(seed) { all_.push_back(std::move(first)); }

  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  // One of the sequences, or two.
  std::vector<Piece> pieces() {
    const std::size_t at = rng_() % all_.size();
    std::vector<Piece> pieces{piece(all_[at])};
    if (all_.size() > 1 && below(2) == 0) pieces.push_back(piece(all_[(at + 1) % all_.size()]));
    return pieces;
  }
  void cut(Known& known, int n_before, bool in_flight) {
    if (below(2) == 0) {
      const int n_kept = below(known.n_tokens() - n_before + 1);
      const bool exact = known.truncate(n_before + n_kept) &&
                         (!in_flight || known.truncate(n_before + below(n_kept + 1)));
      EXPECT_TRUE(exact || !in_flight);
    }
    if (below(8) == 0) known.truncate(below(known.n_tokens() + 1));
    if (below(4) == 0) known.sequence->checkpoint();
  }
  void fork(const Known& known, int n_before) {
    if (all_.size() == 6 || below(4) != 0) return;
    Known other{known.sequence->fork(n_before + below(known.n_tokens() - n_before + 1)),
                known.tokens};
    other.tokens.resize(static_cast<std::size_t>(other.sequence->n_tokens()));
    all_.push_back(std::move(other));
  }
  const std::deque<Known>& all() const { return all_; }

 private:
  Piece piece(Known& known) {
    if (known.n_tokens() > 250) known.truncate(below(200));
    constexpr LogitsOf kWanted[] = {LogitsOf::none, LogitsOf::last_token, LogitsOf::all_tokens,
                                    LogitsOf::all_tokens};
    const int n = 1 + below(below(4) == 0 ? 24 : kInFlight);
    return {&known, some_tokens(n, static_cast<unsigned>(rng_())), kWanted[below(4)]};
  }

  std::mt19937 rng_;
  std::deque<Known> all_;
};

TEST_P(DeltaNetDraftTest, RandomRunsAndCutsLeaveWhatARunOfTheRestDoes) {
  for (const unsigned seed : {1U, 2U}) {
    RandomSteps steps(seed, begin());
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", step " << step);
      const std::vector<Piece> pieces = steps.pieces();
      Known& known = *pieces[0].known;
      const int n_before = known.n_tokens(), n = static_cast<int>(pieces[0].tokens.size());
      run(pieces);
      steps.fork(known, n_before);
      steps.cut(known, n_before, pieces[0].wanted == LogitsOf::all_tokens && n <= kInFlight);
      expect_sound(known);
      expect_sound(steps.all().back());
    }
  }
}

std::string param_name(const testing::TestParamInfo<Param>& param) {
  const auto& [table, shape] = param.param;
  return std::string(kernels::name(table->isa)) + "_" + kShapes[shape].architecture;
}
INSTANTIATE_TEST_SUITE_P(, DeltaNetDraftTest, testing::Combine(all_tables(), testing::Range(0, 2)),
                         param_name);

}  // namespace
}  // namespace confab::engine
