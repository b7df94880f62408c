// SPDX-License-Identifier: MIT
#include "kernels/scalar/scalar.h"
#include "kernels/tables.h"

namespace confab::kernels {

const KernelTable kScalarTable{
    .isa = Isa::scalar,
    .matmul = scalar::matmul,
    .pack_row = scalar::pack_row,
    .decode_weights = scalar::decode_weights,
    .decode_row = scalar::decode_row,
    .encode_row = scalar::encode_row,
    .rms_norm = scalar::rms_norm,
    .layer_norm = scalar::layer_norm,
    .rope = scalar::rope,
    .silu_mul = scalar::silu_mul,
    .swiglu_oai = scalar::swiglu_oai,
    .gelu_mul = scalar::gelu_mul,
    .sigmoid_mul = scalar::sigmoid_mul,
    .add = scalar::add,
    .add_scaled = scalar::add_scaled,
    .soft_cap = scalar::soft_cap,
    .softmax = scalar::softmax,
    .attention = scalar::attention,
    .attention_partial = scalar::attention_partial,
    .attention_join = scalar::attention_join,
    .delta_rule = scalar::delta_rule,
    .hadamard = scalar::hadamard,
};

}  // namespace confab::kernels
