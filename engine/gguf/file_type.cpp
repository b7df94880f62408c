// SPDX-License-Identifier: MIT
#include "engine/gguf/file_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace confab::engine {
namespace {

using kernels::Dtype;

// The numbers are those of llama.cpp's llama_ftype, which general.file_type holds.
constexpr std::array<FileType, 9> kFileTypes{{
    {"F16", 1, Dtype::F16, Mix::plain},
    {"BF16", 32, Dtype::BF16, Mix::plain},
    {"Q8_0", 7, Dtype::Q8_0, Mix::plain},
    {"Q6_K", 18, Dtype::Q6_K, Mix::plain},
    {"Q5_K_M", 17, Dtype::Q5_K, Mix::medium},
    {"Q5_K_S", 16, Dtype::Q5_K, Mix::small},
    {"Q4_K_M", 15, Dtype::Q4_K, Mix::medium},
    {"Q4_K_S", 14, Dtype::Q4_K, Mix::small},
    {"Q4_0", 2, Dtype::Q4_0, Mix::plain},
}};

// The types that differ in size.
constexpr std::array<FileType, 7> kSizedFileTypes{{
    {"F16", 1, Dtype::F16, Mix::plain},
    {"Q8_0", 7, Dtype::Q8_0, Mix::plain},
    {"Q6_K", 18, Dtype::Q6_K, Mix::plain},
    {"Q5_K_M", 17, Dtype::Q5_K, Mix::medium},
    {"Q4_K_M", 15, Dtype::Q4_K, Mix::medium},
    {"Q4_K_S", 14, Dtype::Q4_K, Mix::small},
    {"Q3_K_S", 11, Dtype::Q3_K, Mix::small},
}};

}  // namespace

const FileType* find_file_type(std::string_view name) noexcept {
  const auto matches = [&](const FileType& type) {
    const auto equal = [](unsigned char a, char b) { return std::toupper(a) == b; };
    const bool whole = std::ranges::equal(name, type.name, equal);
    const bool without_m =
        type.mix == Mix::medium &&
        std::ranges::equal(name, type.name.substr(0, type.name.size() - 2), equal);
    return whole || without_m;
  };
  const auto it = std::ranges::find_if(kFileTypes, matches);
  return it == kFileTypes.end() ? nullptr : &*it;
}

std::span<const FileType> sized_file_types() noexcept {
  return kSizedFileTypes;
}

std::string file_type_names() {
  std::string names;
  for (const FileType& type : kFileTypes)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", type.name);
  return names;
}

}  // namespace confab::engine
