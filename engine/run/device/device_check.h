// SPDX-License-Identifier: MIT
// Trial passes on a device: whether it computes a model as the processor does, which of the two
// writes and reads faster, and passes that warm the device up.
//
// Correctness is decided on the model's own first layers and output (first_of_each_kind()), by the
// median over a few rows of each kind of pass. A wrong program is wrong for all rows, while
// rounding now and then makes a router choose another expert for one row. Speed is measured on the
// whole model.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

class Decoder;

// Which part of the work a device does, while the processor does the rest: passes of prompts, or
// passes of answers.
enum class DeviceUse { none, all, prompts, answers };

struct DeviceCheck {
  // Error of the device's logits against the processor's, for the worst kind of pass; at most
  // kNotFinite.
  double nmse = 0;
  bool without_cores = false;  // correct only without the device's matrix cores
  // Speeds; all 0 if not measured.
  double device_seconds = 0;  // per token written
  double processor_seconds = 0;
  double device_prompt_seconds = 0;  // per token of a prompt; both 0 if not measured
  double processor_prompt_seconds = 0;
  bool shares_weights = false;  // both read the same memory; set by whoever made the device

  // A driver that computes wrongly is far above this limit, and rounding is far below it. In a
  // mixture, rounding can make a router choose another expert, which changes that token's row (with
  // eight experts, by 2.5e-2 on an H100).
  static constexpr double kMostNmse = 1e-2, kMostNmseOfMixture = 1e-1;
  static constexpr double kNotFinite = 1e30;
  bool is_right(bool is_mixture) const noexcept {
    return nmse <= (is_mixture ? kMostNmseOfMixture : kMostNmse);
  }
  bool has_speeds() const noexcept { return processor_seconds > 0; }

  // One side is clearly faster if the other takes this many times as long. The factor is larger
  // than the error of a few passes on a busy machine, and than the cost of handing over keys and
  // values (sides_decoder.h).
  static constexpr double kClearly = 1.25;
  // The best use of the device. If both share the weights and fit_both is true, each side does what
  // it is clearly faster at. Otherwise one side does everything: the one that clearly writes
  // faster, or else clearly reads faster, or else writes faster at all.
  DeviceUse best_use(bool fit_both) const noexcept;
};

// Both decoders passed to compare_decoders() need room for kCheckSequences sequences of up to
// kCheckPositions tokens, as many rows of logits, and passes of check_rows().
inline constexpr int kCheckSequences = 3, kCheckPositions = 160;
// Rows of the largest pass: enough for tiles of queries, matrix cores, and experts sorted by use.
int check_rows(int n_expert, int n_expert_used) noexcept;

// Returns the normalised mean squared error of the device's logits; see DeviceCheck::nmse. Both
// decoders must have the same model and n_ctx. Tokens are below n_tokens. on_pass is called before
// each pass; what it throws ends the check. Throws what the decoders throw.
double compare_decoders(Decoder& device, Decoder& processor, int n_tokens, int n_rows,
                        const std::function<void()>& on_pass = {});

// Measures the speeds for `check`, with the same whole model on both. Leaves out passes that are
// too long for a decoder. Ends early, after at least one pass, once the processor has taken two
// seconds. Throws what the decoders throw.
inline constexpr int kSpeedPrompt = 64;                 // tokens of the last pass
inline constexpr int kSpeedTokens = 18 + kSpeedPrompt;  // of all passes, at most
void measure_speeds(Decoder& device, Decoder& processor, int n_vocab, DeviceCheck& check);

// "measured, NAME reads 900 and writes 210 tokens a second, and the processor 80 and 15.2"; or only
// about writing.
std::string speeds_text(const DeviceCheck& check, std::string_view device);

// The form in which a store remembers a check. parse_check() returns nullopt if the text does not
// have it.
std::string check_text(const DeviceCheck& check);
std::optional<DeviceCheck> parse_check(std::string_view text);

// Warms a device up, so that the first question is answered as fast as the third: the driver
// compiles its programs for each size of pass, and the clocks rise. Runs passes in a temporary
// sequence, for about a third of a second on top of the driver's time. on_pass is called before
// each pass; what it throws ends the warm-up. Throws what the decoder throws.
void warm_up(Decoder& decoder, int n_vocab, const std::function<void()>& on_pass = {});

}  // namespace confab::engine
