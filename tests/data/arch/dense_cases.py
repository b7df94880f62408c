# SPDX-License-Identifier: MIT
"""Cases without experts."""
from golden_case import Model


def sizes(model, n_embd, n_layer, n_ff, n_head, n_head_kv, rms_eps=1e-5, base=10000.0):
    model.keys(embedding_length=n_embd, block_count=n_layer, feed_forward_length=n_ff,
               attention__head_count=n_head, attention__head_count_kv=n_head_kv,
               rope__freq_base=base)
    if rms_eps:
        model.keys(attention__layer_norm_rms_epsilon=rms_eps)


def explicit_head_dim(model, head_dim, n_rot=None):
    model.keys(attention__key_length=head_dim, attention__value_length=head_dim)
    if n_rot:
        model.keys(rope__dimension_count=n_rot)


def pre_norms(model, il, n_embd):
    model.norm(f"blk.{il}.attn_norm", n_embd)
    model.norm(f"blk.{il}.ffn_norm", n_embd)


def post_norms(model, il, n_embd, mean=1.0):
    model.norm(f"blk.{il}.post_attention_norm", n_embd, mean)
    model.norm(f"blk.{il}.post_ffw_norm", n_embd, mean)


def olmo2(name, seed, features):
    m = Model(name, "olmo2", seed, features)
    sizes(m, 32, 4, 32, 4, 2, 1e-6, 500000.0)
    m.embedding(32)
    for il in range(4):
        m.attention(il, 32, 4, 2, 8)
        m.norm(f"blk.{il}.attn_q_norm", 32)
        m.norm(f"blk.{il}.attn_k_norm", 16)
        m.ffn(il, 32, 32)
        post_norms(m, il, 32, 0.7)
    return m


def olmo3():
    m = olmo2("olmo3", 2002,
              "olmo2 with a sliding window of 16 on three of four layers and YaRN on "
              "the others only")
    m.keys(attention__sliding_window=16,
           attention__sliding_window_pattern=[True, True, True, False],
           rope__scaling__type="yarn", rope__scaling__factor=8.0,
           rope__scaling__original_context_length=16,
           rope__scaling__yarn_attn_factor=1.2079441541679836,
           rope__scaling__yarn_beta_fast=32.0, rope__scaling__yarn_beta_slow=1.0)
    return m


def granite():
    m = Model("granite", "granite", 2003, "scales of embedding, residual, attention and logits",
              embedding_scale=6.0, residual_scale=0.6, attention__scale=0.25, logit_scale=2.5)
    sizes(m, 32, 2, 40, 4, 2)
    m.keys(rope__dimension_count=8)
    m.embedding(32, 0.1, tied=True, norm=12.0)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 8)
        m.ffn(il, 32, 40)
    return m


def glm4():
    m = Model("glm4", "glm4", 2004,
              "half of each head rotated (interleaved), norms after attention "
              "and FFN, biases of q, k and v, fused gate and up")
    sizes(m, 32, 2, 40, 4, 2)
    m.keys(rope__dimension_count=8, attention__key_length=16, attention__value_length=16)
    m.embedding(32)
    for il in range(2):
        pre_norms(m, il, 32)
        post_norms(m, il, 32, 0.7)
        m.attention(il, 32, 4, 2, 16, "qkv")
        m.matrix(f"blk.{il}.ffn_up", 32, 80, 1.4)
        m.matrix(f"blk.{il}.ffn_down", 40, 32)
    return m


def glm4_no_bias():
    m = glm4()
    m.name, m.features = "glm4-no-bias", "as glm4, tied and without biases"
    m.tensors = {k: v for k, v in m.tensors.items() if not k.endswith(".bias")}
    del m.tensors["output.weight"]
    m.tensors["token_embd.weight"] *= 0.5
    return m


def cohere2():
    m = Model("cohere2", "cohere2", 2005,
              "LayerNorm, attention beside FFN, window of 16 with RoPE on "
              "three of four layers, NoPE on the global ones, logit scale, tied",
              attention__layer_norm_epsilon=1e-5, logit_scale=0.25,
              attention__sliding_window=16, rope__scaling__type="none", rope__dimension_count=8)
    sizes(m, 32, 4, 40, 4, 2, None, 50000.0)
    m.embedding(32, 0.3, tied=True, norm=5.0)
    for il in range(4):
        m.norm(f"blk.{il}.attn_norm", 32)
        m.attention(il, 32, 4, 2, 8)
        m.ffn(il, 32, 40)
    return m


def command_r(name, seed, features, n_embd, n_layer, n_ff, n_head, n_head_kv):
    head_dim = n_embd // n_head
    m = Model(name, "command-r", seed, features, attention__layer_norm_epsilon=1e-5,
              logit_scale=0.0625, rope__scaling__type="none")
    sizes(m, n_embd, n_layer, n_ff, n_head, n_head_kv, None, 75000.0)
    m.embedding(n_embd, 0.3, tied=True, norm=30.0)
    for il in range(n_layer):
        m.norm(f"blk.{il}.attn_norm", n_embd)
        m.attention(il, n_embd, n_head, n_head_kv, head_dim)
        if n_layer >= 64:
            for which, n in (("q", n_head), ("k", n_head_kv)):
                values = 1 + 0.3 * m.random.standard_normal((n, head_dim))
                m.values(f"blk.{il}.attn_{which}_norm.weight", values)
        m.ffn(il, n_embd, n_ff)
    return m


def gemma_layer(m, il, n_embd, n_head, n_head_kv, head_dim, n_ff, post=0.8):
    pre_norms(m, il, n_embd)
    post_norms(m, il, n_embd, post)
    m.attention(il, n_embd, n_head, n_head_kv, head_dim)
    m.ffn(il, n_embd, n_ff)


def gemma2_global_scale():
    m = Model("gemma2-46-layers", "gemma2", 2008, "46 layers: the queries are scaled by "
              "n_embd / n_head as in the 27B model, not by the size of a head",
              attention__sliding_window=16, attn_logit_softcapping=3.0,
              final_logit_softcapping=6.0)
    sizes(m, 8, 46, 4, 2, 1, 1e-6)
    explicit_head_dim(m, 12)
    m.embedding(8, 0.35, tied=True, norm=4.0)
    for il in range(46):
        gemma_layer(m, il, 8, 2, 1, 12, 4, 0.1)
    return m


def gemma3_pattern():
    m = Model("gemma3-pattern", "gemma3", 2029,
              "window on two of three layers (pattern in the file), "
              "own base of the local layers, linear scaling of the global ones, logit soft-cap, "
              "untied", attention__sliding_window=16, attention__sliding_window_pattern=3,
              rope__freq_base_swa=5000.0, rope__scaling__type="linear",
              rope__scaling__factor=4.0, final_logit_softcapping=6.0)
    sizes(m, 32, 3, 40, 2, 1, 1e-6, 1000000.0)
    explicit_head_dim(m, 24)
    m.embedding(32, 0.15)
    for il in range(3):
        gemma_layer(m, il, 32, 2, 1, 24, 40)
        m.norm(f"blk.{il}.attn_q_norm", 24)
        m.norm(f"blk.{il}.attn_k_norm", 24)
    return m


def gemma3_global_scale():
    m = Model("gemma3-62-layers", "gemma3", 2010,
              "62 layers: the scale of the queries of the 27B model; "
              "default pattern", attention__sliding_window=16)
    sizes(m, 8, 62, 4, 2, 1, 1e-6, 1000000.0)
    explicit_head_dim(m, 8)
    m.embedding(8, 0.35, tied=True, norm=3.0)
    for il in range(62):
        gemma_layer(m, il, 8, 2, 1, 8, 4, 0.1)
        m.norm(f"blk.{il}.attn_q_norm", 8)
        m.norm(f"blk.{il}.attn_k_norm", 8)
    return m


def gemma4_attention(m, il, n_embd, n_head, n_head_kv, head_dim, has_kv=True, has_v=True):
    m.matrix(f"blk.{il}.attn_q", n_embd, n_head * head_dim)
    m.norm(f"blk.{il}.attn_q_norm", head_dim, 0.6)
    if has_kv:
        m.matrix(f"blk.{il}.attn_k", n_embd, n_head_kv * head_dim)
        m.norm(f"blk.{il}.attn_k_norm", head_dim, 0.6)
        if has_v:
            m.matrix(f"blk.{il}.attn_v", n_embd, n_head_kv * head_dim)
    m.matrix(f"blk.{il}.attn_output", n_head * head_dim, n_embd, 1.2)


def gemma4(name, seed, features, n_layer, pattern, n_head_kv, n_embd_per_layer, n_kv_shared):
    m = Model(name, "gemma4", seed, features, attention__sliding_window=16,
              attention__sliding_window_pattern=pattern, rope__freq_base_swa=10000.0,
              attention__shared_kv_layers=n_kv_shared,
              embedding_length_per_layer_input=n_embd_per_layer, final_logit_softcapping=8.0,
              attention__key_length_swa=8, attention__value_length_swa=8,
              rope__dimension_count_swa=8)
    sizes(m, 32, n_layer, 32, 4, n_head_kv, 1e-6, 1000000.0)
    explicit_head_dim(m, 16, 16)
    m.embedding(32, 0.15, tied=True, norm=3.0)
    # A quarter of a global head is rotated: the factor of the rest makes its angle vanish.
    m.values("rope_freqs.weight", [1.0] * 2 + [1e30] * 6)
    return m


def gemma4_e2b():
    pattern = [True, True, False, True, True, False]
    m = gemma4("gemma4", 2011,
               "per-layer head sizes and windows, the last three layers reuse keys and "
               "values of earlier ones and have a wider FFN, per-layer input embeddings, "
               "proportional RoPE on the global layers, values normed, logit soft-cap, "
               "scale of a layer's output", 6, pattern, 2, 8, 3)
    m.keys(feed_forward_length=[24, 24, 24, 48, 48, 48])
    m.matrix("per_layer_model_proj", 32, 8 * 6)
    m.norm("per_layer_proj_norm", 8)
    m.values("per_layer_token_embd.weight", 0.35 * m.random.standard_normal((64, 8 * 6)))
    for il, local in enumerate(pattern):
        pre_norms(m, il, 32)
        post_norms(m, il, 32, 0.8)
        gemma4_attention(m, il, 32, 4, 2, 8 if local else 16, has_kv=il < 3)
        m.ffn(il, 32, 24 if il < 3 else 48)
        m.matrix(f"blk.{il}.inp_gate", 32, 8)
        m.matrix(f"blk.{il}.proj", 8, 32)
        m.norm(f"blk.{il}.post_norm", 32, 0.8)
        m.values(f"blk.{il}.layer_output_scale.weight", [0.6 + 0.1 * il])
    return m


def gemma4_31b():
    pattern = [True, False, True, False]
    m = gemma4("gemma4-k-as-v", 2012,
               "per-layer counts of KV heads, global layers without attn_v take the "
               "keys before their norm as values, no per-layer embeddings", 4, pattern,
               [2 if local else 1 for local in pattern], 0, 0)
    for il, local in enumerate(pattern):
        pre_norms(m, il, 32)
        post_norms(m, il, 32, 0.8)
        gemma4_attention(m, il, 32, 4, 2 if local else 1, 8 if local else 16, has_v=local)
        m.ffn(il, 32, 32)
        m.values(f"blk.{il}.layer_output_scale.weight", [0.7 + 0.1 * il])
    return m


def llama_mqa():
    m = Model("llama-mqa", "llama", 2013, "one KV head, untied, biases everywhere, long heads "
              "(head_dim * n_head != n_embd)")
    sizes(m, 32, 2, 40, 4, 1)
    explicit_head_dim(m, 12, 12)
    m.embedding(32)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 1, 12, ("q", "k", "v", "output"))
        m.ffn(il, 32, 40)
        m.bias(f"blk.{il}.ffn_gate", 40)
        m.bias(f"blk.{il}.ffn_up", 40)
        m.bias(f"blk.{il}.ffn_down", 32)
    return m


def mistral3_temperature():
    m = Model("mistral3-temperature", "mistral3", 2014,
              "YaRN with its own ramp; queries grow with the logarithm of the "
              "position beyond the original context", attention__temperature_scale=0.3,
              rope__scaling__type="yarn", rope__scaling__factor=4.0,
              rope__scaling__original_context_length=32, rope__scaling__yarn_beta_fast=1.0,
              rope__scaling__yarn_beta_slow=0.2, rope__scaling__yarn_log_multiplier=1.0)
    sizes(m, 32, 2, 48, 4, 2)
    explicit_head_dim(m, 16, 16)
    m.embedding(32)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 16)
        m.ffn(il, 32, 48)
    return m


def phi3_window():
    m = Model("phi3-window", "phi3", 2016,
              "a sliding window in the file, which the reference does not "
              "use in this architecture; partial rotation", attention__sliding_window=16,
              rope__scaling__original_context_length=512)
    sizes(m, 32, 2, 48, 4, 2)
    m.keys(rope__dimension_count=6)
    m.embedding(32)
    phi3_layers(m)
    return m


def phi3_layers(m):
    for il in range(2):
        pre_norms(m, il, 32)
        m.matrix(f"blk.{il}.attn_qkv", 32, 64, 1.4)
        m.matrix(f"blk.{il}.attn_output", 32, 32, 1.2)
        m.matrix(f"blk.{il}.ffn_up", 32, 96, 1.4)
        m.matrix(f"blk.{il}.ffn_down", 48, 32)


def phi3_longrope():
    m = Model("phi3-longrope", "phi3", 2017,
              "longrope: short factors when the context size is at most "
              "256, long ones above, and their factor of the magnitude",
              rope__scaling__type="longrope",
              rope__scaling__original_context_length=256, rope__scaling__attn_factor=1.25)
    m.keys(context_length=4096)
    sizes(m, 32, 2, 48, 4, 4)
    m.keys(rope__dimension_count=8)
    m.n_ctx = [256, 512]
    m.embedding(32)
    m.values("rope_factors_short.weight", [1.0, 1.1, 1.3, 1.9])
    m.values("rope_factors_long.weight", [1.2, 2.5, 7.0, 16.0])
    for il in range(2):
        pre_norms(m, il, 32)
        m.matrix(f"blk.{il}.attn_qkv", 32, 96, 1.4)
        m.matrix(f"blk.{il}.attn_output", 32, 32, 1.2)
        m.matrix(f"blk.{il}.ffn_up", 32, 96, 1.4)
        m.matrix(f"blk.{il}.ffn_down", 48, 32)
    return m


def qwen3_wide_heads():
    m = Model("qwen3-wide-heads", "qwen3", 2018, "n_head * head_dim is twice n_embd, tied")
    sizes(m, 32, 2, 40, 4, 2, 1e-6, 1000000.0)
    explicit_head_dim(m, 16)
    m.embedding(32, 0.5, tied=True)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 16)
        m.norm(f"blk.{il}.attn_q_norm", 16, 1.2)
        m.norm(f"blk.{il}.attn_k_norm", 16, 1.2)
        m.ffn(il, 32, 40)
    return m


def llama3_no_rope_freqs():
    m = Model("llama-linear", "llama", 2019, "linear scaling by the key of old files "
              "(rope.scale_linear), tied", rope__scale_linear=4.0)
    sizes(m, 32, 2, 40, 2, 2)
    m.keys(rope__dimension_count=16)
    m.embedding(32, 0.5, tied=True)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 2, 2, 16)
        m.ffn(il, 32, 40)
    return m


def smollm3_pattern():
    m = Model("smollm3-untied", "smollm3", 2021, "every fourth layer without RoPE, untied, YaRN",
              rope__scaling__type="yarn", rope__scaling__factor=4.0,
              rope__scaling__original_context_length=32)
    sizes(m, 32, 4, 24, 4, 2, 1e-6, 2000000.0)
    m.keys(rope__dimension_count=8)
    m.embedding(32)
    for il in range(4):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 8)
        m.ffn(il, 32, 24)
    return m


def cases():
    yield olmo2("olmo2", 2001, "norms after attention and FFN only, q and k normed over all heads")
    yield olmo3()
    yield granite()
    yield glm4()
    yield glm4_no_bias()
    yield cohere2()
    yield command_r("command-r", 2006, "LayerNorm, attention beside FFN, logit scale, tied", 32, 3,
                    40, 4, 2)
    yield command_r("command-r-64-layers", 2007, "64 layers: LayerNorm of each head of q and k", 8,
                    64, 4, 2, 1)
    yield gemma2_global_scale()
    yield gemma3_pattern()
    yield gemma3_global_scale()
    yield gemma4_e2b()
    yield gemma4_31b()
    yield llama_mqa()
    yield mistral3_temperature()
    yield phi3_window()
    yield phi3_longrope()
    yield qwen3_wide_heads()
    yield llama3_no_rope_freqs()
    yield smollm3_pattern()
