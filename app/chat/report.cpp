// SPDX-License-Identifier: MIT
#include "app/chat/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/chat/convert.h"
#include "app/copy_watch.h"
#include "app/figures.h"
#include "engine/platform/memory.h"
#include "ui/text.h"

namespace confab::app {
namespace {

std::string_view reason_text(engine::FinishReason reason) {
  switch (reason) {
    case engine::FinishReason::end_of_turn:
      return "end of turn";
    case engine::FinishReason::stop_string:
      return "stop string";
    case engine::FinishReason::length:
      return "token limit";
    case engine::FinishReason::context_full:
      return "context full";
    case engine::FinishReason::cancelled:
      return "stopped";
  }
  return "";
}

// The last answer's figures, from this run or as saved.
std::optional<engine::GenerateStats> stats_of_last(const Chat& chat) {
  if (chat.last()) return chat.last()->stats;
  if (chat.generating() || chat.messages().empty() || !chat.messages().back().stats)
    return std::nullopt;
  return to_generate_stats(*chat.messages().back().stats);
}

}  // namespace

std::string progress_text(const engine::PrefillProgress& progress) {
  return fmt::format("reading {}/{}", grouped(progress.n_done), grouped(progress.n_prompt));
}

std::string progress_text(const engine::Waiting& waiting,
                          std::chrono::steady_clock::time_point now) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(waiting.until - now).count();
  return left > 0 ? fmt::format("{}; asking again in {} s", waiting.reason, left)
                  : fmt::format("{}; asking again", waiting.reason);
}
std::string progress_text(const engine::Waiting& waiting) {
  return progress_text(waiting, std::chrono::steady_clock::now());
}
std::string progress_text(const engine::LoadProgress& progress) {
  if (progress.is_copy) return copy_text(progress.bytes_done, progress.n_bytes);
  return fmt::format("first use of this model: {} %",
                     100 * progress.bytes_done / std::max<std::uint64_t>(1, progress.n_bytes));
}

std::string thoughts_label(std::string_view reasoning) {
  std::int64_t n_words = 0;
  bool in_word = false;
  for (const char c : reasoning) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    n_words += !space && !in_word ? 1 : 0;
    in_word = !space;
  }
  return "Thoughts: " + counted(n_words, "word");
}

std::string shown_question(const sessions::Message& question) {
  std::string text;
  for (const sessions::Attachment& file : question.attachments) {
    const std::string name = file.name == "-" ? "standard input" : file.name;
    text +=
        fmt::format("[{}, {} bytes]\n", name, grouped(static_cast<std::int64_t>(file.size_bytes)));
  }
  return text + question.content;
}

std::string attached_names(std::span<const sessions::Attachment> files) {
  std::string text;
  for (const sessions::Attachment& file : files)
    text += fmt::format("{}{}", text.empty() ? "attached: " : ", ", file.name);
  return text;
}

std::string answer_begin(const sessions::Message& answer) {
  constexpr ui::Cols kNotice{80};
  return ui::ellipsize(ui::sanitize(answer.content), kNotice);
}

std::string others_note(const Chat& chat, std::size_t n_answers, std::string_view how) {
  if (chat.messages().empty() || chat.messages().back().id == sessions::MessageId{})
    return fmt::format("{} answers were written; only this one can be shown: they are not saved.",
                       n_answers);
  return fmt::format("{} answers were written: {}.", n_answers, how);
}

namespace {

// How many tokens were drafted and accepted, by source if known; "" if none were drafted.
std::string describe_drafts(const engine::GenerateStats& stats) {
  if (stats.n_drafted == 0) return {};
  std::string sources;
  const auto add = [&sources](std::string_view how, const engine::DraftCount& count) {
    if (count.n_drafted > 0)
      sources += fmt::format("{}{} of {} {}", sources.empty() ? " (" : ", ",
                             grouped(count.n_accepted), grouped(count.n_drafted), how);
  };
  add("looked up", stats.by_lookup);
  add("by the draft model", stats.by_model);
  add("by the model's own heads", stats.by_heads);
  return fmt::format("\ndrafts   {} of {} tokens accepted{}{}; {:.2f} tokens per pass",
                     grouped(stats.n_accepted), grouped(stats.n_drafted), sources,
                     sources.empty() ? "" : ")", stats.tokens_per_pass());
}

std::string memory_line(const engine::platform::MemoryUse& use) {
  if (use.peak_bytes == 0) return {};
  return fmt::format("\nmemory   {} anonymous, {} mapped; {} at its peak",
                     size_text(use.anonymous_bytes), size_text(use.mapped_bytes),
                     size_text(use.peak_bytes));
}

std::string drafts_text(const engine::ModelInfo& model) {
  if (model.drafts_itself) return ", guesses tokens ahead itself";
  return model.draft.empty() ? "" : ", draft model " + model.draft;
}

std::string device_text(const engine::ModelInfo& model) {
  return model.device.empty() ? "" : ui::one_line(model.device) + ", beside it ";
}

// The device that runs the model, and why, if confab chose it.
std::string choice_line(const engine::ModelInfo& model) {
  if (model.device_reason.empty()) return {};
  return fmt::format("device   {}\n", device_choice_text(model));
}

std::string described_here(const engine::ModelInfo& model) {
  return fmt::format(
      "model    {} ({}, {:.1f} M parameters, {})\n"
      "engine   {}{}, {}, KV cache {}{}\n"
      "{}"
      "template {}",
      model.name, model.architecture, static_cast<double>(model.n_params) / 1e6,
      size_text(model.file_bytes), device_text(model), counted(model.n_threads, "thread"),
      model.isa, model.kv_types, drafts_text(model), choice_line(model), model.chat_template);
}

std::string described_elsewhere(const engine::ModelInfo& model) {
  return fmt::format("model    {}\nengine   {} at {}{}", model.name, model.architecture,
                     model.place, model.is_on_this_machine ? " (this machine)" : "");
}

}  // namespace

std::string device_choice_text(const engine::ModelInfo& model) {
  return fmt::format("{}: {}", model.device.empty() ? "the processor" : ui::one_line(model.device),
                     ui::one_line(model.device_reason));
}

std::string describe_stats(const Chat& chat) {
  const engine::ModelInfo& model = chat.model_info();
  std::string text = model.place.empty() ? described_here(model) : described_elsewhere(model);
  text += fmt::format("\ncontext  {}{} of {} tokens", model.estimates_tokens ? "about " : "",
                      grouped(chat.n_ctx_used()), grouped(model.n_ctx));
  if (model.place.empty()) text += memory_line(engine::platform::memory_use());
  const auto stats = stats_of_last(chat);
  if (!stats) return text + "\nno answer yet";
  const std::string end =
      chat.last() ? fmt::format("; ended by {}", reason_text(chat.last()->reason)) : "";
  return text + fmt::format(
                    "\nprompt   {} tokens, {} of them cached; {:.1f} tok/s\nanswer   {} tokens, "
                    "{:.1f} tok/s; first token after {:.0f} ms{}{}",
                    grouped(stats->n_prompt), grouped(stats->n_cached), stats->prefill_tps(),
                    grouped(stats->n_generated), stats->decode_tps(), stats->ttft.count() * 1e3,
                    end, describe_drafts(*stats));
}

}  // namespace confab::app
