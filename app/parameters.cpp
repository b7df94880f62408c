// SPDX-License-Identifier: MIT
#include "app/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "app/parameter_notation.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using engine::SamplerParams;

constexpr int kMaxTokens = 16 << 20;
constexpr int kMaxKept = 1 << 20;
constexpr std::string_view kAllKept = "1048576";  // kMaxKept as text
constexpr double kLots = 1e6;

constexpr auto kParameters = std::to_array<Parameter>({
    {.name = "temperature",
     .aliases = "temp",
     .key = "temperature",
     .flag = "--temp",
     .help = "Temperature",
     .member = &SamplerParams::temperature,
     .range = {0, 100},
     .off = {{0, "greedy"}},
     .also = "--temperature",
     .gguf = "temp"},
    {.name = "top_p",
     .aliases = "top-p",
     .key = "top_p",
     .flag = "--top-p",
     .help = "Keep the likeliest tokens up to this total probability",
     .member = &SamplerParams::top_p,
     .range = {0, 1},
     .off = {{1}},
     .gguf = "top_p"},
    {.name = "min_p",
     .aliases = "min-p",
     .key = "min_p",
     .flag = "--min-p",
     .help = "Drop tokens below this share of the likeliest one's probability",
     .member = &SamplerParams::min_p,
     .range = {0, 1},
     .off = {{0}},
     .gguf = "min_p"},
    {.name = "repeat_penalty",
     .aliases = "repeat-penalty",
     .key = "repeat_penalty",
     .flag = "--repeat-penalty",
     .help = "Penalise recent tokens (divides their logits)",
     .member = &SamplerParams::repeat_penalty,
     .range = {0.01, 100},
     .off = {{1}},
     .gguf = "penalty_repeat"},
    {.name = "frequency_penalty",
     .aliases = "frequency-penalty",
     .key = "frequency_penalty",
     .flag = "--frequency-penalty",
     .help = "Penalise recent tokens by count (subtracted each time)",
     .member = &SamplerParams::frequency_penalty,
     .range = {-kLots, kLots},
     .off = {{0}}},
    {.name = "presence_penalty",
     .aliases = "presence-penalty",
     .key = "presence_penalty",
     .flag = "--presence-penalty",
     .help = "Penalise recent tokens once (subtracted once)",
     .member = &SamplerParams::presence_penalty,
     .range = {-kLots, kLots},
     .off = {{0}}},
    {.name = "top_k",
     .aliases = "top-k",
     .key = "top_k",
     .flag = "--top-k",
     .help = "Keep the N likeliest tokens",
     .member = &SamplerParams::top_k,
     .range = {0, kMaxKept},
     .same = {"-1", "0"},
     .off = {{0}},
     .gguf = "top_k"},
    {.name = "repeat_last_n",
     .aliases = "repeat-last-n",
     .key = "repeat_last_n",
     .flag = "--repeat-last-n",
     .help = "Number of recent tokens to penalise",
     .member = &SamplerParams::repeat_last_n,
     .range = {0, kMaxKept},
     .same = {"-1", kAllKept},
     .off = {{0}},
     .gguf = "penalty_last_n"},
    {.name = "samplers",
     .aliases = "",
     .key = "samplers",
     .flag = "--samplers",
     .help = "Samplers to use, in this order; what is not named is not used",
     .member = &SamplerParams::samplers,
     .value_name = "NAMES",
     .gguf = "sequence"},
    {.name = "typical_p",
     .aliases = "typical typical-p typ_p",
     .key = "typical_p",
     .flag = "--typical",
     .help = "Keep the tokens whose surprise is nearest to the usual, up to this probability",
     .member = &SamplerParams::typical_p,
     .range = {0, 1},
     .off = {{1}},
     .also = "--typical-p"},
    {.name = "xtc_probability",
     .aliases = "xtc-probability",
     .key = "xtc_probability",
     .flag = "--xtc-probability",
     .help = "How often the top choices are excluded",
     .member = &SamplerParams::xtc_probability,
     .range = {0, 1},
     .off = {{0}},
     .gguf = "xtc_probability"},
    {.name = "xtc_threshold",
     .aliases = "xtc-threshold",
     .key = "xtc_threshold",
     .flag = "--xtc-threshold",
     .help = "From which probability on a token is a top choice; above 0.5, none is",
     .member = &SamplerParams::xtc_threshold,
     .range = {0, 1},
     .gguf = "xtc_threshold"},
    {.name = "top_n_sigma",
     .aliases = "top-n-sigma top-nsigma",
     .key = "top_n_sigma",
     .flag = "--top-nsigma",
     .help = "Drop logits more than N standard deviations below the best",
     .member = &SamplerParams::top_n_sigma,
     .range = {-1, 100},
     .off = {{-1}},
     .also = "--top-n-sigma"},
    {.name = "dynatemp_range",
     .aliases = "dynatemp-range",
     .key = "dynatemp_range",
     .flag = "--dynatemp-range",
     .help = "How far the temperature goes down where the model is sure, and up where it is not",
     .member = &SamplerParams::dynatemp_range,
     .range = {0, 100},
     .off = {{0}}},
    {.name = "dynatemp_exponent",
     .aliases = "dynatemp-exp dynatemp_exp",
     .key = "dynatemp_exponent",
     .flag = "--dynatemp-exp",
     .help = "Power of the entropy that this temperature follows",
     .member = &SamplerParams::dynatemp_exponent,
     .range = {0, 100}},
    {.name = "mirostat",
     .aliases = "",
     .key = "mirostat",
     .flag = "--mirostat",
     .help = "Version of Mirostat, which chooses how many tokens to keep instead of other filters",
     .member = &SamplerParams::mirostat,
     .range = {0, 2},
     .off = {{0}},
     .gguf = "mirostat"},
    {.name = "mirostat_tau",
     .aliases = "mirostat-ent mirostat_ent",
     .key = "mirostat_tau",
     .flag = "--mirostat-ent",
     .help = "Surprise that Mirostat aims at, in bits a token",
     .member = &SamplerParams::mirostat_tau,
     .range = {0, 100},
     .gguf = "mirostat_tau"},
    {.name = "mirostat_eta",
     .aliases = "mirostat-lr mirostat_lr",
     .key = "mirostat_eta",
     .flag = "--mirostat-lr",
     .help = "How fast Mirostat learns",
     .member = &SamplerParams::mirostat_eta,
     .range = {0, 100},
     .gguf = "mirostat_eta"},
    {.name = "dry_multiplier",
     .aliases = "dry-multiplier",
     .key = "dry_multiplier",
     .flag = "--dry-multiplier",
     .help = "Penalise tokens that make a repetition longer (DRY)",
     .member = &SamplerParams::dry_multiplier,
     .range = {0, kLots},
     .off = {{0}}},
    {.name = "dry_base",
     .aliases = "dry-base",
     .key = "dry_base",
     .flag = "--dry-base",
     .help = "By how much that penalty grows with each repeated token",
     .member = &SamplerParams::dry_base,
     .range = {1, 100}},
    {.name = "dry_allowed_length",
     .aliases = "dry-allowed-length",
     .key = "dry_allowed_length",
     .flag = "--dry-allowed-length",
     .help = "From how many repeated tokens on DRY penalises",
     .member = &SamplerParams::dry_allowed_length,
     .range = {1, kMaxKept}},
    {.name = "dry_penalty_last_n",
     .aliases = "dry-penalty-last-n",
     .key = "dry_penalty_last_n",
     .flag = "--dry-penalty-last-n",
     .help = "Number of recent tokens that DRY looks at",
     .member = &SamplerParams::dry_penalty_last_n,
     .range = {0, kMaxKept},
     .off = {{0}}},
    {.name = "dry_sequence_breakers",
     .aliases = "dry-sequence-breaker dry_sequence_breaker",
     .key = "dry_sequence_breakers",
     .flag = "--dry-sequence-breaker",
     .help = "Text over which DRY sees no repetition, instead of the usual ones; repeatable",
     .member = &SamplerParams::dry_sequence_breakers,
     .value_name = "TEXT"},
    {.name = "logit_bias",
     .aliases = "logit-bias",
     .key = "logit_bias",
     .flag = "--logit-bias",
     .help = "Make a token (its number, or its text in double quotes) likelier or, with -, less "
             "likely; -inf: never; repeatable",
     .member = &SamplerParams::logit_bias,
     .value_name = "TOKEN+BIAS"},
    {.name = "ignore_eos",
     .aliases = "ignore-eos",
     .key = "ignore_eos",
     .flag = "--ignore-eos",
     .help = "Never end an answer before its maximum length",
     .member = &SamplerParams::ignore_eos,
     .value_name = ""},
    {.name = "seed",
     .aliases = "",
     .key = "seed",
     .flag = "-s,--seed",
     .help = "Random seed",
     .member = &SamplerParams::seed,
     .range = {0},
     .same = {"-1", "default"}},
    {.name = "num_predict",
     .aliases = "predict n",
     .key = "predict",
     .flag = "-n,--predict",
     .help = "Maximum length of an answer in tokens",
     .member = &AnswerOptions::n_predict,
     .range = {-1, kMaxTokens},
     .same = {"-2", "-1"},
     .off = {{-1, "no limit"}},
     .also = "--n-predict"},
    {.name = "reasoning_budget",
     .aliases = "",
     .key = "reasoning_budget",
     .flag = "--reasoning-budget",
     .help = "Maximum length of the reasoning in tokens; 0: none",
     .member = &AnswerOptions::reasoning_budget,
     .range = {-1, kMaxTokens},
     .off = {{-1, "no limit"}},
     .command = "/think budget"},
});

static_assert(kParameters.size() <= kMaxParameters);

template <class Options, class T>
auto& slot(Options& options, T SamplerParams::*member) noexcept {
  return options.sampling.*member;
}
template <class Options>
auto& slot(Options& options, int AnswerOptions::*member) noexcept {
  return options.*member;
}

std::size_t row_of(const Parameter& parameter) noexcept {
  const auto* row = std::ranges::find(kParameters, parameter.name, &Parameter::name);
  return static_cast<std::size_t>(row - kParameters.begin());
}

// Calls `with` on the parameter's value.
template <class Options, class With>
auto visit_value(const Parameter& parameter, Options& options, const With& with) {
  return std::visit([&](auto member) { return with(slot(options, member)); }, parameter.member);
}

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

// Restores the built-in value.
void take_back(const Parameter& parameter, AnswerOptions& options) {
  const AnswerOptions built_in;
  std::visit([&](auto member) { slot(options, member) = slot(built_in, member); },
             parameter.member);
  options.origins[row_of(parameter)] = Origin::built_in;
}

bool is_named(const Parameter& parameter, std::string_view name) noexcept {
  return name == parameter.name || ui::has_word(parameter.aliases, name);
}

}  // namespace

std::span<const Parameter> parameters() noexcept {
  return kParameters;
}

const Parameter* find_set_parameter(std::string_view name) noexcept {
  const auto* found = std::ranges::find_if(
      kParameters, [&](const Parameter& p) { return p.command.empty() && is_named(p, name); });
  return found == kParameters.end() ? nullptr : found;
}

std::string set_parameter(const Parameter& parameter, AnswerOptions& options, std::string_view text,
                          Origin from) {
  if (!parameter.same.text.empty() && text == parameter.same.text) text = parameter.same.as;
  if (text == "default") {
    take_back(parameter, options);
    return {};
  }
  const auto read = [&](auto& value) { return read_value(text, parameter.range, value); };
  if (!visit_value(parameter, options, read))
    return fmt::format("must be {}, not {}", range_text(parameter), text);
  options.origins[row_of(parameter)] = from;
  return {};
}

std::string set_parameter(const Parameter& parameter, AnswerOptions& options,
                          std::span<const std::string> texts, Origin from) {
  if (texts.size() == 1) return set_parameter(parameter, options, texts[0], from);
  AnswerOptions all = options;
  const auto clear = [&](auto& value) {
    if constexpr (kIsList<std::remove_cvref_t<decltype(value)>>) value.clear();
  };
  visit_value(parameter, all, clear);
  if (!is_list(parameter)) return fmt::format("must be {}", range_text(parameter));
  for (const std::string& text : texts) {
    AnswerOptions one;
    if (std::string fault = set_parameter(parameter, one, text, from); !fault.empty()) return fault;
    std::visit(
        [&](auto member) {
          auto& value = slot(all, member);
          const auto& more = slot(one, member);
          if constexpr (kIsList<std::remove_cvref_t<decltype(value)>>)
            value.insert(value.end(), more.begin(), more.end());
        },
        parameter.member);
  }
  options = all;
  options.origins[row_of(parameter)] = from;
  return {};
}

bool is_switch(const Parameter& parameter) noexcept {
  return std::holds_alternative<bool SamplerParams::*>(parameter.member);
}

bool is_list(const Parameter& parameter) noexcept {
  const AnswerOptions options;
  return visit_value(parameter, options, [](const auto& value) {
    return kIsList<std::remove_cvref_t<decltype(value)>>;
  });
}

AnswerOptions with_recommended(AnswerOptions options,
                               std::span<const engine::Recommendation> sampling,
                               std::span<const std::string> stop) {
  if (options.stop.empty()) options.stop.assign(stop.begin(), stop.end());
  for (const Parameter& parameter : kParameters) {
    Origin& origin = options.origins[row_of(parameter)];
    if (origin > Origin::model) continue;
    if (origin == Origin::model) take_back(parameter, options);  // perhaps from another model
    const auto of_model = std::ranges::find_if(sampling, [&](const auto& one) {
      return one.name == parameter.name || (!one.name.empty() && one.name == parameter.gguf);
    });
    if (of_model == sampling.end()) continue;
    const std::string text =
        of_model->text.empty() ? fmt::format("{}", of_model->value) : of_model->text;
    AnswerOptions recommended = options;
    if (set_parameter(parameter, recommended, text, Origin::model).empty()) options = recommended;
  }
  return options;
}

std::vector<std::string> chosen_parameters(const AnswerOptions& options) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters()) {
    const bool is_of_answer = std::holds_alternative<int AnswerOptions::*>(parameter.member);
    if (!is_of_answer && origin_of(parameter, options) != Origin::built_in)
      names.emplace_back(parameter.name);
  }
  return names;
}

Origin origin_of(const Parameter& parameter, const AnswerOptions& options) noexcept {
  return options.origins[row_of(parameter)];
}

std::string value_text(const Parameter& parameter, const AnswerOptions& options) {
  return visit_value(parameter, options, [](const auto& value) { return write_value(value); });
}

std::string range_text(const Parameter& parameter) {
  const AnswerOptions options;
  std::string text = visit_value(
      parameter, options, [&](const auto& value) { return expected_text(value, parameter.range); });
  if (parameter.off) text += fmt::format(" ({}: {})", parameter.off->value, parameter.off->meaning);
  return text;
}

std::string help_text(const Parameter& parameter) {
  std::string text(parameter.help);
  if (parameter.off) text += fmt::format("; {}: {}", parameter.off->value, parameter.off->meaning);
  return text;
}

}  // namespace confab::app
