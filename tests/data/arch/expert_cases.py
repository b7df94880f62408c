# SPDX-License-Identifier: MIT
"""Cases with experts, and those of DeepSeek's latent attention."""
from dense_cases import explicit_head_dim, gemma4, gemma4_attention, post_norms, pre_norms, sizes
from golden_case import Model


def expert_keys(model, n_expert, n_used, **keys):
    model.keys(expert_count=n_expert, expert_used_count=n_used, **keys)


def shared_expert(m, il, n_embd, n_ff, gated=False):
    m.ffn(il, n_embd, n_ff, "_shexp")
    if gated:
        m.values(f"blk.{il}.ffn_gate_inp_shexp.weight", 0.3 * m.random.standard_normal(n_embd))


def mixtral_biases():
    m = Model("mixtral-biases", "llama", 2101,
              "experts of `llama` with biases of the attention, top 3 "
              "of 5, untied")
    sizes(m, 32, 2, 16, 4, 2)
    m.keys(rope__dimension_count=8)
    expert_keys(m, 5, 3)
    m.embedding(32)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 8, ("q", "k", "v", "output"))
        m.experts(il, 32, 16, 5)
    return m


def qwen2moe(name, seed, features, shared_key):
    m = Model(name, "qwen2moe", seed, features)
    sizes(m, 32, 2, 24, 4, 2, 1e-6, 1000000.0)
    expert_keys(m, 6, 2, expert_feed_forward_length=8)
    if shared_key:
        m.keys(expert_shared_feed_forward_length=16)
    m.embedding(32)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 8, "qkv")
        m.experts(il, 32, 8, 6)
        shared_expert(m, il, 32, 16 if shared_key else 24, gated=True)
    return m


def granite_moe():
    m = Model("granite-moe", "granitemoe", 2104,
              "granite's four scales with experts and a shared one",
              embedding_scale=5.0, residual_scale=0.5, attention__scale=0.2, logit_scale=3.0,
              expert_shared_feed_forward_length=12)
    sizes(m, 32, 2, 8, 4, 2)
    m.keys(rope__dimension_count=8)
    expert_keys(m, 5, 2)
    m.embedding(32, 0.12, tied=True, norm=12.0)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 2, 8)
        m.experts(il, 32, 8, 5)
        shared_expert(m, il, 32, 12)
    return m


def gpt_oss():
    m = Model("gpt-oss-other-sizes", "gpt-oss", 2105,
              "sinks, biases everywhere, YaRN, window of 16 on even "
              "layers, n_head * head_dim != n_embd, top 3 of 5", attention__sliding_window=16,
              expert_feed_forward_length=12, rope__scaling__type="yarn",
              rope__scaling__factor=8.0, rope__scaling__original_context_length=32)
    sizes(m, 24, 3, 12, 4, 1, 1e-5, 150000.0)
    explicit_head_dim(m, 12)
    expert_keys(m, 5, 3)
    m.embedding(24)
    for il in range(3):
        m.norm(f"blk.{il}.attn_norm", 24)
        m.norm(f"blk.{il}.post_attention_norm", 24)
        m.attention(il, 24, 4, 1, 12, ("q", "k", "v", "output"))
        m.values(f"blk.{il}.attn_sinks.weight", m.random.standard_normal(4) + 1)
        m.experts(il, 24, 12, 5)
        m.bias(f"blk.{il}.ffn_gate_inp", 5)
        for which, n in (("gate", 12), ("up", 12), ("down", 24)):
            m.bias(f"blk.{il}.ffn_{which}_exps", 5, n)
    return m


def qwen3moe():
    m = Model("qwen3moe-top3", "qwen3moe", 2106,
              "top 3 of 6, weights of the chosen made to sum to one")
    sizes(m, 32, 2, 24, 4, 1, 1e-6, 1000000.0)
    explicit_head_dim(m, 12)
    expert_keys(m, 6, 3, expert_feed_forward_length=8)
    m.embedding(32)
    for il in range(2):
        pre_norms(m, il, 32)
        m.attention(il, 32, 4, 1, 12)
        m.norm(f"blk.{il}.attn_q_norm", 12)
        m.norm(f"blk.{il}.attn_k_norm", 12)
        m.experts(il, 32, 8, 6)
    return m


def gemma4_moe():
    pattern = [True, False]
    m = gemma4("gemma4-moe", 2107,
               "experts beside a shared FFN, each with its own norms; the router sees "
               "the residual; fused gate and up of the experts; scales of the experts", 2, pattern,
               [2, 1], 0, 0)
    expert_keys(m, 5, 2, expert_feed_forward_length=12)
    for il, local in enumerate(pattern):
        pre_norms(m, il, 32)
        post_norms(m, il, 32, 0.8)
        gemma4_attention(m, il, 32, 4, 2 if local else 1, 8 if local else 16, has_v=local)
        m.ffn(il, 32, 32)
        m.norm(f"blk.{il}.post_ffw_norm_1", 32, 0.8)
        m.norm(f"blk.{il}.pre_ffw_norm_2", 32)
        m.norm(f"blk.{il}.post_ffw_norm_2", 32, 0.8)
        m.matrix(f"blk.{il}.ffn_gate_inp", 32, 5, 8.0)
        m.values(f"blk.{il}.ffn_gate_inp.scale", 1 + 0.3 * m.random.standard_normal(32))
        m.matrix(f"blk.{il}.ffn_gate_up_exps", 32, 24, 1.4, 5)
        m.matrix(f"blk.{il}.ffn_down_exps", 12, 32, 1.3, 5)
        m.values(f"blk.{il}.ffn_down_exps.scale", 1 + 0.3 * m.random.standard_normal(5))
        m.values(f"blk.{il}.layer_output_scale.weight", [0.8 + 0.1 * il])
    return m


class LatentSizes:
    """Sizes of latent attention: of a head's keys without and with position, of its values."""

    def __init__(self, n_embd=32, n_head=4, q_lora=0, kv_lora=16, nope=8, rope=4, value=8):
        self.n_embd, self.n_head, self.q_lora, self.kv_lora = n_embd, n_head, q_lora, kv_lora
        self.nope, self.rope, self.value = nope, rope, value

    def keys(self, m, absorbed):
        m.keys(attention__kv_lora_rank=self.kv_lora, rope__dimension_count=self.rope)
        if self.q_lora:
            m.keys(attention__q_lora_rank=self.q_lora)
        head_dim = self.nope + self.rope
        if absorbed:
            m.keys(attention__head_count_kv=1, attention__key_length=self.kv_lora + self.rope,
                   attention__value_length=self.kv_lora, attention__key_length_mla=head_dim,
                   attention__value_length_mla=self.value)
        else:
            m.keys(attention__head_count_kv=self.n_head, attention__key_length=head_dim,
                   attention__value_length=self.value)

    def attention(self, m, il, absorbed):
        blk, n_head, n_q = f"blk.{il}.", self.n_head, self.n_head * (self.nope + self.rope)
        if self.q_lora:
            m.matrix(blk + "attn_q_a", self.n_embd, self.q_lora)
            m.norm(blk + "attn_q_a_norm", self.q_lora)
            m.matrix(blk + "attn_q_b", self.q_lora, n_q, 1.5)
        else:
            m.matrix(blk + "attn_q", self.n_embd, n_q, 1.5)
        m.matrix(blk + "attn_kv_a_mqa", self.n_embd, self.kv_lora + self.rope, 1.5)
        m.norm(blk + "attn_kv_a_norm", self.kv_lora)
        m.matrix(blk + "attn_kv_b", self.kv_lora, n_head * (self.nope + self.value), 1.4)
        if absorbed:
            both = m.tensors.pop(blk + "attn_kv_b.weight").reshape(n_head, -1, self.kv_lora)
            m.values(blk + "attn_k_b.weight", both[:, : self.nope].transpose(0, 2, 1).copy())
            m.values(blk + "attn_v_b.weight", both[:, self.nope:].copy())
        m.matrix(blk + "attn_output", n_head * self.value, self.n_embd, 1.2)


def deepseek2(name, seed, features, latent, absorbed, n_layer=3, n_dense=1, n_ff=24, n_ff_exp=8,
              n_expert=6, **keys):
    m = Model(name, "deepseek2", seed, features, leading_dense_block_count=n_dense,
              expert_feed_forward_length=n_ff_exp, expert_shared_count=1)
    sizes(m, latent.n_embd, n_layer, n_ff, latent.n_head, 1, 1e-6)
    latent.keys(m, absorbed)
    expert_keys(m, n_expert, 2, **keys)
    m.embedding(latent.n_embd)
    for il in range(n_layer):
        pre_norms(m, il, latent.n_embd)
        latent.attention(m, il, absorbed)
        if il < n_dense:
            m.ffn(il, latent.n_embd, n_ff)
        else:
            m.experts(il, latent.n_embd, n_ff_exp, n_expert)
            shared_expert(m, il, latent.n_embd, n_ff_exp)
    return m


def yarn(factor, log_multiplier):
    return {"rope__scaling__type": "yarn", "rope__scaling__factor": factor,
            "rope__scaling__original_context_length": 16,
            "rope__scaling__yarn_log_multiplier": log_multiplier}


def deepseek2_dense():
    m = Model("deepseek2-dense", "deepseek2", 2114, "latent attention without experts, all rows "
              "multiples of 32, YaRN without a multiplier, tied", leading_dense_block_count=2,
              expert_feed_forward_length=32, expert_shared_count=0)
    latent = LatentSizes(32, 2, 32, 32, 32, 32, 32)
    sizes(m, 32, 2, 32, 2, 1, 1e-6)
    latent.keys(m, True)
    m.keys(rope__scaling__type="yarn", rope__scaling__factor=4.0,
           rope__scaling__original_context_length=16)
    m.embedding(32, 0.5, tied=True)
    for il in range(2):
        pre_norms(m, il, 32)
        latent.attention(m, il, True)
        m.ffn(il, 32, 32)
    return m


def deepseek_cases():
    yield deepseek2_dense()
    yield deepseek2("deepseek2-lite", 2110, "26 layers, so no low rank of the queries; old layout "
                    "(attn_kv_b), softmax routing, YaRN", LatentSizes(16, 2, 0, 8, 4, 4, 4), False,
                    26, 25, 8, 8, 4, **yarn(4.0, 0.0707))
    yield deepseek2("deepseek2-old-layout", 2111,
                    "low rank of the queries, old layout (attn_kv_b), softmax "
                    "routing, scale of the experts", LatentSizes(q_lora=12), False,
                    expert_weights_scale=1.7)
    yield deepseek2("deepseek2-v2", 2112,
                    "new layout (attn_k_b, attn_v_b), softmax routing, YaRN with a "
                    "multiplier that is not one", LatentSizes(q_lora=12), True,
                    expert_weights_scale=1.7, **yarn(4.0, 0.0707))
    m = deepseek2("deepseek2-v3", 2113,
                  "new layout, sigmoid routing with a bias, the best 2 of 3 groups, "
                  "weights made to sum to the scale, YaRN", LatentSizes(q_lora=12, value=6), True,
                  expert_weights_scale=2.5, expert_weights_norm=True, expert_gating_func=2,
                  expert_group_count=3, expert_group_used_count=2, **yarn(8.0, 0.1))
    for il in range(1, 3):
        m.bias(f"blk.{il}.exp_probs_b", 6, scale=0.2)
    yield m


def cases():
    yield mixtral_biases()
    yield qwen2moe("qwen2moe", 2102,
                   "biases of q, k and v, a shared expert with a sigmoid gate, weights "
                   "of the chosen not normalised", True)
    yield granite_moe()
    yield gpt_oss()
    yield qwen3moe()
    yield gemma4_moe()
    yield from deepseek_cases()
