// SPDX-License-Identifier: MIT
// A whole KernelTable made of the vocabulary S (simd.h) and the codes C (codes.h) of an
// instruction set. As both lie in unnamed namespaces, so does, in effect, everything that is made
// of them here: no two instruction sets share a function.
#pragma once

#include "kernels/generic/attention.h"
#include "kernels/generic/hadamard.h"
#include "kernels/generic/matmul_f32.h"
#include "kernels/generic/matmul_q8.h"
#include "kernels/generic/rows.h"
#include "kernels/generic/vector.h"

namespace confab::kernels::generic {

template <class S, class C>
struct Table {
  static void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows,
                     const Activations& x, float* y, std::int64_t y_stride) noexcept {
    using Q8_0 = Plain<S, typename C::Q8_0, BlockQ8_0, S::kSignedOffset, true>;
    using Q4_0 = Plain<S, typename C::Q4_0, BlockQ4_0, 8, false>;
    using Q4_K = WithMins<S, typename C::Q4_K, BlockQ4_K>;
    using Q5_K = WithMins<S, typename C::Q5_K, BlockQ5_K>;
    using Q6_K = SixBit<S, typename C::Q6_K>;
    if (x.format == ActFormat::f32) {
      return MatmulF32<S, Rows<S>>::run(w, row0, n_rows, x, y, y_stride);
    }
    switch (w.dtype) {
      case Dtype::Q8_0:
        return MatmulQ8<S, Q8_0>{}.run(w, row0, n_rows, x, y, y_stride);
      case Dtype::Q4_0:
        return MatmulQ8<S, Q4_0>{}.run(w, row0, n_rows, x, y, y_stride);
      case Dtype::Q4_K:
        return MatmulQ8<S, Q4_K>{}.run(w, row0, n_rows, x, y, y_stride);
      case Dtype::Q5_K:
        return MatmulQ8<S, Q5_K>{}.run(w, row0, n_rows, x, y, y_stride);
      case Dtype::Q6_K:
        return MatmulQ8<S, Q6_K>{}.run(w, row0, n_rows, x, y, y_stride);
      default: {
        const MatmulQ8<S, Unpacking<S>> by_unpacking{Unpacking<S>(w.dtype)};
        return by_unpacking.run(w, row0, n_rows, x, y, y_stride);
      }
    }
  }

  static constexpr KernelTable make(Isa isa) noexcept {
    return {
        .isa = isa,
        .matmul = matmul,
        .pack_row = Rows<S>::pack,
        .decode_row = Rows<S>::decode,
        .encode_row = Rows<S>::encode,
        .rms_norm = Vector<S>::rms_norm,
        .layer_norm = Vector<S>::layer_norm,
        .rope = Vector<S>::rope,
        .silu_mul = Vector<S>::silu_mul,
        .swiglu_oai = Vector<S>::swiglu_oai,
        .gelu_mul = Vector<S>::gelu_mul,
        .add = Vector<S>::add,
        .add_scaled = Vector<S>::add_scaled,
        .soft_cap = Vector<S>::soft_cap,
        .softmax = Vector<S>::softmax,
        .attention = Attention<S>::run,
        .hadamard = Hadamard<S>::run,
    };
  }
};

}  // namespace confab::kernels::generic
