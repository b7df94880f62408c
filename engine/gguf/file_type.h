// SPDX-License-Identifier: MIT
// The kinds of model files that quantising can make. Each is a type for most tensors plus rules
// that give some tensors a better one (quantize.h).
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
  std::uint32_t number;   // value of general.file_type
  kernels::Dtype dtype;   // of most tensors
  Mix mix;
};

// Finds a type by name, ignoring case. Q4_K and Q5_K mean their _M variants. nullptr if unknown.
const FileType* find_file_type(std::string_view name) noexcept;
// Sorted from most to fewest bits. The last one is made by other programs, not by this one.
std::span<const FileType> sized_file_types() noexcept;
// "F16, BF16, Q8_0, ...".
std::string file_type_names();

}  // namespace confab::engine
