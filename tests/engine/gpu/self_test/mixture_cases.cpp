// SPDX-License-Identifier: MIT
// The programs of a mixture of experts, but for its products.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/cpu/router.h"
#include "tests/engine/gpu/self_test/cases.h"

namespace confab::engine {
namespace {

std::size_t size(int n) noexcept {
  return static_cast<std::size_t>(n);
}

}  // namespace

void SelfTest::mixture(const GpuLayer& layer) {
  const ExpertHparams& e = hp_.experts;
  for (const int n_rows : {kRows, kMoreRows}) routers(layer, n_rows);
  choice(layer);
  order(layer.experts, kManyChoices * e.n_expert / e.n_expert_used + 1);
  bool sums = false;
  record(1, [&](PassRecorder& r) { sums = r.sums_at_once(layer.experts); });
  if (!sums) sum(layer, 1);
  sum(layer, kManyChoices * e.n_expert / e.n_expert_used + 1);
  activation(layer.experts.chosen, e.n_ff);
}

// Few rows are normed by the routers themselves. Of the sample's routers there is the first row.
void SelfTest::routers(const GpuLayer& layer, int n_rows) {
  const Matrix& router = layer.plan->weights.experts.router;
  if (router.rows.dtype != kernels::Dtype::F32) return;
  Floats x = bench_.put_activations(memory(), buffers_.normed, size(n_rows) * n_embd());
  bench_.put(memory(), buffers_.x, x);
  bool norm = false;
  record(n_rows, [&](PassRecorder& r) {
    norm = r.routers_norm(layer);
    r.ask_routers(layer.experts, norm ? r.stream_for_routers(layer) : buffers_.normed);
  });
  if (norm) norm_rows(layer.plan->feed_forward_input.norm, x, n_embd());
  Floats weights(n_embd()), want;
  kernel_.decode_weights(router.rows, 0, weights.data());
  for (auto row = x.begin(); row != x.end(); row += hp_.n_embd) {
    const float product = std::inner_product(weights.begin(), weights.end(), row, 0.0F);
    want.push_back(router.scale * product + (router.bias != nullptr ? router.bias[0] : 0));
  }
  expect(bench_.get<float>(memory(), buffers_.experts.logits, want.size()), want, Shader::matvec,
         router.rows.dtype);
}

void SelfTest::choice(const GpuLayer& layer) {
  const Floats logits = bench_.random(size(kRows * hp_.experts.n_expert), 4);
  bench_.put(memory(), buffers_.experts.logits, logits);
  record(kRows, [&](PassRecorder& r) { r.choose(layer.experts); });
  expect_choice(layer, logits, kRows, Shader::route);
}

void SelfTest::expect_choice(const GpuLayer& layer, Floats logits, int n_rows, Shader shader,
                             std::optional<kernels::Dtype> dtype) {
  const ExpertHparams& e = hp_.experts;
  const GpuExpertBuffers& b = buffers_.experts;
  const ExpertWeights& w = layer.plan->weights.experts;
  const std::size_t n_choices = size(n_rows * e.n_expert_used);
  const auto ids = bench_.get<std::uint32_t>(memory(), b.ids, n_choices);
  const auto weights = bench_.get<float>(memory(), b.weights, n_choices);
  // By token and expert.
  Floats got(logits.size()), want(logits.size());
  std::vector<ChosenExpert> chosen(size(e.n_expert_used));
  for (int t = 0; t < n_rows; ++t) {
    const std::size_t row = size(t * e.n_expert);
    choose_experts(e, kernel_, &logits[row], w.selection_bias, chosen.data());
    for (int i = 0; i < e.n_expert_used; ++i) {
      const ChosenExpert& expert = chosen[size(i)];
      const float scale = layer.experts.down_scales != 0 ? w.down[size(expert.id)].scale : 1;
      want[row + size(expert.id)] = scale * expert.weight;
      const std::size_t at = size(t * e.n_expert_used + i);
      if (ids[at] < static_cast<std::uint32_t>(e.n_expert)) got[row + ids[at]] = weights[at];
    }
  }
  expect(got, want, shader, dtype);
}

void SelfTest::order(const GpuExperts& experts, int n_rows) {
  const ExpertHparams& e = hp_.experts;
  const GpuExpertBuffers& b = buffers_.experts;
  const int n_choices = n_rows * e.n_expert_used;
  std::vector<std::uint32_t> ids(size(n_choices));
  for (std::uint32_t& id : ids) id = bench_.random_below(static_cast<std::uint32_t>(e.n_expert));
  bench_.put(memory(), b.ids, ids);
  const Floats x = bench_.put_activations(memory(), buffers_.normed, size(n_rows) * n_embd());
  record(n_rows, [&](PassRecorder& r) { r.group(experts, n_choices); });

  const auto places = bench_.get<std::uint32_t>(memory(), b.places, ids.size());
  const auto sources = bench_.get<std::uint32_t>(memory(), b.sources, ids.size());
  bool is_right = true;
  for (std::uint32_t i = 0; i < ids.size(); ++i)
    is_right = is_right && places[i] < ids.size() && sources[places[i]] == i;
  std::vector<std::uint32_t> tiles;
  for (std::uint32_t expert = 0, place = 0; expert < static_cast<std::uint32_t>(e.n_expert);
       ++expert) {
    const auto end = place + static_cast<std::uint32_t>(std::ranges::count(ids, expert));
    for (; is_right && place < end; place = std::min(place + kTileRows, end))
      tiles.insert(tiles.end(), {expert, place, end});
    place = end;
  }
  is_right = is_right && bench_.get<std::uint32_t>(memory(), b.tiles, tiles.size()) == tiles;
  const GpuMlp& mlp = experts.chosen;
  const auto n_tiles = static_cast<std::uint32_t>(tiles.size() / 3);
  const std::vector<std::uint32_t> grids{count(mlp.up.n_rows, kTile),   n_tiles, 1,
                                         count(mlp.down.n_rows, kTile), n_tiles, 1};
  is_right = is_right && bench_.get<std::uint32_t>(memory(), b.grids, grids.size()) == grids;
  for (std::size_t p = 1; is_right && p < sources.size(); ++p)
    is_right = ids[sources[p - 1]] <= ids[sources[p]];
  if (expect(is_right, Shader::group)) gathered(experts, x, sources);
}

// x, [n, n_embd], at the places of its choices.
void SelfTest::gathered(const GpuExperts& experts, const Floats& x,
                        const std::vector<std::uint32_t>& sources) {
  Floats want;
  for (const std::uint32_t source : sources) {
    const std::size_t row = source / static_cast<std::uint32_t>(hp_.experts.n_expert_used);
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * n_embd());
    want.insert(want.end(), first, first + hp_.n_embd);
  }
  const GpuActivations& to = buffers_.experts.gathered;
  const bool floats = experts.chosen.up.reads_floats();
  if (floats) expect(bench_.get<float>(memory(), to.floats, want.size()), want, Shader::gather);
  const bool halves = has_halves_ && x.size() / n_embd() > kMostTokens;
  expect_activations(want, to, !floats, halves, Shader::gather);
}

// What experts give for n_rows tokens.
struct SelfTest::Given {
  Floats rows, weights, shared, turns;
  std::vector<std::uint32_t> places;  // of rows, the last one first
};

SelfTest::Given SelfTest::put_given(int n_rows) {
  const GpuExpertBuffers& b = buffers_.experts;
  const std::size_t n_choices = size(n_rows * hp_.experts.n_expert_used);
  Given given{bench_.random(n_choices * n_embd()), bench_.random(n_choices),
              bench_.random(size(n_rows) * n_embd()), bench_.random(size(n_rows), 3),
              std::vector<std::uint32_t>(n_choices)};
  std::iota(given.places.rbegin(), given.places.rend(), 0U);
  bench_.put(memory(), b.given, given.rows);
  bench_.put(memory(), b.weights, given.weights);
  bench_.put(memory(), b.places, given.places);
  bench_.put(memory(), b.shared_given, given.shared);
  bench_.put(memory(), b.shared_logits, given.turns);
  return given;
}

void SelfTest::sum(const GpuLayer& layer, int n_rows) {
  const GpuExperts& experts = layer.experts;
  const GpuLayer& first = model_.layers.front();
  const std::size_t n_used = size(hp_.experts.n_expert_used), n = size(n_rows) * n_embd();
  const Residual::When when = layer.plan->feed_forward_residual.when;
  const bool adds = when == Residual::When::at_once;
  const Given given = put_given(n_rows);
  Floats want = bench_.random(n);
  bench_.put(memory(), buffers_.x, want);
  bool is_normed = false, is_ordered = false;
  record(n_rows, [&](PassRecorder& r) {
    is_ordered = r.is_grouped();
    r.combine(experts, when, {&first.mixer_input, Readers({&first.q})});
    is_normed = r.is_normed_;
  });
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t t = i / n_embd();
    float sum = 0;
    for (std::size_t k = t * n_used; k < (t + 1) * n_used; ++k)
      sum += given.weights[k] *
             given.rows[(is_ordered ? given.places[k] : k) * n_embd() + i % n_embd()];
    if (experts.shared.up.n_rows > 0)
      sum += given.shared[i] *
             (experts.shared_router.n_rows > 0 ? 1 / (1 + std::exp(-given.turns[t])) : 1);
    want[i] = adds ? want[i] + hp_.residual_scale * sum : sum;
  }
  expect(bench_.get<float>(memory(), adds ? buffers_.x : buffers_.waiting, n), want,
         Shader::combine);
  if (is_normed) expect_for_norm(want, first.plan->mixer_input.norm, Shader::combine);
}

}  // namespace confab::engine
