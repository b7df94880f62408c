// SPDX-License-Identifier: MIT
// The regions of the model's own head that guesses the token after the next (DeepSeek-V3,
// arXiv:2412.19437, section 2.2): a block with keys and values of its own for each token, which
// reads the token's embedding and what the output read of the token before it.
#pragma once

namespace confab::engine {

struct ForwardState;

// Regions: the rows of the block's keys and values, of all tokens of the run, whose rows
// buffers.normed() has. Writes buffers.x().
void nextn_keys(ForwardState& s) noexcept;
// Regions: buffers.x() = what the block reads of each token. The first one of a part follows
// RunPart::before.
void nextn_input(ForwardState& s) noexcept;

}  // namespace confab::engine
