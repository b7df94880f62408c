// SPDX-License-Identifier: MIT
// Products of a matrix with a few rows of activations, as commands: by matvec, or by matrix cores.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "engine/gpu/pass_recorder.h"
#include "engine/model/hparams.h"

namespace confab::engine {

using kernels::vulkan::Shader;

namespace {

// The same activations without the first n values.
GpuPacked values_from(const GpuPacked& x, std::uint64_t n, bool are_floats) {
  if (are_floats) return {.codes = x.codes + n * sizeof(float)};
  return {x.codes + n, x.scales + n / 8, x.sums + n / 4};
}

}  // namespace

bool PassRecorder::few_by_cores(const GpuMatrix& m, const Rows& rows) const {
  return gpu_.info().known_fragments && rows.is_few() && uses_matrix_cores(m, rows);
}

void PassRecorder::few_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                                const Rows& rows) {
  MatvecArguments arguments(m, rows.ids);
  arguments.y.codes = to.y;
  arguments.squares = x.squares;
  arguments.w2 = x.norm_weight;
  arguments.added = to.added;
  dispatch_few(m, arguments, x, to.store, rows);
}

bool PassRecorder::is_in_parts(const GpuMatrix& m, const Rows& rows) const {
  const bool by_cores = gpu_.info().known_fragments && uses_matrix_cores(m, rows);
  return rows.tiles == 0 && rows.n <= (by_cores ? kMostInPartsByCores : kMostInParts);
}

void PassRecorder::products_in_parts(const GpuMatrix& m, GpuActivations x, Target to, int n_rows) {
  for (int left = n_rows, n = 0; left > 0; left -= n) {
    // In fours, then what is left: each size is a program that a driver has to make.
    n = left < 4 ? left : std::min(left - left % 4, kMostFew);
    few_products(m, x, to, {.n = n});
    const std::uint64_t n_values = u32(n) * std::uint64_t{m.n_cols};
    x.packed = values_from(x.packed, n_values, false);
    x.floats += n_values * sizeof(float);
    x.halves += n_values * 2;
    to.y += u32(n) * std::uint64_t{m.n_rows} * sizeof(float);
  }
}

void PassRecorder::dispatch_few(const GpuMatrix& m, MatvecArguments arguments,
                                const GpuActivations& x, Store what, const Rows& rows) {
  if (few_by_cores(m, rows)) {
    arguments.x = {.codes = x.halves};
    return dispatch_few_by_cores(m, arguments, what, rows.n);
  }
  const float norm_eps = x.squares == 0 && x.norm_weight == 0 ? 0 : hp_.norm_eps;
  arguments.x = source_of(m, x);
  for (Rows left = rows; left.n > 0;) {
    Rows now = left;
    if (now.apart > now.n) now.apart = 0;  // fewer than a part
    now.n = now.apart > 0 ? now.n - now.n % now.apart : std::min(now.n, kMostTokens);
    dispatch_matvec(m, arguments, {norm_eps, x.norm_weight != 0}, what, now);
    arguments.x = values_from(arguments.x, u32(now.n) * std::uint64_t{m.n_cols}, m.reads_floats());
    arguments.y = values_from(arguments.y, u32(now.n) * std::uint64_t{m.n_rows}, !is_by_32(what));
    left.n -= now.n;
  }
}

void PassRecorder::dispatch_few_by_cores(const GpuMatrix& m, const MatvecArguments& arguments,
                                         Store what, int n_rows) {
  const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max);
  const std::uint32_t n_subgroups = std::min(cores_subgroups(m, what), most / subgroup_);
  dispatch(Shader::matvec_cores, m.format,
           {n_subgroups * subgroup_, u32(n_rows), 1, static_cast<std::uint32_t>(what),
            static_cast<std::uint32_t>(hp_.activation)},
           arguments, {count(m.n_rows, kCoresRows)});
  commands_.reads(m.n_bytes() * (what == Store::hidden ? 2 : 1));
}

// What the product of experts' matrices needs to know of their choice.
void PassRecorder::set_choice(const MatvecArguments& arguments, const Rows& rows,
                              MatvecConstants& constants) const {
  assert(b_.experts.logits - arguments.ids <= UINT32_MAX);
  const GpuExpertBuffers& b = b_.experts;
  const ExpertHparams& e = hp_.experts;
  constants.n_summed = u32(rows.n_summed);
  constants.n_cols = arguments.n_cols;
  constants.ids_at = u32(b.ids - arguments.ids);
  constants.weights_at = u32(b.weights - arguments.ids);
  if (!rows.chooses) return;
  constants.chooses = 1;
  constants.logits_at = u32(b.logits - arguments.ids);
  constants.gating = u32(e.gating);
  constants.n_routed = u32(e.n_expert);
  constants.n_used = u32(e.n_expert_used);
  constants.normalises = e.normalise_weights ? 1 : 0;
}

void PassRecorder::dispatch_matvec(const GpuMatrix& m, const MatvecArguments& arguments,
                                   NormOfX norm, Store what, const Rows& rows) {
  const FewRows few = FewRows::of(m, rows, what, subgroup_);
  const auto most = static_cast<std::uint32_t>(gpu_.info().n_workgroup_max);
  const std::uint32_t n_subgroups = std::min(few.n_subgroups, most / subgroup_);
  MatvecConstants constants{.n_invocations = n_subgroups * subgroup_,
                            .n_tokens = rows.at_once(),
                            .n_rows = few.n,
                            .what = u32(what),
                            .activation = u32(hp_.activation),
                            .n_sharing = rows.sharing(),
                            .n_steps = few.n_steps,
                            .norm_eps = norm.eps,
                            .small_steps = few.small_steps ? 1U : 0U,
                            .norms_x = norm.is_of_stream ? 1U : 0U};
  if (rows.n_summed > 0 || rows.chooses) set_choice(arguments, rows, constants);
  const std::uint32_t n_workgroups = count(m.n_rows, is_by_32(what) ? 32 : n_subgroups * few.n);
  dispatch(Shader::matvec, m.format, constants.words(), arguments,
           rows.apart > 0 ? Grid{rows.n_parts(), n_workgroups} : Grid{n_workgroups});
  commands_.reads(m.n_bytes() * (what == Store::hidden ? 2 : 1) * rows.n_read());
}

}  // namespace confab::engine
