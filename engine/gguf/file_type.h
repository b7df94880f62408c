// SPDX-License-Identifier: MIT
// The kinds of model files that quantising makes: each is a type for most tensors, and rules for
// those that deserve a better one (quantize.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/dtype.h"

namespace confab::engine {

enum class Mix { plain, small, medium };  // _S and _M in the name: how many tensors get more bits

struct FileType {
  std::string_view name;  // "Q4_K_M"
  std::uint32_t number;   // of general.file_type
  kernels::Dtype dtype;   // of most tensors
  Mix mix;
};

// By name, in any case; Q4_K and Q5_K stand for their _M. nullptr: unknown.
const FileType* find_file_type(std::string_view name) noexcept;
// From most bits to fewest. The last is one that others make, not quantising.
std::span<const FileType> sized_file_types() noexcept;
// "F16, BF16, Q8_0, ...".
std::string file_type_names();

}  // namespace confab::engine
