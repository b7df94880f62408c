// SPDX-License-Identifier: MIT
// A whole KernelTable made of the vocabulary S (simd.h) and the codes C (codes.h) of an instruction
// set. Both are in unnamed namespaces, so everything that is instantiated with them here has
// internal linkage too: no two instruction sets share a function.
#pragma once

#include "kernels/generic/attention.h"
#include "kernels/generic/encode.h"
#include "kernels/generic/matmul_float.h"
#include "kernels/generic/matmul_q8.h"
#include "kernels/generic/rows.h"
#include "kernels/generic/vector.h"

namespace confab::kernels::generic {

// The function that multiplies a type of weights by q8 activations.
template <class S, class C>
class MatmulOf {
 public:
  using Run = void (*)(const WeightRows& w, std::int64_t row0, std::int64_t n_rows,
                       const Activations& x, float* y, std::int64_t y_stride) noexcept;

  static Run of(Dtype quantised) noexcept {
    switch (quantised) {
      case Dtype::Q4_0:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ4_0>, typename C::Q4_0,
                                       ScaleOfBlock<S, BlockQ4_0>, 15, 8>>::run;
      case Dtype::Q4_1:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ4_1>, typename C::Q4_1,
                                       ScaleAndMinOfBlock<S, BlockQ4_1>, 15, 0>>::run;
      case Dtype::Q5_0:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ5_0>, typename C::Q5_0,
                                       ScaleOfBlock<S, BlockQ5_0>, 31, 16>>::run;
      case Dtype::Q5_1:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ5_1>, typename C::Q5_1,
                                       ScaleAndMinOfBlock<S, BlockQ5_1>, 31, 0>>::run;
      case Dtype::Q8_0:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ8_0>, typename C::Q8_0,
                                       ScaleOfBlock<S, BlockQ8_0>, 255, 0, true>>::run;
      case Dtype::IQ4_NL:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockIQ4_NL>, typename C::IQ4_NL,
                                       ScaleOfBlock<S, BlockIQ4_NL>, 255, 0, true>>::run;
      case Dtype::MXFP4:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockMXFP4>, typename C::MXFP4,
                                       ScaleOfMXFP4<S>, 24, 12>>::run;
      case Dtype::NVFP4:
        return MatmulQ8<S, InRegisters<S, TransposedWords<S, typename C::NVFP4>, typename C::NVFP4,
                                       ScalesNVFP4<S>, 24, 12>>::run;
      case Dtype::Q1_0:
        return MatmulQ8<S, InRegisters<S, TransposedWords<S, typename C::Q1_0>, typename C::Q1_0,
                                       ScaleOfBlock<S, BlockQ1_0, 128>, 2, 1>>::run;
      case Dtype::Q2_0:
        return MatmulQ8<S, InRegisters<S, TransposedWords<S, typename C::Q2_0>, typename C::Q2_0,
                                       ScaleOfBlock<S, BlockQ2_0, 64>, 3, 1>>::run;
      case Dtype::TQ2_0:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockTQ2_0>, typename C::TQ2_0,
                                       ScaleOfBlock<S, BlockTQ2_0, 256>, 2, 1>>::run;
      case Dtype::Q2_K:
        return MatmulQ8<
            S, InRegisters<S, WordCodes<S, BlockQ2_K>, typename C::Q2_K, ScalesQ2_K<S>, 3, 0>>::run;
      case Dtype::Q3_K:
        return MatmulQ8<
            S, InRegisters<S, WordCodes<S, BlockQ3_K>, typename C::Q3_K, ScalesQ3_K<S>, 7, 4>>::run;
      case Dtype::Q4_K:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ4_K>, typename C::Q4_K,
                                       ScalesK4<S, BlockQ4_K>, 15, 0>>::run;
      case Dtype::Q5_K:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ5_K>, typename C::Q5_K,
                                       ScalesK4<S, BlockQ5_K>, 31, 0>>::run;
      case Dtype::Q6_K:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockQ6_K>, typename C::Q6_K, ScalesQ6_K<S>,
                                       63, 32>>::run;
      case Dtype::IQ4_XS:
        return MatmulQ8<S, InRegisters<S, WordCodes<S, BlockIQ4_XS>, typename C::IQ4_XS,
                                       ScalesIQ4_XS<S>, 255, 0, true>>::run;
      case Dtype::IQ2_XXS:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ2_XXS>>::run;
      case Dtype::IQ2_XS:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ2_XS>>::run;
      case Dtype::IQ2_S:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ2_S>>::run;
      case Dtype::IQ3_XXS:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ3_XXS>>::run;
      case Dtype::IQ3_S:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ3_S>>::run;
      case Dtype::IQ1_S:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ1_S>>::run;
      case Dtype::IQ1_M:
        return MatmulQ8<S, Unpacking<S, C, BlockIQ1_M>>::run;
      case Dtype::TQ1_0:
        return MatmulQ8<S, Unpacking<S, C, BlockTQ1_0>>::run;
      default:
        __builtin_trap();  // other types are not quantised
    }
  }
};

template <class S, class C>
struct Table {
  static void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows,
                     const Activations& x, float* y, std::int64_t y_stride) noexcept {
    const auto run =
        x.format == ActFormat::q8 ? MatmulOf<S, C>::of(w.dtype) : MatmulFloat<S, Rows<S>>::run;
    run(w, row0, n_rows, x, y, y_stride);
  }

  static constexpr KernelTable make(Isa isa) noexcept {
    return {
        .isa = isa,
        .matmul = matmul,
        .pack_row = Rows<S>::pack,
        .decode_weights = Rows<S>::decode_weights,
        .decode_row = Rows<S>::decode,
        .encode_row = Encode<S>::row,
        .rms_norm = Vector<S>::rms_norm,
        .layer_norm = Vector<S>::layer_norm,
        .rope = Vector<S>::rope,
        .silu_mul = Vector<S>::silu_mul,
        .swiglu_oai = Vector<S>::swiglu_oai,
        .gelu_mul = Vector<S>::gelu_mul,
        .sigmoid_mul = Vector<S>::sigmoid_mul,
        .add = Vector<S>::add,
        .add_scaled = Vector<S>::add_scaled,
        .soft_cap = Vector<S>::soft_cap,
        .softmax = Vector<S>::softmax,
        .attention = Attention<S, C>::run,
        .attention_partial = Attention<S, C>::run_partial,
        .attention_join = Attention<S, C>::join,
        .delta_rule = Vector<S>::delta_rule,
        .hadamard = Hadamard<S>::run,
    };
  }
};

}  // namespace confab::kernels::generic
