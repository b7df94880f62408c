# SPDX-License-Identifier: MIT
"""Cases whose layers are mostly recurrent (gated delta net)."""
import numpy as np

from dense_cases import explicit_head_dim, sizes
from expert_cases import expert_keys, shared_expert
from golden_case import Model

N_EMBD, N_STATE, N_K_HEADS, N_V_HEADS, N_CONV = 32, 8, 2, 4, 4


def hybrid(name, arch, seed, features):
    m = Model(name, arch, seed, features, ssm__conv_kernel=N_CONV, ssm__state_size=N_STATE,
              ssm__group_count=N_K_HEADS, ssm__time_step_rank=N_V_HEADS,
              ssm__inner_size=N_STATE * N_V_HEADS, full_attention_interval=2)
    sizes(m, N_EMBD, 3, 24, 4, 2, 1e-6, 1000000.0)
    explicit_head_dim(m, 16, 8)
    m.embedding(N_EMBD)
    return m


def full_attention(m, il):
    m.attention(il, N_EMBD, 4, 2, 16)
    m.matrix(f"blk.{il}.attn_q", N_EMBD, 4 * 16 * 2, 1.5)
    m.norm(f"blk.{il}.attn_q_norm", 16)
    m.norm(f"blk.{il}.attn_k_norm", 16)


def delta_net(m, il):
    n_key, n_value = N_K_HEADS * N_STATE, N_V_HEADS * N_STATE
    m.matrix(f"blk.{il}.attn_qkv", N_EMBD, 2 * n_key + n_value)
    m.matrix(f"blk.{il}.attn_gate", N_EMBD, n_value)
    m.matrix(f"blk.{il}.ssm_conv1d", N_CONV, 2 * n_key + n_value)
    m.bias(f"blk.{il}.ssm_dt", N_V_HEADS)
    m.values(f"blk.{il}.ssm_a", -np.exp(0.5 * m.random.standard_normal(N_V_HEADS) - 1.5))
    m.norm(f"blk.{il}.ssm_norm", N_STATE)
    m.matrix(f"blk.{il}.ssm_out", n_value, N_EMBD)


def layers(m, mixer, ffn):
    for il in range(3):
        m.norm(f"blk.{il}.attn_norm", N_EMBD)
        m.norm(f"blk.{il}.post_attention_norm", N_EMBD)
        if (il + 1) % 2 == 0:
            full_attention(m, il)
        else:
            delta_net(m, il)
            mixer(il)
        ffn(il)


def qwen35():
    m = hybrid("qwen35", "qwen35", 2201,
               "gated delta net on every other layer, gated attention on the "
               "others, partial rotation with sections")
    m.keys(rope__dimension_sections=[2, 1, 1, 0])

    def mixer(il):
        m.matrix(f"blk.{il}.ssm_beta", N_EMBD, N_V_HEADS)
        m.matrix(f"blk.{il}.ssm_alpha", N_EMBD, N_V_HEADS)

    layers(m, mixer, lambda il: m.ffn(il, N_EMBD, 24))
    return m


def qwen3next():
    m = hybrid("qwen3next", "qwen3next", 2202,
               "gated delta net on every other layer, gated attention on "
               "the others, experts and a gated shared one")
    expert_keys(m, 4, 2, expert_feed_forward_length=8, expert_shared_feed_forward_length=8)

    def ffn(il):
        m.experts(il, N_EMBD, 8, 4)
        shared_expert(m, il, N_EMBD, 8, gated=True)

    layers(m, lambda il: m.matrix(f"blk.{il}.ssm_ba", N_EMBD, 2 * N_V_HEADS), ffn)
    return m


def cases():
    yield qwen35()
    yield qwen3next()
