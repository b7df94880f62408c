// SPDX-License-Identifier: MIT
// Passes that try a device out: whether it computes a model as the processor does, which of the two
// writes and reads faster, and those that make it ready.
//
// Right or wrong is decided on the model's own first layers and output (first_of_each_kind()), by
// the median of a few rows of each kind of pass: a program that is wrong is wrong for all rows,
// while rounding now and then makes a router choose another expert for one of them. Speed is
// measured on the whole model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

class Decoder;

// What of a model a device runs, beside a processor that runs the rest: passes of prompts, or those
// of answers.
enum class DeviceUse { none, all, prompts, answers };

struct DeviceCheck {
  // Of the device's logits against the processor's, the worst kind of pass; kNotFinite at most.
  double nmse = 0;
  bool without_cores = false;  // right only without the device's matrix cores
  // Speeds; all 0: not measured.
  double device_seconds = 0;  // of a token that is written
  double processor_seconds = 0;
  double device_prompt_seconds = 0;  // of a token of a prompt; 0, of both: it was not measured
  double processor_prompt_seconds = 0;
  bool shares_weights = false;  // both read the same memory; set by whoever made the device

  // A driver that computes wrongly goes far beyond this, and rounding stays far below. In a mixture
  // rounding can make a router choose another expert, which changes that token's row (one of eight
  // experts: by 2.5e-2 on an H100).
  static constexpr double kMostNmse = 1e-2, kMostNmseOfMixture = 1e-1;
  static constexpr double kNotFinite = 1e30;
  bool is_right(bool is_mixture) const noexcept {
    return nmse <= (is_mixture ? kMostNmseOfMixture : kMostNmse);
  }
  bool has_speeds() const noexcept { return processor_seconds > 0; }

  // One is clearly faster when the other takes so many times as long: more than few passes on a
  // machine that does something else meanwhile are off by, and than keys and values cost that are
  // handed over (sides_decoder.h).
  static constexpr double kClearly = 1.25;
  // What the device is best for. Where both share the weights, and fit_both, each runs what it is
  // clearly faster at. Else one runs all: who clearly writes faster, or else who clearly reads
  // faster, or else who writes faster.
  DeviceUse best_use(bool fit_both) const noexcept;
};

// What compare_decoders() needs of both: kCheckSequences sequences of at most kCheckPositions
// tokens, as many rows of logits, and passes of check_rows().
inline constexpr int kCheckSequences = 3, kCheckPositions = 160;
// Rows of the largest pass: enough for tiles of queries, matrix cores, and experts in their order.
int check_rows(int n_expert, int n_expert_used) noexcept;

// Both are of the same model and n_ctx. Tokens are below n_tokens. The normalised mean squared
// error of the device's logits, as DeviceCheck::nmse. on_pass is called before each pass; what it
// throws ends the check. Throws what the decoders throw.
double compare_decoders(Decoder& device, Decoder& processor, int n_tokens, int n_rows,
                        const std::function<void()>& on_pass = {});

// Sets the speeds of `check`, of the same whole model on both. Passes that are too long for a
// decoder are left out. Ends early, after at least one pass, when the processor has taken two
// seconds. Throws what they do.
inline constexpr int kSpeedPrompt = 64;                 // tokens of the last pass
inline constexpr int kSpeedTokens = 18 + kSpeedPrompt;  // in all, at most
void measure_speeds(Decoder& device, Decoder& processor, int n_vocab, DeviceCheck& check);

// "measured, NAME reads 900 and writes 210 tokens a second, and the processor 80 and 15.2"; or of
// writing alone.
std::string speeds_text(const DeviceCheck& check, std::string_view device);

// As a store remembers it; nullopt if the text is not one.
std::string check_text(const DeviceCheck& check);
std::optional<DeviceCheck> parse_check(std::string_view text);

// Makes a device ready, so that a first question is answered as fast as a third: its driver makes
// the programs of passes of each size, and its clocks rise. Runs passes in a sequence of their own,
// which is gone afterwards, for about a third of a second beside what the driver needs. on_pass is
// called before each; what it throws ends it. Throws what the decoder throws.
void warm_up(Decoder& decoder, int n_vocab, const std::function<void()>& on_pass = {});

}  // namespace confab::engine
