// SPDX-License-Identifier: MIT
// How a model is to be loaded and run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/api/model_info.h"
#include "engine/model/rope_options.h"
#include "engine/run/device/device_choice.h"
#include "kernels/dtype.h"

namespace confab::kernels {
class ThreadPool;
}

namespace confab::engine {

class BlockStore;

// A model that guesses what the one that is loaded will write.
struct DraftOptions {
  std::string path = {};  // empty: none
  bool wanted = false;    // by a person: that it cannot be used is an error, else a notice
  int most = 15;          // tokens of a draft
  // A draft ends before a token that is less likely than this, but has at least so many tokens.
  float p_min = 0.5F;
  int least = 0;
  bool heads = true;  // without a path, the model's own, where it has any
};

struct LoadOptions {
  std::string path = {};
  int n_ctx = 0;       // 0: the model's limit, at most 8192 and what memory holds
  bool force = false;  // load also what does not fit into memory
  // That another model of this process gives back for it, before it is used.
  std::uint64_t returned_bytes = 0;
  int n_threads = 0;  // 0: usable cores
  // That computes, beside other models, in place of one of its own of n_threads.
  std::shared_ptr<kernels::ThreadPool> team = {};
  DeviceChoice device = {};  // of the draft model always the processor
  // llama.cpp's -ngl: so many of the last layers run on a graphics processor, where one can be
  // used; 0: on the processor. None: as many as it has room for, as `device` has it.
  std::optional<int> n_gpu_layers = {};
  int n_batch = 512;   // tokens of a prefill chunk; 1 decodes token by token
  int n_parallel = 1;  // answers that each have a whole context; more than these share their memory
  bool fewer = false;  // where there is no memory for so many, as many as there is for
  std::optional<kernels::Dtype> type_k = {};  // none: q8_0, or f16 (see engine/run/context_plan.h)
  std::optional<kernels::Dtype> type_v = {};
  RopeOptions rope = {};  // of the draft model too
  bool exact = false;     // keep activations in f32
  bool lookup = true;     // drafts of what has been in the context before
  DraftOptions draft = {};
  Recommended recommended = {};    // for this model, beside what its file says
  std::string isa = {};            // forced instruction set; empty: $CONFAB_ISA, else the best
  std::string chat_template = {};  // overrides the file's: Jinja, or the name of a built-in one
  BlockStore* store = nullptr;     // must outlive the model; nullptr: nothing is kept
  // While weights are copied to a graphics processor: the bytes that have been read, of how many
  // about; 0: its programs are tested before. What it throws ends the loading, and goes on to
  // whoever loads.
  std::function<void(std::uint64_t, std::uint64_t)> on_copied = {};
};

}  // namespace confab::engine
