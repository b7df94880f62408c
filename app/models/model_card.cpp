// SPDX-License-Identifier: MIT
#include "app/models/model_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "app/figures.h"
#include "app/paths.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"

namespace confab::app {
namespace {

using engine::Gguf;
using engine::GgufTensor;

std::string count_text(std::int64_t n) {
  const auto value = static_cast<double>(n);
  return value >= 1e9 ? fmt::format("{:.1f} B", value / 1e9) : fmt::format("{:.0f} M", value / 1e6);
}

// The number format that has the most parameters: files mix several.
std::string main_format(const Gguf& file) {
  std::map<std::string_view, std::int64_t> n_parameters;
  for (const GgufTensor& tensor : file.tensors())
    n_parameters[kernels::info(tensor.dtype).name] += tensor.n_elements();
  const auto most = std::ranges::max_element(
      n_parameters, {}, [](const auto& format_and_n) { return format_and_n.second; });
  return most == n_parameters.end() ? "no weights" : "mostly " + std::string(most->first);
}

std::string described(const Gguf& file) {
  const std::string architecture(file.find_string("general.architecture").value_or("unknown"));
  const auto of_it = [&](const char* key) { return file.find_int(architecture + "." + key); };
  std::int64_t n_parameters = 0;
  for (const GgufTensor& tensor : file.tensors()) n_parameters += tensor.n_elements();
  std::string text(file.find_string("general.name").value_or(""));
  if (!text.empty()) text += "\n";
  text += fmt::format("{}, {} parameters, {}\n{}", architecture, count_text(n_parameters),
                      main_format(file), size_text(file.file_bytes()));
  if (const auto n_layers = of_it("block_count")) text += fmt::format(", {} layers", *n_layers);
  if (const auto n_ctx = of_it("context_length"))
    text += fmt::format(", a context of {} tokens", grouped(*n_ctx));
  if (!file.find_string("tokenizer.chat_template")) text += "\nno chat template in the file";
  return text;
}

}  // namespace

std::string model_card(const std::string& path) {
  try {
    return described(Gguf(path)) + "\n" + shorten_home(path);
  } catch (const engine::ModelError& fault) {
    return fault.what();
  }
}

}  // namespace confab::app
