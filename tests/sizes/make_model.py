#!/usr/bin/env python3
"""Writes GGUF files with the true sizes of published models, but few layers and random, valid weights.

  make_model.py --list
  make_model.py --shape qwen3-30b-a3b --type q4_k_m OUT.gguf      # one layer of each kind that the model has
  make_model.py --shape gemma-4-e2b --layers all OUT.gguf         # the whole model
  make_model.py --shape llama-3.1-8b --layers 3 OUT.gguf

Everything but the number of layers is as in the published model: widths, heads, experts, size of the vocabulary (a
synthetic byte-level BPE), windows, tied output. What a model does only at its number of layers (Command R+: norms of q
and k, Gemma 2 27B, Gemma 3 27B: scale of scores) needs --layers all. The text is nonsense; activations are of order 1.
--experts N cuts the number of experts. --sparse leaves the matrices as holes in the file, all zero: whole models of any
size for `confab fit`, and for what depends on the number of layers, without disk space. Needs numpy; about 1 GB/s.
"""
import argparse
import math
import struct
import sys
import time

import numpy as np

# ------------------------------------------------------------------------------------------ types of tensors
F32, F16, Q4_0, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, IQ2_XXS, IQ4_NL, IQ4_XS, BF16, MXFP4 = (
    0, 1, 2, 6, 7, 8, 12, 13, 14, 16, 20, 23, 30, 39)
BLOCK = {F32: (1, 4), F16: (1, 2), BF16: (1, 2), Q4_0: (32, 18), Q5_0: (32, 22), Q5_1: (32, 24), Q8_0: (32, 34),
         Q4_K: (256, 144), Q5_K: (256, 176), Q6_K: (256, 210), IQ2_XXS: (256, 66), IQ4_NL: (32, 18),
         IQ4_XS: (256, 136), MXFP4: (32, 17)}
BASE = {'f16': F16, 'bf16': BF16, 'q4_0': Q4_0, 'q8_0': Q8_0, 'q4_k_m': Q4_K, 'q6_k': Q6_K, 'iq4_xs': IQ4_XS,
        'iq2_xxs': IQ2_XXS, 'mxfp4': Q8_0}
FTYPE = {'f16': 1, 'q4_0': 2, 'q8_0': 7, 'q4_k_m': 15, 'q6_k': 18, 'iq2_xxs': 19, 'iq4_xs': 30, 'bf16': 32, 'mxfp4': 38}
# For rows that are no multiple of 256, as llama-quantize does.
FALLBACK = {Q4_K: Q5_0, Q5_K: Q5_1, Q6_K: Q8_0, IQ4_XS: IQ4_NL, IQ2_XXS: IQ4_NL}
HALVES = {Q4_K: (0, 2), Q5_K: (0, 2), Q6_K: (208,), Q4_0: (0,), Q5_0: (0,), Q5_1: (0, 2), Q8_0: (0,), IQ4_NL: (0,),
          IQ4_XS: (0,), IQ2_XXS: (0,)}  # where the scales of a block are

# ------------------------------------------------------------------------------------------ models
def S(source, arch, n_layer, n_embd, n_ff, n_head, n_kv, head_dim, n_vocab, tied, base, **more):
    return dict(source=source, arch=arch, n_layer=n_layer, n_embd=n_embd, n_ff=n_ff, n_head=n_head, n_kv=n_kv,
                head_dim=head_dim, n_vocab=n_vocab, tied=tied, base=base, ctx=131072, eps=1e-6) | more

def X(n, used, n_ff, shared=0, **more): return dict(n=n, used=used, n_ff=n_ff, shared=shared, **more)

# Where the numbers are from: "known" = config.json of the published model, from memory, not looked up.
SLIME, GEMMACPP, MLXLM, BENCH = 'THUDM/slime scripts/models', 'google/gemma.cpp configs.cc', 'ml-explore/mlx-lm', 'bench/make_bench_model.py'
KNOWN = 'known'
OLLAMA4 = 'ollama x/models/gemma4 tests (config.json)'
QWEN_DELTA = dict(conv=4, state=128, k_heads=16)
DSV3 = dict(q_rank=1536, kv_rank=512, nope=128, rope=64, value=128)
SHAPES = {
    # llama and mistral3
    'llama-3.1-8b':       S(KNOWN, 'llama', 32, 4096, 14336, 32, 8, 128, 128256, False, 5e5, rope_freqs=8.0),
    'llama-3.1-70b':      S(KNOWN, 'llama', 80, 8192, 28672, 64, 8, 128, 128256, False, 5e5, rope_freqs=8.0),
    'llama-3.1-405b':     S(KNOWN, 'llama', 126, 16384, 53248, 128, 8, 128, 128256, False, 5e5, rope_freqs=8.0),
    'llama-3.2-1b':       S(BENCH, 'llama', 16, 2048, 8192, 32, 8, 64, 128256, True, 5e5, rope_freqs=32.0),
    'mixtral-8x7b':       S(KNOWN, 'llama', 32, 4096, 14336, 32, 8, 128, 32000, False, 1e6, x=X(8, 2, 14336)),
    'mistral-small-3-24b': S(KNOWN, 'llama', 40, 5120, 32768, 32, 8, 128, 131072, False, 1e8),
    'falcon3-7b':         S(KNOWN, 'llama', 28, 3072, 23040, 12, 4, 256, 131072, False, 1000042.0),
    'ministral-3-3b':     S('config signatures (github, sizes); known', 'mistral3', 26, 3072, 9216, 32, 8, 128, 131072, True, 1e6, temperature=0.1, yarn=(16.0, 16384)),
    'ministral-3-8b':     S('hf2swift notes; known', 'mistral3', 34, 4096, 14336, 32, 8, 128, 131072, False, 1e6, temperature=0.1, yarn=(16.0, 16384)),
    'devstral-small-2-24b': S('imp tests (config.json)', 'mistral3', 40, 5120, 32768, 32, 8, 128, 131072, False, 1e8, temperature=0.1, yarn=(48.0, 8192)),
    # Qwen
    'qwen2.5-0.5b':       S(BENCH, 'qwen2', 24, 896, 4864, 14, 2, 64, 151936, True, 1e6, qkv_bias=True),
    'qwen2.5-32b':        S(SLIME, 'qwen2', 64, 5120, 27648, 40, 8, 128, 152064, False, 1e6, qkv_bias=True),
    'qwen1.5-moe-a2.7b':  S('planner tests (config.json)', 'qwen2moe', 24, 2048, 5632, 16, 16, 128, 151936, False, 1e6, qkv_bias=True, x=X(60, 4, 1408, 5632, gated=True)),
    'qwen2-57b-a14b':     S(KNOWN, 'qwen2moe', 28, 3584, 18944, 28, 4, 128, 151936, False, 1e6, qkv_bias=True, x=X(64, 8, 2560, 20480, gated=True)),
    'qwen3-0.6b':         S(BENCH, 'qwen3', 28, 1024, 3072, 16, 8, 128, 151936, True, 1e6, qk_norm='head'),
    'qwen3-4b':           S(BENCH, 'qwen3', 36, 2560, 9728, 32, 8, 128, 151936, True, 1e6, qk_norm='head'),
    'qwen3-14b':          S(SLIME, 'qwen3', 40, 5120, 17408, 40, 8, 128, 151936, False, 1e6, qk_norm='head'),
    'qwen3-32b':          S(SLIME, 'qwen3', 64, 5120, 25600, 64, 8, 128, 151936, False, 1e6, qk_norm='head'),
    'qwen3-30b-a3b':      S(BENCH, 'qwen3moe', 48, 2048, 6144, 32, 4, 128, 151936, False, 1e6, qk_norm='head', x=X(128, 8, 768)),
    'qwen3-235b-a22b':    S(SLIME, 'qwen3moe', 94, 4096, 12288, 64, 4, 128, 151936, False, 1e6, qk_norm='head', x=X(128, 8, 1536)),
    'qwen3-next-80b-a3b': S(SLIME, 'qwen3next', 48, 2048, 5120, 16, 2, 256, 151936, False, 1e7, qk_norm='head', n_rot=64, delta=QWEN_DELTA | dict(v_heads=32), x=X(512, 10, 512, 512, gated=True)),
    'qwen3.5-4b':         S(SLIME, 'qwen35', 32, 2560, 9216, 16, 4, 256, 248320, True, 1e7, qk_norm='head', n_rot=64, delta=QWEN_DELTA | dict(v_heads=32)),
    'qwen3.5-27b':        S(SLIME + '; config.json in tests', 'qwen35', 64, 5120, 17408, 24, 4, 256, 248320, False, 1e7, qk_norm='head', n_rot=64, delta=QWEN_DELTA | dict(v_heads=48)),
    'qwen3.5-35b-a3b':    S(SLIME, 'qwen35moe', 40, 2048, 512, 16, 2, 256, 248320, False, 1e7, qk_norm='head', n_rot=64, delta=QWEN_DELTA | dict(v_heads=32), x=X(256, 8, 512, 512, gated=True)),
    # Gemma
    'gemma-2-2b':         S(GEMMACPP, 'gemma2', 26, 2304, 9216, 8, 4, 256, 256000, True, 1e4, window=4096, period=2, post=True, caps=(50.0, 30.0)),
    'gemma-2-27b':        S(GEMMACPP, 'gemma2', 46, 4608, 36864, 32, 16, 128, 256000, True, 1e4, window=4096, period=2, post=True, caps=(50.0, 30.0)),
    'gemma-3-1b':         S(GEMMACPP, 'gemma3', 26, 1152, 6912, 4, 1, 256, 262144, True, 1e6, window=512, period=6, post=True, qk_norm='head'),
    'gemma-3-4b':         S(GEMMACPP, 'gemma3', 34, 2560, 10240, 8, 4, 256, 262208, True, 1e6, window=1024, period=6, post=True, qk_norm='head'),
    'gemma-3-27b':        S(GEMMACPP, 'gemma3', 62, 5376, 21504, 32, 16, 128, 262208, True, 1e6, window=1024, period=6, post=True, qk_norm='head'),
    'gemma-4-e2b':        S(MLXLM + ' gemma4_text.py', 'gemma4', 35, 1536, 6144, 8, 1, 512, 262144, True, 1e6, window=512, period=5, post=True, qk_norm='head', head_dim_swa=256, kv_global=1, per_layer=256, n_shared=20, wide=True),
    'gemma-4-e4b':        S(OLLAMA4, 'gemma4', 42, 2560, 10240, 8, 2, 512, 262144, True, 1e6, window=512, period=6, post=True, qk_norm='head', head_dim_swa=256, kv_global=2, per_layer=256, n_shared=18),
    'gemma-4-26b-a4b':    S(OLLAMA4, 'gemma4', 30, 2816, 2112, 16, 8, 512, 262144, True, 1e6, window=1024, period=6, post=True, qk_norm='head', head_dim_swa=256, kv_global=2, k_is_v=True, x=X(128, 8, 704)),
    'gemma-4-31b':        S(SLIME + '; ' + OLLAMA4, 'gemma4', 60, 5376, 21504, 32, 16, 512, 262144, True, 1e6, window=1024, period=6, post=True, qk_norm='head', head_dim_swa=256, kv_global=4, k_is_v=True),
    # OpenAI
    'gpt-oss-20b':        S(KNOWN, 'gpt-oss', 24, 2880, 2880, 64, 8, 64, 201088, False, 150000.0, window=128, period=2, qkv_bias=True, sinks=True, yarn=(32.0, 4096), x=X(32, 4, 2880, biases=True)),
    'gpt-oss-120b':       S(KNOWN, 'gpt-oss', 36, 2880, 2880, 64, 8, 64, 201088, False, 150000.0, window=128, period=2, qkv_bias=True, sinks=True, yarn=(32.0, 4096), x=X(128, 4, 2880, biases=True)),
    # DeepSeek's latent attention
    'deepseek-v2-lite':   S('planner tests (config.json)', 'deepseek2', 27, 2048, 10944, 16, 1, 0, 102400, False, 1e4, latent=dict(q_rank=0, kv_rank=512, nope=128, rope=64, value=128), yarn=(40.0, 4096), log_multiplier=0.0707, n_dense=1, x=X(64, 6, 1408, 2816, n_shared=2, gating=1, scale=1.0)),
    'deepseek-v3':        S(SLIME, 'deepseek2', 61, 7168, 18432, 128, 1, 0, 129280, False, 1e4, latent=DSV3, yarn=(40.0, 4096), log_multiplier=0.1, n_dense=3, x=X(256, 8, 2048, 2048, n_shared=1, gating=2, scale=2.5, norm=True, groups=(8, 4), probs_bias=True)),
    'glm-4.7-flash':      S(SLIME + '; ' + MLXLM, 'deepseek2', 47, 2048, 10240, 20, 1, 0, 154880, False, 1e6, latent=dict(q_rank=768, kv_rank=512, nope=192, rope=64, value=256), n_dense=1, x=X(64, 4, 1536, 1536, n_shared=1, gating=2, scale=1.8, norm=True, probs_bias=True)),
    # GLM
    'glm-4-9b':           S(SLIME, 'glm4', 40, 4096, 13696, 32, 2, 128, 151552, False, 1e4, n_rot=64, post=True, qkv_bias=True, fused_gate_up=True),
    'glm-4-32b':          S(SLIME, 'glm4', 61, 6144, 23040, 48, 8, 128, 151552, False, 1e4, n_rot=64, post=True, fused_gate_up=True),
    'glm-4.5-air':        S(SLIME, 'glm4moe', 46, 4096, 10944, 96, 8, 128, 151552, False, 1e6, n_rot=64, qkv_bias=True, n_dense=1, x=X(128, 8, 1408, 1408, n_shared=1, gating=2, scale=1.0, norm=True, probs_bias=True)),
    # Granite
    'granite-3.3-8b':     S(KNOWN, 'granite', 40, 4096, 12800, 32, 8, 128, 49159, True, 1e7, scales=(12.0, 0.22, 0.0078125, 16.0)),
    'granite-4.0-micro':  S(KNOWN, 'granite', 40, 2560, 8192, 40, 8, 64, 100352, True, 1e7, scales=(12.0, 0.22, 0.015625, 10.0)),
    'granite-3.1-3b-a800m': S('planner tests (config.json)', 'granitemoe', 32, 1536, 512, 24, 8, 64, 49155, True, 1e7, scales=(12.0, 0.22, 0.015625, 6.0), x=X(40, 8, 512)),
    'granite-3.1-1b-a400m': S('GraniteMoE tests (config.json)', 'granitemoe', 24, 1024, 512, 16, 8, 64, 49155, True, 1e7, scales=(12.0, 0.22, 0.015625, 6.0), x=X(32, 8, 512)),
    # Microsoft
    'phi-3.5-mini':       S(KNOWN, 'phi3', 32, 3072, 8192, 32, 32, 96, 32064, False, 1e4, fused_qkv=True, fused_gate_up=True, longrope=4096),
    'phi-4':              S(KNOWN, 'phi3', 40, 5120, 17920, 40, 10, 128, 100352, False, 250000.0, fused_qkv=True, fused_gate_up=True, ctx=16384),
    'phi-4-mini':         S(KNOWN, 'phi3', 32, 3072, 8192, 24, 8, 128, 200064, True, 1e4, n_rot=96, fused_qkv=True, fused_gate_up=True, longrope=4096),
    # Allen AI
    'olmo-2-7b':          S(KNOWN, 'olmo2', 32, 4096, 11008, 32, 32, 128, 100352, False, 5e5, pre=False, post=True, qk_norm='row', ctx=4096),
    'olmo-3-32b':         S('EXPECTED_ARCHITECTURE in tests; known', 'olmo2', 64, 5120, 27648, 40, 8, 128, 100278, False, 5e5, pre=False, post=True, qk_norm='row', window=4096, period=4, yarn=(8.0, 8192)),
    # Cohere
    'command-r-35b':      S(KNOWN, 'command-r', 40, 8192, 22528, 64, 64, 128, 256000, True, 8e6, layer_norm=1e-5, parallel=True, logit_scale=0.0625),
    'command-r7b':        S(KNOWN, 'cohere2', 32, 4096, 14336, 32, 8, 128, 256000, True, 5e4, layer_norm=1e-5, parallel=True, logit_scale=0.25, window=4096, period=4),
    'command-a':          S(KNOWN, 'cohere2', 64, 12288, 36864, 96, 8, 128, 256000, True, 5e4, layer_norm=1e-5, parallel=True, logit_scale=0.25, window=4096, period=4),
    # others
    'starcoder2-3b':      S('detection tests (config.json)', 'starcoder2', 30, 3072, 12288, 24, 2, 128, 49152, True, 999999.4, layer_norm=1e-5, norm_bias=True, qkv_bias=True, mlp_bias=True, gate=False, ctx=16384),
    'starcoder2-15b':     S(KNOWN, 'starcoder2', 40, 6144, 24576, 48, 4, 128, 49152, False, 1e5, layer_norm=1e-5, norm_bias=True, qkv_bias=True, mlp_bias=True, gate=False, ctx=16384),
    'smollm3-3b':         S('hf2swift notes; known', 'smollm3', 36, 2048, 11008, 16, 4, 128, 128256, True, 5e6, kinds=4),
}

# ------------------------------------------------------------------------------------------ metadata
class Meta:
    def __init__(self, arch):
        self.arch, self.parts, self.count = arch, [], 0

    @staticmethod
    def text(x):
        x = x.encode()
        return struct.pack('<Q', len(x)) + x

    def put(self, key, value):
        """A leading dot stands for the architecture's name."""
        kinds = {bool: (7, '<B'), int: (4, '<I'), float: (6, '<f')}
        data = self.text(self.arch + key if key.startswith('.') else key)
        if isinstance(value, str):
            data += struct.pack('<I', 8) + self.text(value)
        elif isinstance(value, list) and isinstance(value[0], str):
            data += struct.pack('<IIQ', 9, 8, len(value)) + b''.join(map(self.text, value))
        elif isinstance(value, list):
            kind, form = kinds[type(value[0])] if type(value[0]) is not int else (5, '<i')
            data += struct.pack('<IIQ', 9, kind, len(value)) + np.asarray(value).astype(form.replace('B', 'u1').replace('i', 'i4').replace('f', 'f4')).tobytes()
        else:
            kind, form = kinds[type(value)]
            data += struct.pack('<I', kind) + struct.pack(form, value)
        self.parts.append(data)
        self.count += 1

def vocabulary(n):
    """Byte-level BPE: the bytes, pairs of letters, words of two pairs with their merges, four special tokens."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in keep]
    tokens = [chr(b) for b in keep] + [chr(256 + i) for i in range(len(rest))]
    space = chr(256 + rest.index(32))
    special = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|pad|>']
    letters, merges, room = 'etaoinshrdlcumwfgypbvkjxqz', [], n - len(special)
    pairs = [a + b for a in letters for b in letters]
    parts = [(a, b) for a in space + letters for b in letters]
    parts += [(h, p) for h in [space + a for a in letters] + pairs for p in pairs]
    for a, b in parts[: room - len(tokens)]:
        tokens.append(a + b)
        merges.append(a + ' ' + b)
    assert len(tokens) == room, 'vocabulary too large for its words'
    return tokens + special, [1] * room + [3] * len(special), merges

TEMPLATE = ("{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")

# ------------------------------------------------------------------------------------------ random valid blocks
def six_bits(sc, mn):
    """8 scales and 8 mins of six bits each, in 12 bytes."""
    return np.hstack([(sc[:, :4] & 63) | ((sc[:, 4:] >> 4) << 6), (mn[:, :4] & 63) | ((mn[:, 4:] >> 4) << 6),
                      (sc[:, 4:] & 15) | ((mn[:, 4:] & 15) << 4)]).astype(np.uint8)

def random_blocks(rng, ty, std, n):
    """[n, bytes of a block], zero mean, the given standard deviation."""
    bits = lambda width: rng.integers(0, 256, (n, width), dtype=np.uint8)
    half = lambda d: np.asarray(d, np.float16).view(np.uint8).reshape(n, 2)
    if ty in (F32, F16, BF16):
        x = (rng.standard_normal(n) * std).astype(np.float32)
        if ty == F16: x = x.astype(np.float16)
        if ty == BF16: x = (x.view(np.uint32) >> 16).astype(np.uint16)
        return x.view(np.uint8).reshape(n, -1)
    d = std * rng.uniform(0.8, 1.2, n)
    sign = rng.choice([-1.0, 1.0], n)
    sc = rng.integers(32, 64, (n, 8), dtype=np.uint8)
    if ty == Q4_0: return np.hstack([half(sign * d / 4.6), bits(16)])
    if ty == Q5_0: return np.hstack([half(sign * d / 9.2), bits(4), bits(16)])
    if ty == Q5_1: return np.hstack([half(d / 9.2), half(d / 9.2 * -15.5), bits(4), bits(16)])
    if ty == Q8_0: return np.hstack([half(d / 73.3), np.maximum(bits(32).view(np.int8), -127).view(np.uint8)])
    if ty == IQ4_NL: return np.hstack([half(sign * d / 67), bits(16)])
    if ty == IQ4_XS: return np.hstack([half(d / (67 * 18.5)), bits(2), bits(4), bits(128)])
    if ty == IQ2_XXS: return np.hstack([half(d / 57), bits(64)])
    if ty == MXFP4: return np.hstack([np.full((n, 1), 128 + round(math.log2(std / 5.85)), np.uint8), bits(16)])
    if ty == Q4_K: d /= 48 * 4.65; return np.hstack([half(d), half(d * 7.5), six_bits(sc, sc), bits(128)])
    if ty == Q5_K: d /= 48 * 9.3; return np.hstack([half(d), half(d * 15.5), six_bits(sc, sc), bits(32), bits(128)])
    if ty == Q6_K:
        scales = (rng.integers(32, 64, (n, 16)) * rng.choice([-1, 1], (n, 16))).astype(np.int8).view(np.uint8)
        return np.hstack([bits(128), bits(64), scales, half(d / (48 * 18.5))])
    raise ValueError(ty)

def more_bits(i, n): return i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2

# ------------------------------------------------------------------------------------------ a model's tensors
class File:
    def __init__(self, name, mode, layers, n_experts=0):
        self.s = s = dict(SHAPES[name])
        if n_experts and 'x' in s: s['x'] = s['x'] | dict(n=n_experts)
        self.mode, self.tensors, self.meta = mode, [], Meta(s['arch'])
        self.kinds = self.layer_kinds(layers)
        self.n = len(self.kinds)
        self.keys(name)
        self.all_tensors()

    # Of a layer: 'w' slides or 'g' sees everything, 'r' recurrent; 'd' dense or 'x' experts; 's' shares keys.
    def layer_kinds(self, layers):
        s, n = self.s, self.s['n_layer']
        period, n_shared, n_dense = s.get('period', 0), s.get('n_shared', 0), s.get('n_dense', 0)
        def whole(i):
            mixer = ('g' if (i + 1) % period == 0 else 'w') if period else 'g'
            if 'delta' in s: mixer = 'g' if (i + 1) % 4 == 0 else 'r'
            return mixer + ('x' if 'x' in s and i >= n_dense else 'd') + ('s' if i >= n - n_shared else '')
        every = [whole(i) for i in range(n)]
        if layers == 'all': return every
        each = list(dict.fromkeys(every))  # one of each, in order
        if n_dense and len(each) == 1 and 'x' in s: each = ['gd', 'gx']
        if s.get('kinds'): each = every[:s['kinds']]
        if period == 2 and 'x' in s: each = every[:2]
        if layers == 'kinds': return each
        return [each[i % len(each)] for i in range(int(layers))]

    def keys(self, name):
        s, put = self.s, self.meta.put
        put('general.architecture', s['arch'])
        put('general.name', 'sizes of ' + name)
        put('general.file_type', FTYPE[self.mode])
        put('general.quantization_version', 2)
        put('.context_length', s['ctx'])
        put('.embedding_length', s['n_embd'])
        put('.block_count', self.n)
        if s['arch'] != 'qwen35moe': put('.feed_forward_length', self.widths() if s.get('wide') else s['n_ff'])
        put('.attention.head_count', s['n_head'])
        heads_kv = [self.n_kv(k) for k in self.kinds]
        put('.attention.head_count_kv', heads_kv if len(set(heads_kv)) > 1 else heads_kv[0])
        put('.vocab_size', s['n_vocab'])
        put('.rope.freq_base', float(s['base']))
        put('.attention.layer_norm_epsilon' if 'layer_norm' in s else '.attention.layer_norm_rms_epsilon', s.get('layer_norm', s['eps']))
        if s['head_dim']:
            put('.rope.dimension_count', s.get('n_rot', s['head_dim']))
            put('.attention.key_length', s['head_dim'])
            put('.attention.value_length', s['head_dim'])
        if 'window' in s:
            put('.attention.sliding_window', s['window'])
            put('.attention.sliding_window_pattern', [k[0] == 'w' for k in self.kinds])
        if 'head_dim_swa' in s:
            put('.attention.key_length_swa', s['head_dim_swa'])
            put('.attention.value_length_swa', s['head_dim_swa'])
            put('.rope.dimension_count_swa', s['head_dim_swa'])
            put('.rope.freq_base_swa', 10000.0)
            put('.attention.shared_kv_layers', sum('s' in k for k in self.kinds))
            put('.embedding_length_per_layer_input', s.get('per_layer', 0))
            put('.final_logit_softcapping', 30.0)
        if s['arch'] == 'gemma3': put('.rope.freq_base_swa', 10000.0)
        if 'caps' in s:
            put('.attn_logit_softcapping', s['caps'][0])
            put('.final_logit_softcapping', s['caps'][1])
        if 'yarn' in s:
            put('.rope.scaling.type', 'yarn')
            put('.rope.scaling.factor', s['yarn'][0])
            put('.rope.scaling.original_context_length', s['yarn'][1])
        if 'log_multiplier' in s: put('.rope.scaling.yarn_log_multiplier', s['log_multiplier'])
        if 'temperature' in s: put('.attention.temperature_scale', s['temperature'])
        if 'longrope' in s:
            put('.rope.scaling.original_context_length', s['longrope'])
            put('.rope.scaling.attn_factor', math.sqrt(1 + math.log(s['ctx'] / s['longrope']) / math.log(s['longrope'])))
        if 'logit_scale' in s: put('.logit_scale', s['logit_scale'])
        if s.get('parallel'): put('.rope.scaling.type', 'none')
        if 'scales' in s:
            for key, value in zip(('.embedding_scale', '.residual_scale', '.attention.scale', '.logit_scale'), s['scales']): put(key, value)
        if 'latent' in s: self.latent_keys(s['latent'])
        if 'delta' in s:
            d = s['delta']
            put('.ssm.conv_kernel', d['conv'])
            put('.ssm.state_size', d['state'])
            put('.ssm.group_count', d['k_heads'])
            put('.ssm.time_step_rank', d['v_heads'])
            put('.ssm.inner_size', d['v_heads'] * d['state'])
            put('.full_attention_interval', self.kinds.index(next(k for k in self.kinds if k[0] == 'g')) + 1 if any(k[0] == 'g' for k in self.kinds) else self.n)
            if s['arch'] != 'qwen3next': put('.rope.dimension_sections', [11, 11, 10, 0])
        if 'x' in s: self.expert_keys(s['x'])
        tokens, types, merges = vocabulary(s['n_vocab'])
        n = len(tokens)
        put('tokenizer.ggml.model', 'gpt2')
        put('tokenizer.ggml.pre', 'qwen2')
        put('tokenizer.ggml.tokens', tokens)
        put('tokenizer.ggml.token_type', types)
        put('tokenizer.ggml.merges', merges)
        for which, at in (('bos', 4), ('eos', 2), ('padding', 1)): put(f'tokenizer.ggml.{which}_token_id', n - at)
        put('tokenizer.ggml.add_bos_token', False)
        put('tokenizer.chat_template', TEMPLATE)

    def latent_keys(self, l):
        put = self.meta.put
        put('.rope.dimension_count', l['rope'])
        put('.attention.kv_lora_rank', l['kv_rank'])
        if l['q_rank']: put('.attention.q_lora_rank', l['q_rank'])
        put('.attention.key_length', l['kv_rank'] + l['rope'])
        put('.attention.value_length', l['kv_rank'])
        put('.attention.key_length_mla', l['nope'] + l['rope'])
        put('.attention.value_length_mla', l['value'])

    def expert_keys(self, x):
        put = self.meta.put
        put('.expert_count', x['n'])
        put('.expert_used_count', min(x['used'], x['n']))
        put('.expert_feed_forward_length', x['n_ff'])
        if 'n_shared' in x: put('.expert_shared_count', x['n_shared'])
        elif x['shared']: put('.expert_shared_feed_forward_length', x['shared'])
        if 'n_dense' in self.s: put('.leading_dense_block_count', sum(k[1] == 'd' for k in self.kinds))
        if 'gating' in x: put('.expert_gating_func', x['gating'])
        if 'scale' in x: put('.expert_weights_scale', x['scale'])
        if 'norm' in x: put('.expert_weights_norm', x['norm'])
        if 'groups' in x:
            put('.expert_group_count', x['groups'][0])
            put('.expert_group_used_count', x['groups'][1])

    def widths(self): return [self.n_ff(k) for k in self.kinds]
    def n_ff(self, kind): return self.s['n_ff'] * (2 if self.s.get('wide') and 's' in kind else 1)
    def n_kv(self, kind): return self.s['kv_global'] if kind[0] == 'g' and 'kv_global' in self.s else self.s['n_kv']
    def head_dim(self, kind): return self.s['head_dim_swa'] if kind[0] == 'w' and 'head_dim_swa' in self.s else self.s['head_dim']

    # ------------------------------------------------ tensors: (name, dims in file order, type, kind, deviation)
    def plain(self, name, *dims, kind='bias', std=0.1): self.tensors.append((name, list(dims), F32, kind, std))
    def norm(self, name, n, mean=1.0): self.tensors.append((name + '.weight', [n], F32, 'norm', mean))
    def weight(self, name, *dims, gain=1.0, std=None, il=0, fresh=False):
        short = name.split('.')[-1]
        ty = self.choose(short, dims[0], il)
        self.tensors.append((name + '.weight', list(dims), ty, 'fresh' if fresh else 'weight', std or gain / math.sqrt(dims[0])))

    def choose(self, short, row, il):
        """The type of a tensor, as llama-quantize would choose it (without importance)."""
        base, s = BASE[self.mode], self.s
        if base in (F16, BF16): return base
        ty, n_expert = base, s.get('x', {}).get('n', 0)
        if self.mode == 'mxfp4' and short.endswith('_exps'): ty = MXFP4
        elif short == 'output' or (short == 'token_embd' and s['tied']): ty = Q8_0 if base == Q8_0 or row % 256 else Q6_K
        elif short in ('token_embd', 'per_layer_token_embd') and base == IQ2_XXS: ty = Q4_K
        elif short == 'attn_v' and self.mode == 'q4_k_m': ty = Q8_0 if n_expert == 8 else Q6_K if more_bits(il, self.n) else ty
        elif short == 'attn_v' and base == IQ2_XXS: ty = Q4_K
        elif short == 'attn_k' and n_expert == 8: ty = Q8_0
        elif short.startswith('ffn_down') and self.mode == 'q4_k_m' and more_bits(il, self.n): ty = Q6_K
        if row % BLOCK[ty][0]: ty = FALLBACK.get(ty, F16)
        return F16 if row % BLOCK[ty][0] else ty

    def all_tensors(self):
        s = self.s
        E, V = s['n_embd'], s['n_vocab']
        scale = math.sqrt(E) if s['arch'].startswith('gemma') else s['scales'][0] if 'scales' in s else 1.0
        self.weight('token_embd', E, V, std=1 / math.sqrt(E) if s['tied'] and scale == 1 else 1 / scale if scale > 1 else 0.1, fresh=True)
        self.norm('output_norm', E)
        if s.get('norm_bias'): self.plain('output_norm.bias', E)
        if not s['tied']: self.weight('output', E, V, fresh=True)
        if s.get('rope_freqs'): self.tensors.append(('rope_freqs.weight', [s['head_dim'] // 2], F32, 'freqs', s['rope_freqs']))
        if s['arch'] == 'gemma4': self.tensors.append(('rope_freqs.weight', [s['head_dim'] // 2], F32, 'quarter', 0))
        if 'longrope' in s:
            n_rot = s.get('n_rot', s['head_dim'])
            for which, most in (('short', 3.0), ('long', 64.0)): self.tensors.append((f'rope_factors_{which}.weight', [n_rot // 2], F32, 'ramp', most))
        if s.get('per_layer'):
            P = s['per_layer']
            self.weight('per_layer_model_proj', E, P * self.n)
            self.norm('per_layer_proj_norm', P)
            self.weight('per_layer_token_embd', P * self.n, V, std=1 / math.sqrt(P))
        for il, kind in enumerate(self.kinds): self.layer(il, kind)

    # Where embeddings are the output, too, what layers add outweighs the last token: else it is always the next one.
    def gain(self):
        s = self.s
        return 8.0 / s.get('scales', (0, 1.0))[1] if s['tied'] and (s['arch'].startswith('gemma') or 'scales' in s) else 1.0

    def layer(self, il, kind):
        s, p = self.s, f'blk.{il}.'
        E = s['n_embd']
        second = 'post_attention_norm' if s['arch'] in ('gpt-oss', 'glm4moe', 'qwen3next', 'qwen35', 'qwen35moe') else 'ffn_norm'
        if s.get('pre', True):
            for which in ('attn_norm',) if s.get('parallel') else ('attn_norm', second):
                self.norm(p + which, E)
                if s.get('norm_bias'): self.plain(p + which + '.bias', E)
        if s.get('post'):
            self.norm(p + 'post_attention_norm', E, self.gain())
            self.norm(p + 'post_ffw_norm', E, self.gain())
        if kind[0] == 'r': self.delta_net(p, il)
        elif 'latent' in s: self.latent(p, il)
        else: self.attention(p, il, kind)
        if kind[1] == 'x': self.experts(p, il)
        if kind[1] == 'd' or s['arch'] == 'gemma4': self.dense(p, il, self.n_ff(kind))
        if s.get('per_layer'):
            self.weight(p + 'inp_gate', E, s['per_layer'], il=il)
            self.weight(p + 'proj', s['per_layer'], E, il=il)
            self.norm(p + 'post_norm', E)
        if s['arch'] == 'gemma4': self.plain(p + 'layer_output_scale.weight', 1, kind='norm', std=0.8)

    def attention(self, p, il, kind):
        s, E, H, KV, D = self.s, self.s['n_embd'], self.s['n_head'], self.n_kv(kind), self.head_dim(kind)
        own = 's' not in kind
        if s.get('fused_qkv'):
            self.weight(p + 'attn_qkv', E, (H + 2 * KV) * D, il=il)
        else:
            self.weight(p + 'attn_q', E, H * D * (2 if 'delta' in s else 1), il=il)
            if own:
                self.weight(p + 'attn_k', E, KV * D, il=il)
                if not (s.get('k_is_v') and kind[0] == 'g'): self.weight(p + 'attn_v', E, KV * D, il=il)
            if s.get('qkv_bias'):
                for which, n in (('q', H), ('k', KV), ('v', KV)): self.plain(p + f'attn_{which}.bias', n * D)
        self.weight(p + 'attn_output', H * D, E, il=il)
        if s['arch'] in ('gpt-oss', 'starcoder2'): self.plain(p + 'attn_output.bias', E)
        if s.get('sinks'): self.plain(p + 'attn_sinks.weight', H, std=1.0)
        if s.get('qk_norm'):
            by_head = s['qk_norm'] == 'head'
            self.norm(p + 'attn_q_norm', D if by_head else H * D, 0.25 if s['arch'] == 'gemma4' else 1.0)
            if own: self.norm(p + 'attn_k_norm', D if by_head else KV * D, 0.25 if s['arch'] == 'gemma4' else 1.0)

    def latent(self, p, il):
        s, l = self.s, self.s['latent']
        E, H, R = s['n_embd'], s['n_head'], l['kv_rank']
        if l['q_rank']:
            self.weight(p + 'attn_q_a', E, l['q_rank'], il=il)
            self.norm(p + 'attn_q_a_norm', l['q_rank'])
            self.weight(p + 'attn_q_b', l['q_rank'], H * (l['nope'] + l['rope']), il=il)
        else: self.weight(p + 'attn_q', E, H * (l['nope'] + l['rope']), il=il)
        self.weight(p + 'attn_kv_a_mqa', E, R + l['rope'], il=il)
        self.norm(p + 'attn_kv_a_norm', R)
        self.weight(p + 'attn_k_b', l['nope'], R, H, il=il)
        self.weight(p + 'attn_v_b', R, l['value'], H, il=il)
        self.weight(p + 'attn_output', H * l['value'], E, il=il)

    def delta_net(self, p, il):
        s, d = self.s, self.s['delta']
        E, n_key, n_value = s['n_embd'], d['k_heads'] * d['state'], d['v_heads'] * d['state']
        self.weight(p + 'attn_qkv', E, 2 * n_key + n_value, il=il)
        self.weight(p + 'attn_gate', E, n_value, il=il)
        self.plain(p + 'ssm_conv1d.weight', d['conv'], 2 * n_key + n_value, std=0.5)
        self.plain(p + 'ssm_dt.bias', d['v_heads'])
        self.plain(p + 'ssm_a', d['v_heads'], kind='decay')
        self.norm(p + 'ssm_norm', d['state'])
        self.weight(p + 'ssm_out', n_value, E, il=il)
        if s['arch'] == 'qwen3next': self.weight(p + 'ssm_ba', E, 2 * d['v_heads'], il=il)
        else:
            self.weight(p + 'ssm_beta', E, d['v_heads'], il=il)
            self.weight(p + 'ssm_alpha', E, d['v_heads'], il=il)

    def dense(self, p, il, n_ff, suffix=''):
        s, E = self.s, self.s['n_embd']
        if s.get('fused_gate_up') and not suffix: self.weight(p + 'ffn_up', E, 2 * n_ff, il=il)
        else:
            if s.get('gate', True): self.weight(p + 'ffn_gate' + suffix, E, n_ff, il=il)
            self.weight(p + 'ffn_up' + suffix, E, n_ff, il=il)
        self.weight(p + 'ffn_down' + suffix, n_ff, E, gain=2.0 * self.gain(), il=il)
        if s.get('mlp_bias'):
            self.plain(p + 'ffn_up.bias', n_ff)
            self.plain(p + 'ffn_down.bias', E)

    def experts(self, p, il):
        s, x, E = self.s, self.s['x'], self.s['n_embd']
        n, F = x['n'], x['n_ff']
        self.plain(p + 'ffn_gate_inp.weight', E, n, std=1 / math.sqrt(E))
        if s['arch'] == 'gemma4':
            self.norm(p + 'post_ffw_norm_1', E)
            self.norm(p + 'pre_ffw_norm_2', E)
            self.norm(p + 'post_ffw_norm_2', E)
            self.plain(p + 'ffn_gate_inp.scale', E, kind='norm', std=1.0)
            self.weight(p + 'ffn_gate_up_exps', E, 2 * F, n, il=il)
            self.plain(p + 'ffn_down_exps.scale', n, kind='norm', std=1.0)
        else:
            self.weight(p + 'ffn_gate_exps', E, F, n, il=il)
            self.weight(p + 'ffn_up_exps', E, F, n, il=il)
        self.weight(p + 'ffn_down_exps', F, E, n, gain=2.0 * self.gain(), il=il)
        if x.get('biases'):
            self.plain(p + 'ffn_gate_inp.bias', n)
            for which, width in (('gate', F), ('up', F), ('down', E)): self.plain(p + f'ffn_{which}_exps.bias', width, n)
        if x.get('probs_bias'): self.plain(p + 'exp_probs_b.bias', n)
        if x['shared']: self.dense(p, il, x['shared'], '_shexp')
        if x.get('gated'): self.plain(p + 'ffn_gate_inp_shexp.weight', E, std=1 / math.sqrt(E))

    # ------------------------------------------------ writing
    def values(self, rng, kind, std, n):
        if kind == 'norm': return std * (1 + 0.05 * rng.standard_normal(n))
        if kind == 'bias': return std * rng.standard_normal(n)
        if kind == 'decay': return -np.exp(0.5 * rng.standard_normal(n) - 1.5)
        if kind == 'ramp': return np.linspace(1.0, std, n)
        if kind == 'quarter': return np.where(np.arange(n) < n // 4, 1.0, 1e30)
        assert kind == 'freqs'
        wave = 2 * np.pi * self.s['base'] ** (np.arange(n) / n)
        smooth = (8192 / wave - 1.0) / 3.0
        return np.where(wave < 2048, 1.0, np.where(wave > 8192, std, 1 / ((1 - smooth) / std + smooth)))

    def write(self, path, seed, sparse=False):
        rng, start = np.random.default_rng(seed), time.time()
        size = lambda d, t: math.prod(d) // BLOCK[t][0] * BLOCK[t][1]
        info, offset, chunks = [], 0, {}
        for name, dims, ty, _, _ in self.tensors:
            info.append(Meta.text(name) + struct.pack('<I', len(dims)) + struct.pack(f'<{len(dims)}Q', *dims) + struct.pack('<IQ', ty, offset))
            offset += (size(dims, ty) + 31) // 32 * 32
        head = b'GGUF' + struct.pack('<IQQ', 3, len(self.tensors), self.meta.count) + b''.join(self.meta.parts) + b''.join(info)
        with open(path, 'wb', buffering=1 << 22) as f:
            f.write(head + b'\0' * (-len(head) % 32))
            for name, dims, ty, kind, std in self.tensors:
                left = size(dims, ty)
                pad = -left % 32
                if kind not in ('weight', 'fresh'):
                    f.write(self.values(rng, kind, std, math.prod(dims)).astype(np.float32).tobytes() + b'\0' * pad)
                    continue
                if sparse:
                    f.seek(left + pad, 1)
                    continue
                key = (ty, round(float(std), 6))
                if key not in chunks:
                    chunks[key] = random_blocks(rng, ty, std, (1 << 20) // BLOCK[ty][0] * (1 if BLOCK[ty][0] > 1 else 4) + 1)
                chunk, at = chunks[key], 0
                while left > 0:
                    piece = chunk
                    if kind == 'fresh' and ty in HALVES:  # no two rows of the vocabulary alike
                        piece, factor = chunk.copy(), rng.uniform(0.7, 1.3, len(chunk))
                        for where in HALVES[ty]:
                            old = chunk[:, where:where + 2].copy().view(np.float16)[:, 0]
                            piece[:, where:where + 2] = (old * factor).astype(np.float16).view(np.uint8).reshape(-1, 2)
                    at = int(rng.integers(len(chunk)))
                    for part in (piece[at:], piece[:at]):
                        data = memoryview(part.tobytes())[:left]
                        f.write(data)
                        left -= len(data)
                f.write(b'\0' * pad)
            f.truncate()
        print(f'{path}: {(len(head) + offset) / 1e9:.2f} GB, {self.n} layers ({" ".join(self.kinds)}), {len(self.tensors)} tensors, {time.time() - start:.1f} s')

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--shape', choices=list(SHAPES))
    ap.add_argument('--type', default='q4_k_m', choices=list(BASE), help='mxfp4: of the experts, the rest Q8_0 (gpt-oss)')
    ap.add_argument('--layers', default='kinds', help='a number, "kinds" (one of each kind of layer) or "all"')
    ap.add_argument('--experts', type=int, default=0, help='so many experts instead of the true number')
    ap.add_argument('--sparse', action='store_true', help='leave holes for the matrices (all zero): no disk space, for confab fit and for whole models')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--list', action='store_true')
    ap.add_argument('out', nargs='?')
    a = ap.parse_args()
    if a.list:
        for name, s in SHAPES.items():
            kinds = ' '.join(File.layer_kinds(type('', (), {'s': s}), 'kinds'))
            experts = f", {s['x']['n']} experts of {s['x']['n_ff']}" if 'x' in s else ''
            print(f"{name:22} {s['arch']:11} {s['n_layer']:3} layers ({kinds}), width {s['n_embd']}, ff {s['n_ff']}, {s['n_head']}/{s['n_kv']} heads of {s['head_dim'] or s['latent']['nope'] + s['latent']['rope']}, vocabulary {s['n_vocab']}{experts}  [{s['source']}]")
        return
    if not a.shape or not a.out: sys.exit('need --shape NAME and an output file, or --list')
    File(a.shape, a.type, a.layers, a.experts).write(a.out, a.seed, a.sparse)

if __name__ == '__main__': main()
