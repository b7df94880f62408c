# SPDX-License-Identifier: MIT
"""A tiny model file with random weights, and the reference's answers to it.

Needs numpy and the `gguf` package (gguf-py of the reference's sources, through PYTHONPATH).
"""
import json
import subprocess
from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

N_VOCAB = 64
N_TOKENS = 64
BOS = 1


class Model:
    """Collects keys and tensors, named as the reference's converters do, then writes a file."""

    def __init__(self, name, arch, seed, features, **keys):
        self.name, self.arch, self.features = name, arch, features
        self.random = np.random.default_rng(seed)
        self.hparams = {}
        self.tensors = {}
        self.n_ctx = [256]
        self.seed = seed
        self.keys(context_length=512, vocab_size=N_VOCAB)
        self.keys(**keys)

    def keys(self, **keys):
        """Keys of the architecture; `__` stands for a dot."""
        for key, value in keys.items():
            self.hparams[f"{self.arch}.{key.replace('__', '.')}"] = value

    def matrix(self, name, n_in, n_out, gain=1.3, *outer):
        """Normal values that keep the variance of their input, times gain."""
        values = self.random.standard_normal((*outer, n_out, n_in)) * (gain / np.sqrt(n_in))
        self.tensors[name + ".weight"] = values.astype(np.float32)

    def norm(self, name, n, mean=1.0):
        values = mean * (1 + 0.15 * self.random.standard_normal(n))
        self.tensors[name + ".weight"] = values.astype(np.float32)

    def bias(self, name, *shape, scale=0.3):
        self.values(name + ".bias", scale * self.random.standard_normal(shape))

    def values(self, name, values):
        self.tensors[name] = np.asarray(values, dtype=np.float32)

    def embedding(self, n_embd, scale=0.7, tied=False, norm=1.0):
        values = scale * self.random.standard_normal((N_VOCAB, n_embd))
        self.values("token_embd.weight", values)
        self.norm("output_norm", n_embd, norm)
        if not tied:
            self.matrix("output", n_embd, N_VOCAB, 2.0)

    def attention(self, il, n_embd, n_head, n_head_kv, head_dim, biases=()):
        self.matrix(f"blk.{il}.attn_q", n_embd, n_head * head_dim, 1.5)
        self.matrix(f"blk.{il}.attn_k", n_embd, n_head_kv * head_dim, 1.5)
        self.matrix(f"blk.{il}.attn_v", n_embd, n_head_kv * head_dim, 1.2)
        self.matrix(f"blk.{il}.attn_output", n_head * head_dim, n_embd, 1.2)
        size = {"q": n_head * head_dim, "k": n_head_kv * head_dim, "v": n_head_kv * head_dim,
                "output": n_embd}
        for which in biases:
            self.bias(f"blk.{il}.attn_{which}", size[which])

    def ffn(self, il, n_embd, n_ff, suffix="", *outer):
        self.matrix(f"blk.{il}.ffn_gate{suffix}", n_embd, n_ff, 1.4, *outer)
        self.matrix(f"blk.{il}.ffn_up{suffix}", n_embd, n_ff, 1.4, *outer)
        self.matrix(f"blk.{il}.ffn_down{suffix}", n_ff, n_embd, 1.3, *outer)

    def experts(self, il, n_embd, n_ff, n_expert):
        self.matrix(f"blk.{il}.ffn_gate_inp", n_embd, n_expert, 1.5)
        self.ffn(il, n_embd, n_ff, "_exps", n_expert)

    def prompt(self):
        tokens = np.random.default_rng(self.seed + 5000).integers(3, N_VOCAB, N_TOKENS)
        return [BOS, *(int(t) for t in tokens[1:])]

    def write(self, path):
        writer = GGUFWriter(path, self.arch)
        writer.add_name("Golden case")
        writer.add_file_type(0)
        writer.add_quantization_version(2)
        for key, value in self.hparams.items():
            add_key(writer, key, value)
        add_vocabulary(writer)
        for name, values in self.tensors.items():
            writer.add_tensor(name, values)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def add_key(writer, key, value):
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)


def add_vocabulary(writer):
    """Single letters: enough to load a file, the cases feed ids."""
    letters = [chr(c) for c in range(ord("!"), 127)][: N_VOCAB - 4]
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(["<unk>", "<s>", "</s>", "\u2581", *letters])
    writer.add_token_scores([-float(i) for i in range(N_VOCAB)])
    writer.add_token_types([TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL]
                           + [TokenType.NORMAL] * (N_VOCAB - 3))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)


def reference_run(program, model, n_ctx, logits, greedy, tokens):
    """What the reference program prints, see README.md; it writes the two files of logits."""
    done = subprocess.run([program, model, str(n_ctx), logits, greedy, *map(str, tokens)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{model}: {done.stderr}")
    return json.loads(done.stdout)


def write_case(model, folder, reference, kind):
    """The folder of one case: model.gguf, case.json and the logits of its runs."""
    folder = Path(folder) / model.name
    folder.mkdir(parents=True, exist_ok=True)
    model.write(folder / "model.gguf")
    tokens = model.prompt()
    runs = []
    for n_ctx in model.n_ctx:
        infix = "" if len(model.n_ctx) == 1 else f".ctx{n_ctx}"
        names = f"logits{infix}.npy", f"greedy_logits{infix}.npy"
        answer = reference_run(reference, folder / "model.gguf", n_ctx,
                               *(folder / name for name in names), tokens)
        runs.append({"n_ctx": n_ctx, "logits": names[0], "greedy_logits": names[1], **answer,
                     "kind": kind})
    case = {"name": model.name, "arch": model.arch, "features": model.features,
            "seed": model.seed, "hparams": model.hparams, "n_vocab": N_VOCAB, "tokens": tokens,
            "runs": runs, "model": "model.gguf"}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
    return runs
