// SPDX-License-Identifier: MIT
#include "app/models/fit_here.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "app/figures.h"
#include "app/paths.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "engine/safetensors/open_model.h"

namespace confab::app {
namespace {

std::string header_text(const ModelSummary& summary, std::uint64_t bytes) {
  std::string text = summary.title.empty() ? "" : summary.title + "\n";
  text +=
      fmt::format("{}, {} parameters, {}\n{}", summary.family.empty() ? "unknown" : summary.family,
                  parameters_text(summary.n_parameters),
                  summary.type.empty() ? "no weights" : summary.type, size_text(bytes));
  if (summary.n_layers > 0) text += fmt::format(", {} layers", summary.n_layers);
  if (summary.n_ctx > 0) text += fmt::format(", a context of {} tokens", grouped(summary.n_ctx));
  if (!summary.has_template) text += "\nno chat template in the file";
  return text + '\n';
}

std::string origin_text(const FoundModel& model) {
  std::string text = fmt::format("{}: {}", name_of(model.store), shorten_home(model.path.string()));
  if (!model.also.empty()) text += fmt::format("\nalso {}", fmt::join(model.also, ", "));
  for (const Sidecar& draft : model.drafts) text += "\ndraft: " + draft.name;
  for (const Sidecar& projector : model.projectors) text += "\nprojector: " + projector.name;
  return text;
}

using engine::Gguf;
using engine::GgufTensor;

// Values of general.file_type: llama_ftype of
// https://github.com/ggml-org/llama.cpp/blob/master/include/llama.h
constexpr auto kTypes = std::to_array<std::pair<int, std::string_view>>(
    {{0, "F32"},      {1, "F16"},      {2, "Q4_0"},    {3, "Q4_1"},    {7, "Q8_0"},
     {8, "Q5_0"},     {9, "Q5_1"},     {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"},
     {13, "Q3_K_L"},  {14, "Q4_K_S"},  {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"},
     {18, "Q6_K"},    {19, "IQ2_XXS"}, {20, "IQ2_XS"}, {21, "Q2_K_S"}, {22, "IQ3_XS"},
     {23, "IQ3_XXS"}, {24, "IQ1_S"},   {25, "IQ4_NL"}, {26, "IQ3_S"},  {27, "IQ3_M"},
     {28, "IQ2_S"},   {29, "IQ2_M"},   {30, "IQ4_XS"}, {31, "IQ1_M"},  {32, "BF16"},
     {36, "TQ1_0"},   {37, "TQ2_0"},   {38, "MXFP4"}});

// The number format with the most parameters, since files mix several.
std::string main_format(const Gguf& file) {
  std::map<std::string_view, std::int64_t> n_parameters;
  for (const GgufTensor& tensor : file.tensors())
    n_parameters[kernels::info(tensor.dtype).name] += tensor.n_elements();
  const auto most = std::ranges::max_element(
      n_parameters, {}, [](const auto& format_and_n) { return format_and_n.second; });
  return most == n_parameters.end() ? "" : std::string(most->first);
}

std::string type_of(const Gguf& file) {
  const engine::GgufValue* value = file.find("general.file_type");
  const auto* number = value == nullptr ? nullptr : std::get_if<std::uint64_t>(value);
  const auto known = std::ranges::find_if(
      kTypes, [&](const auto& type) { return number && std::cmp_equal(type.first, *number); });
  return known == kTypes.end() ? main_format(file) : std::string(known->second);
}

using engine::MemoryPlan;

Fit fit_of(const MemoryPlan& memory) {
  if (memory.available_bytes == engine::platform::kUnknownBytes) return Fit::unknown;
  if (memory.fits()) return Fit::whole;
  return memory.fits_but_for_experts() ? Fit::from_disk : Fit::no;
}

// For a mixture, counts only the experts that a token uses.
double bytes_per_token(const MemoryPlan& memory) {
  const std::uint64_t weights =
      memory.weights_bytes - memory.expert_bytes + memory.expert_token_bytes;
  return static_cast<double>(weights) +
         static_cast<double>(memory.kv_bytes - memory.spare_bytes) / 2;
}

}  // namespace

std::string model_card(const FoundModel& model, double read_gbs) {
  const ModelFacts facts = facts_of(model.path.string(), room_for_another());
  const bool is_readable = facts.fault.empty() || !facts.summary.family.empty();
  std::string text = is_readable ? header_text(facts.summary, model.bytes) : "";
  text += fit_text(facts);
  if (const std::string speed = speed_text(facts.tokens_per_second(read_gbs)); !speed.empty())
    text += fmt::format(", {} tokens a second at most", speed);
  return text + '\n' + origin_text(model);
}

ModelSummary summary_of(const Gguf& file) {
  const engine::GgufValue* value = file.find("general.name");
  const auto* title = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  ModelSummary summary{.title = std::string(title == nullptr ? "" : *title),
                       .family = std::string(file.find_string("general.architecture").value_or("")),
                       .type = type_of(file)};
  for (const GgufTensor& tensor : file.tensors()) summary.n_parameters += tensor.n_elements();
  summary.n_layers = file.find_int(summary.family + ".block_count").value_or(0);
  summary.n_ctx = file.find_int(summary.family + ".context_length").value_or(0);
  summary.has_template = file.find_string("tokenizer.chat_template").has_value();
  return summary;
}

std::string parameters_text(std::int64_t n) {
  const auto value = static_cast<double>(n);
  if (n <= 0) return "";
  if (value >= 99.95e9) return fmt::format("{:.0f}B", value / 1e9);
  return value >= 999.5e6 ? fmt::format("{:.1f}B", value / 1e9)
                          : fmt::format("{:.0f}M", value / 1e6);
}

std::string_view name_of(Fit fit) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"", "whole", "from disk", "no"};
  return kNames[static_cast<std::size_t>(fit)];
}

double ModelFacts::tokens_per_second(double read_gbs) const noexcept {
  if (fit != Fit::whole || bytes_per_token <= 0) return 0;
  return read_gbs * 1e9 / bytes_per_token;
}

ModelFacts facts_of(const std::string& path, const engine::MemoryRoom& room) {
  ModelFacts facts;
  try {
    engine::Gguf file = engine::open_model(path);
    facts.summary = summary_of(file);
    const engine::Model shape = engine::load_model_shape(std::move(file));
    const engine::ContextPlan plan =
        engine::plan_context(shape, {.path = path, .force = true}, room);
    facts.fit = fit_of(plan.memory);
    facts.n_ctx = plan.n_ctx;
    facts.needed_bytes = plan.memory.total_bytes();
    facts.bytes_per_token = bytes_per_token(plan.memory);
  } catch (const engine::ModelError& fault) {
    facts.fault = fault.what();
  }
  return facts;
}

engine::MemoryRoom room_for_another() {
  engine::MemoryRoom room = engine::memory_room(engine::platform::memory_facts());
  const engine::platform::MemoryUse own = engine::platform::memory_use();
  if (room.bytes != engine::platform::kUnknownBytes)
    room.bytes += own.anonymous_bytes + own.mapped_bytes;
  return room;
}

std::string fit_text(const ModelFacts& facts) {
  if (!facts.fault.empty()) return "cannot be run: " + facts.fault;
  switch (facts.fit) {
    case Fit::whole:
      return fmt::format("fits here, with a context of {} tokens", grouped(facts.n_ctx));
    case Fit::from_disk:
      return "larger than memory: experts would come from the disk";
    case Fit::no:
      return fmt::format("does not fit here: it takes {}", size_text(facts.needed_bytes));
    case Fit::unknown:
      break;
  }
  return fmt::format("it takes {}; nobody says how much is available",
                     size_text(facts.needed_bytes));
}

std::string speed_text(double tokens_per_second) {
  if (tokens_per_second <= 0) return "";
  return fmt::format("{:.{}f}", tokens_per_second, tokens_per_second < 10 ? 1 : 0);
}

}  // namespace confab::app
