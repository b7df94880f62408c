// SPDX-License-Identifier: MIT
#include "app/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ui/words.h"

namespace confab::app {
namespace {

constexpr float kLeast = -1;  // as in llama.cpp: the model's own value
constexpr float kMost = 1e9F;

template <auto Member>
constexpr NumberValue number() {
  return {place<&ChatOptions::model, &ModelOptions::rope, Member>, kLeast, kMost};
}

// The rotation of positions, which takes a model beyond the length that it was trained for:
// engine/model/rope_options.h.
constexpr auto kRopeOptions = std::to_array<Option>({
    {.key = "rope_scaling",
     .flag = "--rope-scaling",
     .value_name = "TYPE",
     .help = "How RoPE is scaled to go beyond the length that the model was trained for",
     .value =
         RopeScalingValue{
             place<&ChatOptions::model, &ModelOptions::rope, &engine::RopeOptions::scaling>},
     .group = OptionGroup::context,
     .unset = "the model's"},
    {.key = "rope_scale",
     .flag = "--rope-scale",
     .value_name = "N",
     .help = "Factor by which the context grows by RoPE scaling",
     .value = number<&engine::RopeOptions::scale>(),
     .group = OptionGroup::context,
     .unset = "the model's",
     .instead_of = "rope_freq_scale"},
    {.key = "rope_freq_base",
     .flag = "--rope-freq-base",
     .value_name = "N",
     .help = "Base of RoPE's frequencies, for NTK-aware scaling",
     .value = number<&engine::RopeOptions::freq_base>(),
     .group = OptionGroup::context,
     .unset = "the model's"},
    {.key = "rope_freq_scale",
     .flag = "--rope-freq-scale",
     .value_name = "N",
     .help = "Factor of RoPE's frequencies: the inverse of --rope-scale",
     .value = number<&engine::RopeOptions::freq_scale>(),
     .group = OptionGroup::context,
     .unset = "the model's",
     .instead_of = "rope_scale"},
    {.key = "yarn_orig_ctx",
     .flag = "--yarn-orig-ctx",
     .value_name = "N",
     .help = "YaRN: tokens that the model was trained for",
     .value =
         CountValue{
             place<&ChatOptions::model, &ModelOptions::rope, &engine::RopeOptions::yarn_orig_ctx>,
             0, kMaxContext},
     .group = OptionGroup::context,
     .unset = "the model's"},
    {.key = "yarn_ext_factor",
     .flag = "--yarn-ext-factor",
     .value_name = "N",
     .help = "YaRN: share of extrapolation; 0 is interpolation alone",
     .value = number<&engine::RopeOptions::yarn_ext_factor>(),
     .group = OptionGroup::context,
     .unset = "1 for yarn"},
    {.key = "yarn_attn_factor",
     .flag = "--yarn-attn-factor",
     .value_name = "N",
     .help = "YaRN: factor of the magnitude of attention",
     .value = number<&engine::RopeOptions::yarn_attn_factor>(),
     .group = OptionGroup::context,
     .unset = "1"},
    {.key = "yarn_beta_slow",
     .flag = "--yarn-beta-slow",
     .value_name = "N",
     .help = "YaRN: turns below which a frequency is interpolated alone",
     .value = number<&engine::RopeOptions::yarn_beta_slow>(),
     .group = OptionGroup::context,
     .unset = "1, or the model's"},
    {.key = "yarn_beta_fast",
     .flag = "--yarn-beta-fast",
     .value_name = "N",
     .help = "YaRN: turns above which a frequency stays as it is",
     .value = number<&engine::RopeOptions::yarn_beta_fast>(),
     .group = OptionGroup::context,
     .unset = "32, or the model's"},
});

constexpr int kMaxBatch = 8192;  // tokens

constexpr auto kChatOptions = std::to_array<Option>({
    {.key = "plain",
     .flag = "--plain",
     .help = "Print to the scrollback instead of using the full screen",
     .value = SwitchValue{place<&ChatOptions::plain>},
     .group = OptionGroup::chat},
    {.key = "mouse",
     .flag = "--mouse",
     .help = "Scroll with the mouse wheel, choose with a click (to select text, hold Shift)",
     .value = SwitchValue{place<&ChatOptions::mouse>},
     .group = OptionGroup::chat},
    {.key = "incognito",
     .flag = "--incognito",
     .help = "Write nothing to disk: no conversation, no cache, no history",
     .value = SwitchValue{place<&ChatOptions::save>, true},
     .group = OptionGroup::chat},
    {.key = "stats",
     .flag = "--stats",
     .help = "With -p: print statistics as JSON on standard error",
     .value = SwitchValue{place<&ChatOptions::stats>},
     .group = OptionGroup::chat},
    {.key = "escape",
     .flag = "-e,--escape",
     .help = "Read \\n, \\r, \\t, \\', \\\", \\\\ and \\xHH in the question and in -r as the "
             "characters they stand for",
     .value = SwitchValue{place<&ChatOptions::escape>},
     .group = OptionGroup::chat},
    {.key = "system",
     .flag = "--system",
     .also = "-sys --system-prompt",
     .value_name = "TEXT",
     .help = "System prompt",
     .value = TextValue{place<&ChatOptions::system>},
     .group = OptionGroup::chat,
     .command = "/system",
     .instead_of = "system_file"},
    {.key = "system_file",
     .flag = "--system-file",
     .also = "-sysf --system-prompt-file",
     .value_name = "FILE",
     .help = "File with the system prompt",
     .value = TextValue{place<&ChatOptions::system_file>},
     .group = OptionGroup::chat,
     .instead_of = "system"},
    {.key = "theme",
     .flag = "--theme",
     .value_name = "THEME",
     .help = "Name of a theme, or a TOML file",
     .value = TextValue{place<&ChatOptions::theme>},
     .group = OptionGroup::chat,
     .unset = "one that suits the terminal",
     .command = "/theme"},
    {.key = "thinking",
     .flag = "--reasoning",
     .also = "-rea",
     .value_name = "WHEN",
     .help = "Whether to reason before answering, for models that can",
     .value = OnOffAutoValue{place<&ChatOptions::thinking>},
     .group = OptionGroup::chat,
     .unset = "as the model's template has it",
     .command = "/think"},
    {.key = "route",
     .flag = "--route",
     .value_name = "NAME|auto|rules|off",
     .help = "Ask with a template: NAME, or that of the kind of question, as rules tell it (auto: "
             "in doubt the model)",
     .value = TextValue{place<&ChatOptions::route>},
     .group = OptionGroup::chat,
     .command = "/route"},
    {.key = "overflow",
     .flag = "--overflow",
     .value_name = "WHAT",
     .help = "When the context is full, in the chat: let the oldest questions go (shift), put a "
             "note in their place (summarise), or ask (stop); with -p, where files do not fit: "
             "fail (error), ask about pieces and merge the answers (split), or leave out the "
             "middle of the longest (truncate)",
     .value = OverflowValue{place<&ChatOptions::overflow>},
     .group = OptionGroup::chat,
     .unset = "shift; with -p error",
     .command = "/overflow"},
    {.key = "keep",
     .flag = "--keep",
     .value_name = "N",
     .help = "When the oldest questions go: the ones within the first N tokens stay (-1: the first "
             "one)",
     .value = CountValue{place<&ChatOptions::keep>, -1, kMaxContext},
     .group = OptionGroup::chat},
    {.key = "reverse_prompt",
     .flag = "-r,--reverse-prompt",
     .value_name = "TEXT",
     .help = "End the answer where it says TEXT; can be given several times",
     .value = TextsValue{place<&ChatOptions::stop>},
     .group = OptionGroup::chat,
     .set_name = "stop"},
    {.key = "chat_template",
     .flag = "--chat-template",
     .value_name = "NAME|TEXT",
     .help = "Chat template: the name of one that confab has, or Jinja",
     .value = TextValue{place<&ChatOptions::model, &ModelOptions::chat_template>},
     .group = OptionGroup::chat,
     .unset = "the model's",
     .instead_of = "chat_template_file"},
    {.key = "chat_template_file",
     .flag = "--chat-template-file",
     .value_name = "FILE",
     .help = "File with the chat template, in Jinja",
     .value = TextValue{place<&ChatOptions::model, &ModelOptions::chat_template_file>},
     .group = OptionGroup::chat,
     .instead_of = "chat_template"},
});

constexpr auto kModelOptions = std::to_array<Option>({
    {.key = "model",
     .flag = "-m,--model",
     .value_name = "MODEL",
     .help = "GGUF file, folder of a model, or a name",
     .value = TextValue{place<&ChatOptions::model, &ModelOptions::path>},
     .group = OptionGroup::model,
     .unset = "the bundled demo model",
     .command = "/model"},
    {.key = "threads",
     .flag = "-t,--threads",
     .value_name = "N",
     .help = "Number of threads",
     .value = CountValue{place<&ChatOptions::model, &ModelOptions::n_threads>, 1, kMaxThreads, -1},
     .group = OptionGroup::model,
     .unset = "all cores"},
    {.key = "device",
     .flag = "--device",
     .also = "-dev",
     .value_name = "DEVICE",
     .help = "What the model runs on: cpu, a graphics processor (vulkan, or vulkan:N as confab "
             "devices lists them), or the faster one (auto)",
     .value = DeviceValue{place<&ChatOptions::model, &ModelOptions::device>},
     .group = OptionGroup::model},
    {.key = "ctx_size",
     .flag = "-c,--ctx-size",
     .value_name = "N",
     .help = "Context size in tokens",
     .value = CountValue{place<&ChatOptions::model, &ModelOptions::n_ctx>, 1, kMaxContext, 0},
     .group = OptionGroup::context,
     .unset = "the model's limit, at most 8192, and what memory holds"},
    {.key = "force",
     .flag = "--force",
     .help = "Load a model also when it does not fit into memory",
     .value = SwitchValue{place<&ChatOptions::model, &ModelOptions::force>},
     .group = OptionGroup::context},
    {.key = "batch",
     .flag = "-b,--batch",
     .also = "--batch-size",
     .value_name = "N",
     .help = "Tokens processed at once while reading a prompt",
     .value = CountValue{place<&ChatOptions::model, &ModelOptions::n_batch>, 1, kMaxBatch},
     .group = OptionGroup::context},
    {.key = "cache_type_k",
     .flag = "--cache-type-k",
     .also = "-ctk",
     .value_name = "KV_TYPE",
     .help = "Type of the keys in the KV cache",
     .value = CacheTypeValue{place<&ChatOptions::model, &ModelOptions::type_k>},
     .group = OptionGroup::context,
     .unset = "q8_0"},
    {.key = "cache_type_v",
     .flag = "--cache-type-v",
     .also = "-ctv",
     .value_name = "KV_TYPE",
     .help = "Type of the values in the KV cache",
     .value = CacheTypeValue{place<&ChatOptions::model, &ModelOptions::type_v>},
     .group = OptionGroup::context,
     .unset = "q8_0"},
    {.key = "unload_after",
     .flag = "--unload-after",
     .value_name = "MINUTES",
     .help = "In the full-screen chat: give back the model's memory after so many minutes without "
             "a key, until the next one (off: never)",
     .value = MinutesValue{place<&ChatOptions::unload_after>},
     .group = OptionGroup::model},
    {.key = "cache_max_gib",
     .flag = "--cache-max-gib",
     .value_name = "N",
     .help = "Maximum size of the prompt cache in GiB",
     .value = GibValue{place<&ChatOptions::cache_max_bytes>},
     .group = OptionGroup::cache,
     .unset = "a tenth of the disk, at most 8"},
});

constexpr auto kDraftOptions = std::to_array<Option>({
    {.key = "model_draft",
     .flag = "--model-draft",
     .also = "-md --spec-draft-model",
     .value_name = "MODEL",
     .help = "Small model with the same tokens that guesses the next ones; answers stay the same",
     .value =
         TextValue{place<&ChatOptions::model, &ModelOptions::draft, &engine::DraftOptions::path>},
     .group = OptionGroup::draft,
     .unset = "the bundled one for the bundled model"},
    {.key = "draft_max",
     .flag = "--draft-max",
     .also = "--draft --draft-n --spec-draft-n-max",
     .value_name = "N",
     .help = "Tokens that it guesses at once, at most",
     .value =
         CountValue{place<&ChatOptions::model, &ModelOptions::draft, &engine::DraftOptions::most>,
                    1, kMaxDraft},
     .group = OptionGroup::draft},
    {.key = "draft_min",
     .flag = "--draft-min",
     .also = "--draft-n-min --spec-draft-n-min",
     .value_name = "N",
     .help = "Tokens that it guesses at least, when it does",
     .value =
         CountValue{place<&ChatOptions::model, &ModelOptions::draft, &engine::DraftOptions::least>,
                    0, kMaxDraft},
     .group = OptionGroup::draft},
    {.key = "draft_p_min",
     .flag = "--draft-p-min",
     .also = "--spec-draft-p-min",
     .value_name = "P",
     .help = "Beyond these, it guesses only tokens that are at least so likely",
     .value =
         ShareValue{place<&ChatOptions::model, &ModelOptions::draft, &engine::DraftOptions::p_min>},
     .group = OptionGroup::draft},
    {.key = "draft",
     .flag = "--no-draft",
     .help = "No draft model, nor guesses of the model itself",
     .value = SwitchValue{place<&ChatOptions::model, &ModelOptions::drafts>},
     .group = OptionGroup::draft,
     .key_help = "Whether to use a draft model, or guesses of the model itself"},
    {.key = "lookup",
     .flag = "--no-lookup",
     .help = "Do not guess the next tokens from the context (answers are the same, only slower)",
     .value = SwitchValue{place<&ChatOptions::model, &ModelOptions::lookup>},
     .group = OptionGroup::draft,
     .key_help = "Whether to guess the next tokens from the context"},
});

std::vector<Option> all_options() {
  std::vector<Option> all(kModelOptions.begin(), kModelOptions.end());
  all.insert(all.end(), kRopeOptions.begin(), kRopeOptions.end());
  all.insert(all.end(), kChatOptions.begin(), kChatOptions.end());
  all.insert(all.end(), kDraftOptions.begin(), kDraftOptions.end());
  for (const Parameter& parameter : parameters())
    all.push_back({.key = parameter.key,
                   .flag = parameter.flag,
                   .also = parameter.also,
                   .value_name = parameter.value_name,
                   .help = parameter.help,
                   .value = &parameter,
                   .group = OptionGroup::sampling,
                   .unset = parameter.key == "seed" ? "random" : "",
                   .command = parameter.command});
  return all;
}

// Only texts and numbers have a second option that sets the same thing.
void take_back(const Option& option, ChatOptions& options) {
  if (const auto* number = std::get_if<NumberValue>(&option.value))
    number->of(options).reset();
  else
    std::get<TextValue>(option.value).of(options).clear();
  options.sources.erase(std::string(option.key));
}

}  // namespace

std::span<const Option> option_table() noexcept {
  static const std::vector<Option> kAll = all_options();
  return kAll;
}

const Option* find_option(std::string_view key) noexcept {
  const auto all = option_table();
  const auto found = std::ranges::find(all, key, &Option::key);
  return found == all.end() ? nullptr : &*found;
}

const Option* find_set_option(std::string_view name) noexcept {
  const auto all = option_table();
  const auto found = std::ranges::find_if(
      all, [&](const Option& option) { return !name.empty() && option.set_name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string long_flag(const Option& option) {
  return std::string(option.flag.substr(option.flag.find("--")));
}

std::string variable_of(const Option& option) {
  std::string name = "CONFAB_";
  for (const char c : option.key)
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

std::string name_for(const Option& option, Origin origin) {
  if (origin == Origin::command_line) return long_flag(option);
  return origin == Origin::environment ? variable_of(option) : std::string(option.key);
}

bool is_switch(const Option& option) noexcept {
  const auto* parameter = std::get_if<const Parameter*>(&option.value);
  return std::holds_alternative<SwitchValue>(option.value) ||
         (parameter != nullptr && is_switch(**parameter));
}

bool flag_negates(const Option& option) noexcept {
  return is_switch(option) && option.flag.starts_with("--no-");
}

std::string set_option(const Option& option, ChatOptions& options,
                       std::span<const std::string> texts, Source from) {
  const Option* other = option.instead_of.empty() ? nullptr : find_option(option.instead_of);
  if (other != nullptr && source_of(*other, options).origin == from.origin)
    return fmt::format("and {} cannot be used together: give one of them",
                       name_for(*other, from.origin));
  std::string fault = put_value(option.value, options, texts, from.origin);
  if (!fault.empty()) return fault;
  options.sources.insert_or_assign(std::string(option.key), from);
  if (other != nullptr) take_back(*other, options);
  return {};
}

Source source_of(const Option& option, const ChatOptions& options) {
  const auto found = options.sources.find(option.key);
  Source source = found == options.sources.end() ? Source{} : found->second;
  if (const auto* parameter = std::get_if<const Parameter*>(&option.value))
    source.origin = origin_of(**parameter, options);  // "default" undoes what was set
  return source;
}

std::string default_text(const Option& option) {
  if (!option.unset.empty()) return std::string(option.unset);
  const std::vector<std::string> texts = value_texts(option.value, {});
  return texts.empty() ? "" : texts.front();
}

std::string help_text(const Option& option) {
  const auto* parameter = std::get_if<const Parameter*>(&option.value);
  const bool is_known = is_switch(option) || (parameter != nullptr && option.unset.empty());
  const std::string by_default = is_known ? "" : default_text(option);
  std::string text = parameter != nullptr ? help_text(**parameter) : std::string(option.help);
  if (std::holds_alternative<CacheTypeValue>(option.value))
    text += fmt::format(": {}", range_text(option.value));
  if (!by_default.empty()) text += fmt::format(" (default: {})", by_default);
  return text;
}

}  // namespace confab::app
