// SPDX-License-Identifier: MIT
#include "engine/cache/cache_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "kernels/dtype.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

constexpr std::size_t kTypesCount = std::size(kernels::kCacheTypes);
constexpr auto kTypes = [] {
  std::array<Dtype, kTypesCount> types{};
  for (std::size_t i = 0; i < kTypesCount; ++i) types[i] = kernels::kCacheTypes[i].dtype;
  return types;
}();
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
  return rotates ? head_dim & -head_dim : 0;  // the lowest set bit
}

int value_rotation(Dtype dtype, int head_dim) noexcept {
  const bool rotates = kernels::info(dtype).block > 1 && head_dim % kSmallestRotation == 0;
  return rotates && head_dim > 0 ? kSmallestRotation : 0;
}

}  // namespace confab::engine
