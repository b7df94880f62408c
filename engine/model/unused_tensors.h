// SPDX-License-Identifier: MIT
// What a file holds besides the weights that are used.
#pragma once

#include <string_view>

namespace confab::engine {

class TensorReader;
struct Hparams;

// Why a tensor of this name may be left unread: "images and sound", ...; empty: there is no reason,
// and a model that is run without it is another one.
std::string_view reason_to_leave(std::string_view name, const Hparams& hparams) noexcept;

// To be called when all weights have been read. Throws a ModelError that names the first tensor
// that has no reason, and says how many there are.
void refuse_unused_tensors(const TensorReader& tensors, const Hparams& hparams);

}  // namespace confab::engine
