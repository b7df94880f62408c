// SPDX-License-Identifier: MIT
// Makes a device ready, so that a first question is answered as fast as a third: its driver makes
// the programs of passes of each size, and its clocks rise.
#pragma once

#include <functional>

namespace confab::engine {

class Decoder;

// Runs passes in a sequence of their own, which is gone afterwards, for about a third of a second
// beside what the driver needs. on_pass is called before each; what it throws ends it. Throws what
// the decoder throws.
void warm_up(Decoder& decoder, int n_vocab, const std::function<void()>& on_pass = {});

}  // namespace confab::engine
