// SPDX-License-Identifier: MIT
#include "app/screen/status_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/figures.h"
#include "app/screen/answer_progress.h"
#include "ui/meter.h"

namespace confab::app {
namespace {

using ui::Role;
using ui::StatusPart;

constexpr ui::Cols kMeter{8};

// The order in which parts leave a narrow line: the last stays longest, so that what the program
// does by itself is always visible.
enum Weight {
  kMemory,
  kCached,
  kPasses,
  kSpeed,
  kTrouble,
  kWaiting,
  kContext,
  kGivenUp,
  kWork,
};

// The current work, or the speed of the last answer.
void add_work(std::vector<StatusPart>& parts, const StatusInput& input) {
  const AnswerProgress& progress = input.progress;
  if (const auto reading = reading_text(progress, input.now, kMeter))
    return parts.push_back({*reading, Role::status_accent, kWork});
  const auto& last = input.chat.last();
  const double speed = last                       ? last->stats.decode_tps()
                       : !input.chat.generating() ? 0
                       : input.speed > 0          ? input.speed
                                                  : progress.tokens_per_second(input.now);
  if (speed > 0) parts.push_back({fmt::format("{:.1f} tok/s", speed), Role::status_accent, kSpeed});
  const double per_pass = last                      ? last->stats.tokens_per_pass()
                          : input.chat.generating() ? progress.tokens_per_pass()
                                                    : 0;
  if (is_worth_telling(per_pass))
    parts.push_back({fmt::format("{:.1f} tok/pass", per_pass), Role::status_accent, kPasses});
}

StatusPart context(const Chat& chat) {
  const int used = chat.n_ctx_used(), size = chat.model_info().n_ctx;
  const char* about = chat.model_info().estimates_tokens ? "~" : "";
  return {fmt::format("{} {}{}/{} ctx", ui::meter(used, size, kMeter), about, grouped(used),
                      grouped(size)),
          ui::meter_role(used, size), kContext};
}

// Whole MiB, because tenths would change all the time.
std::string resident_text(std::int64_t bytes) {
  constexpr double kMiB = 1 << 20;
  if (bytes >= 1 << 30) return size_text(static_cast<std::uint64_t>(bytes));
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / kMiB);
}

}  // namespace

ui::StatusBar status_line(const StatusInput& input) {
  ui::StatusBar bar;
  if (input.incognito) bar.left.push_back({"incognito", Role::status_accent});
  const engine::ModelInfo& model = input.chat.model_info();
  if (!model.place.empty() && !model.is_on_this_machine)
    bar.left.push_back({"sent to " + model.place, Role::warning});
  bar.left.push_back({model.name});
  if (!model.device.empty()) bar.left.push_back({"on " + model.device});
  if (input.n_queued > 0)
    bar.right.push_back({fmt::format("{} waiting", input.n_queued), Role::status, kWaiting});
  if (!input.machine.trouble.empty())
    bar.right.push_back({input.machine.trouble, Role::warning, kTrouble});
  if (!input.given_up.empty())
    bar.right.push_back({std::string(input.given_up), Role::warning, kGivenUp});
  add_work(bar.right, input);
  bar.right.push_back(context(input.chat));
  if (input.chat.last() && input.chat.last()->stats.n_cached > 0)
    bar.right.push_back({fmt::format("{} cached", grouped(input.chat.last()->stats.n_cached)),
                         Role::status, kCached});
  if (!model.place.empty()) return bar;  // the model's memory is on another machine
  if (input.unloaded)
    bar.right.push_back({"unloaded", Role::status, kTrouble});
  else if (input.machine.memory_bytes > 0)
    bar.right.push_back({resident_text(input.machine.memory_bytes), Role::status, kMemory});
  return bar;
}

std::vector<std::string> key_line(const KeyState& state) {
  if (state.focused) return {"Esc back", "y copy", "↑↓ messages", "←→ parts", "/ search", "? keys"};
  if (state.choosing) return {"Enter choose", "↑↓ move", "Tab complete", "Esc close"};
  if (state.generating && state.written) return {"Enter queue", "Esc stop"};
  if (state.generating && state.several)
    return {"Esc stop all", "←→ other answer", "Del stop this one", "type to queue"};
  if (state.generating && state.waiting) return {"Esc stop", "↑ edit the queue", "type to queue"};
  if (state.generating) return {"Esc stop", "type to queue"};
  if (state.editing) return {"Enter ask this instead", "Ctrl+C cancel"};
  if (state.written) return {"Enter send", "Ctrl+J new line", "@ files", "Ctrl+G editor"};
  return {"Enter send", "/ commands", "@ files", "Tab messages", "? keys"};
}

namespace {

using engine::platform::PressureSample;

constexpr std::chrono::seconds kInterval{2};
constexpr std::int64_t kManyPages = 500;  // per interval: 2 MB with small pages
constexpr double kMuchOfOthers = 0.25;    // of all cores

}  // namespace

std::string trouble_between(const PressureSample& before, const PressureSample& after,
                            double cached) {
  if (after.swapped_pages - before.swapped_pages > kManyPages) return "slow: swapping";
  if (after.major_faults - before.major_faults > kManyPages)
    return fmt::format("model {:.0f} % on disk: close programs", std::max(1.0, 100 * (1 - cached)));
  const auto all = static_cast<double>(after.all_ticks - before.all_ticks);
  const auto own = static_cast<double>(after.own_ticks - before.own_ticks);
  const auto busy = static_cast<double>(after.busy_ticks - before.busy_ticks);
  if (all > 0 && (busy - own) / all > kMuchOfOthers)
    return fmt::format("slow: other programs {:.0f} %", 100 * (busy - own) / all);
  return {};
}

const MachineState& MachineWatch::look(const std::filesystem::path& weights, bool generating,
                                       Clock::time_point now) {
  const bool goes_on = std::exchange(generating_, generating) == generating;
  if (before_ && goes_on && now - looked_ < kInterval) return state_;
  const PressureSample sample = engine::platform::sample_pressure();
  state_.memory_bytes = sample.resident_bytes;
  state_.trouble.clear();
  if (generating && goes_on && before_) {
    const bool reads = sample.major_faults - before_->major_faults > kManyPages;
    const double cached = reads ? engine::platform::cached_share(weights) : 1;
    state_.trouble = trouble_between(*before_, sample, cached);
  }
  before_ = sample;
  looked_ = now;
  return state_;
}

}  // namespace confab::app
