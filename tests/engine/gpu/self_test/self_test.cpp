// SPDX-License-Identifier: MIT
#include "tests/engine/gpu/self_test/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/engine/gpu/self_test/cases.h"

namespace confab::engine {
namespace {

// What passes of a mixture need so that choices are brought in the order of their experts.
int rows_for_order(const Hparams& hp) noexcept {
  const ExpertHparams& e = hp.experts;
  return e.n_expert == 0 ? 0 : kManyChoices * e.n_expert / e.n_expert_used + 1;
}

constexpr int kPages = 2;

}  // namespace

SelfTest::SelfTest(const kernels::vulkan::GpuInfo& gpu, const TestedModel& tested,
                   std::function<void()> on_program)
    : on_program_(std::move(on_program)),
      kernel_(tested.table),
      whole_(tested.model),
      part_(sample_of(tested.model)),
      hp_(part_.hparams),
      bench_(gpu),
      model_(bench_.gpu(), part_, {}),
      pool_(bench_.gpu(), KvLayout(hp_, tested.type_k, tested.type_v), kPages),
      pages_{pool_.take(), pool_.take()},
      buffers_(bench_.gpu(), hp_,
               {kPages * kBlockTokens, std::max(kMoreRows, rows_for_order(hp_)), 1}),
      ropes_(make_ropes(hp_, part_.weights, kPages * kBlockTokens)) {}

bool SelfTest::expect(bool is_right, Shader shader, std::optional<kernels::Dtype> dtype) {
  if (is_right) return true;
  std::string name(kernels::vulkan::name(shader));
  if (dtype) name += " of " + std::string(kernels::info(*dtype).name);
  std::string& names = has_matrices(shader) ? wrong_.of_matrix_cores : wrong_.others;
  if ((", " + names + ",").find(", " + name + ",") == std::string::npos)
    names += (names.empty() ? "" : ", ") + name;
  return false;
}

void SelfTest::run() {
  record(1, [this](PassRecorder& r) {
    const GpuLayer& layer = model_.layers.front();
    has_halves_ = r.has_halves(kRows);
    norms_at_once_ =
        r.norms_at_once(layer.plan->mixer_residual.when, PassRecorder::after_mixer(layer));
  });
  if (part_.weights.token_embd.n_rows > 0) embedding();
  for (const GpuLayer& layer : model_.layers) {
    stream_input(layer.plan->mixer_input, layer.mixer_input, 0);
    rope_and_append(layer);
    attention(layer);
    stream_input(layer.plan->feed_forward_input, layer.feed_forward_input, 0);
    if (layer.plan->feed_forward != FeedForward::experts)
      activation(layer.mlp, layer.plan->shape.n_ff);
    if (layer.plan->feed_forward != FeedForward::dense) mixture(layer);
  }
  rows_of_norm();
  stream_input(model_.plan.output_input, model_.output_input, 1);
  logits();
  best_logits();
  products();
}

WrongPrograms test_programs(const kernels::vulkan::GpuInfo& gpu, const TestedModel& tested,
                            const std::function<void()>& on_program) {
  SelfTest test(gpu, tested, on_program);
  test.run();
  return test.wrong();
}

}  // namespace confab::engine
