// SPDX-License-Identifier: MIT
#include "engine/cache/cache_type.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace confab::engine {
namespace {

using kernels::Dtype;

constexpr std::array kTypes{Dtype::F32,  Dtype::F16,  Dtype::BF16, Dtype::Q8_0,  Dtype::Q5_1,
                            Dtype::Q5_0, Dtype::Q4_1, Dtype::Q4_0, Dtype::IQ4_NL};
constexpr int kSmallestRotation = 64;

}  // namespace

std::span<const Dtype> cache_types() noexcept {
  return kTypes;
}

const kernels::DtypeInfo* find_cache_type(std::string_view name) noexcept {
  const kernels::DtypeInfo* found = kernels::find_dtype(name);
  const bool usable = found != nullptr && std::ranges::find(kTypes, found->dtype) != kTypes.end();
  return usable ? found : nullptr;
}

std::string cache_type_names() {
  std::string names;
  for (const Dtype dtype : kTypes) {
    if (!names.empty()) names += ", ";
    for (const unsigned char c : kernels::info(dtype).name)
      names += static_cast<char>(std::tolower(c));
  }
  return names;
}

int key_rotation(Dtype dtype, int head_dim) noexcept {
  const bool rotates = kernels::info(dtype).block > 1 && head_dim % kSmallestRotation == 0;
  return rotates ? head_dim & -head_dim : 0;  // the lowest bit
}

int value_rotation(Dtype dtype, int head_dim) noexcept {
  const bool rotates = kernels::info(dtype).block > 1 && head_dim % kSmallestRotation == 0;
  return rotates && head_dim > 0 ? kSmallestRotation : 0;
}

}  // namespace confab::engine
