// SPDX-License-Identifier: MIT
// Whether the tokens of two models are the same, so that one can continue what the other wrote.
#pragma once

#include <optional>
#include <string>

namespace confab::engine {

class Tokenizer;

// Why the ids of `other` do not mean what those of `model` do, as the end of a sentence in one
// line; nullopt: they do. What models only have to fill their vocabularies up, and never write,
// may differ, also in number.
std::optional<std::string> vocabulary_difference(const Tokenizer& model, const Tokenizer& other);

}  // namespace confab::engine
