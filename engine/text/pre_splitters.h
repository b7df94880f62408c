// SPDX-License-Identifier: MIT
// Stages of pre-tokenizers (see pre_tokenizer.h) that a matcher cannot do in linear time: where to
// cut depends on how far the piece goes on. `piece`: not empty, well-formed UTF-8; the parts are
// appended and borrowed from it.
#pragma once

#include <string_view>
#include <vector>

namespace confab::engine {

// 1234567 into 1, 234 and 567: a cut before every 3, 6, 9 ... ASCII digits that no digit follows.
// The expression is (?=(\d{3})+(?!\d)), as SuperBPE has it.
void split_digits_by_threes(std::string_view piece, std::vector<std::string_view>& parts);

// Runs of \p{N} by threes from their ends; what stands before a run stays with its first part. The
// rule of AFMoE and Tiny Aya, as llama.cpp carries it out.
void split_before_digits_by_threes(std::string_view piece, std::vector<std::string_view>& parts);

// \s+$
void split_off_last_spaces(std::string_view piece, std::vector<std::string_view>& parts);

}  // namespace confab::engine
