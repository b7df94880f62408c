// SPDX-License-Identifier: MIT
#include "app/screen/work_line.h"

#include <fmt/format.h>

#include "app/chat/report.h"
#include "app/figures.h"
#include "ui/meter.h"

namespace confab::app {
namespace {

constexpr ui::Cols kMeter{12};
constexpr const char* kStop = "Esc stop";

std::string reading(const engine::PrefillProgress& prefill,
                    std::optional<std::chrono::seconds> left) {
  const std::string text = fmt::format("{} {}", ui::meter(prefill.n_done, prefill.n_prompt, kMeter),
                                       progress_text(prefill));
  return left ? fmt::format("{}, {} left", text, time_text(*left)) : text;
}

}  // namespace

std::string work_line(const AnswerProgress& progress, AnswerProgress::Clock::time_point now) {
  const std::string time = time_text(progress.elapsed(now));
  if (progress.load())
    return fmt::format("{} · {} · {}", progress_text(*progress.load()), time, kStop);
  if (progress.prefill())
    return fmt::format("{} · {} · {}", reading(*progress.prefill(), progress.time_left(now)), time,
                       kStop);
  if (progress.n_generated() == 0) return fmt::format("● {} · {}", time, kStop);
  std::string text = fmt::format("● {} · {}", time, counted(progress.n_generated(), "token"));
  if (const double speed = progress.tokens_per_second(now); speed > 0)
    text += fmt::format(" · {:.1f} tok/s", speed);
  return fmt::format("{} · {}", text, kStop);
}

std::string done_line(const engine::GenerateStats& stats) {
  const std::chrono::duration<double> time = stats.ttft + stats.decode;
  const std::string speed =
      stats.decode_tps() > 0 ? fmt::format(", {:.1f} tok/s", stats.decode_tps()) : "";
  return fmt::format("✓ {} in {:.1f} s{}", counted(stats.n_generated, "token"), time.count(),
                     speed);
}

}  // namespace confab::app
