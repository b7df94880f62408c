// SPDX-License-Identifier: MIT
#include "app/models/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "engine/gguf/gguf.h"

namespace confab::app {
namespace {

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

// The number format that has the most parameters: files mix several.
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

}  // namespace

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

}  // namespace confab::app
