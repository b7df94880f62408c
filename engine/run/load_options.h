// SPDX-License-Identifier: MIT
// How to load and run a model.
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

// A small model that guesses what the loaded model will write.
struct DraftOptions {
  std::string path = {};  // empty: none
  bool wanted = false;    // the user asked for it: failing is an error, not a notice
  int most = 15;          // most tokens of a draft
  // A draft ends before a token less likely than this, but has at least `least` tokens.
  float p_min = 0.5F;
  int least = 0;
  bool heads = true;  // without a path, use the model's own heads if it has any
};

struct LoadOptions {
  std::string path = {};
  int n_ctx = 0;       // 0: the model's limit, at most 8192, as memory allows
  bool force = false;  // load even if it does not fit in memory
  // Bytes that another model of this process gives back before this one is used.
  std::uint64_t returned_bytes = 0;
  int n_threads = 0;  // 0: all usable cores
  // A thread team shared with other models; replaces a team of n_threads for this model alone.
  std::shared_ptr<kernels::ThreadPool> team = {};
  DeviceChoice device = {};  // the draft model always runs on the processor
  // llama.cpp's -ngl: so many of the last layers run on a graphics processor, if one can be used;
  // 0: none. nullopt: as many as fit, if `device` allows.
  std::optional<int> n_gpu_layers = {};
  int n_batch = 512;   // tokens of a prefill chunk; 1 decodes token by token
  int n_parallel = 1;  // whole contexts; more answers than this share their memory
  bool fewer = false;  // if memory is short, use fewer than n_parallel
  // Types of the cache. nullopt: q8_0, or f16 (see engine/run/context_plan.h).
  std::optional<kernels::Dtype> type_k = {};
  std::optional<kernels::Dtype> type_v = {};
  RopeOptions rope = {};  // also for the draft model
  bool exact = false;     // keep activations in f32
  bool lookup = true;     // draft from what the context contains already
  DraftOptions draft = {};
  Recommended recommended = {};    // for this model, in addition to what its file says
  std::string isa = {};            // forced instruction set; empty: $CONFAB_ISA or the best
  std::string chat_template = {};  // replaces the file's own: Jinja, or the name of a built-in one
  BlockStore* store = nullptr;     // must outlive the model; nullptr: nothing is kept
  // Called while weights are copied to a graphics processor: bytes read, and approximately how many
  // in total. 0 bytes means that the device is being tested before the copy. An exception from it
  // ends the loading and reaches the caller.
  std::function<void(std::uint64_t, std::uint64_t)> on_copied = {};
};

}  // namespace confab::engine
