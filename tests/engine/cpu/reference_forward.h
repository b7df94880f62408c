// SPDX-License-Identifier: MIT
// The decoder as the papers write it, in float64, one token and one loop after the other: what the
// engine's forward pass is compared with. F32 tensors only; sizes come from the metadata.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "engine/gguf/gguf.h"

namespace confab::engine {

class ReferenceForward {
 public:
  // By its approximation with tanh (Hendrycks and Gimpel, arXiv:1606.08415).
  static double gelu(double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }

  // activation: of feed-forwards without a gate; those with one have SiLU.
  explicit ReferenceForward(const Gguf& gguf, double (*activation)(double) = gelu)
      : gguf_(gguf),
        arch_(std::string(gguf.find_string("general.architecture").value()) + "."),
        activation_(activation) {}

  // Logits of all tokens, [n, n_vocab].
  std::vector<double> run(const std::vector<int>& tokens) {
    keys_.assign(integer("block_count"), {});
    values_.assign(integer("block_count"), {});
    std::vector<double> logits;
    for (std::size_t pos = 0; pos < tokens.size(); ++pos) {
      const Vector row = token(tokens[pos], static_cast<int>(pos));
      logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
  }

 private:
  using Vector = std::vector<double>;

  std::size_t integer(const std::string& key) const {
    return static_cast<std::size_t>(gguf_.find_int(arch_ + key).value());
  }
  double number(const std::string& key, double otherwise) const {
    return gguf_.find_float(arch_ + key).value_or(otherwise);
  }
  bool has(const std::string& name) const { return gguf_.find_tensor(name) != nullptr; }
  const float* tensor(const std::string& name) const {
    return reinterpret_cast<const float*>(gguf_.find_tensor(name)->data.data());
  }

  // W x + b, of the matrix that is `index`-th of its kind in the tensor.
  Vector linear(const std::string& name, const Vector& x, std::size_t index = 0) const {
    const std::size_t n_out = gguf_.find_tensor(name + ".weight")->shape[1];
    const float* w = tensor(name + ".weight") + index * n_out * x.size();
    Vector y(n_out, 0.0);
    for (std::size_t r = 0; r < n_out; ++r) {
      for (std::size_t c = 0; c < x.size(); ++c) y[r] += double{w[r * x.size() + c]} * x[c];
      if (has(name + ".bias")) y[r] += double{tensor(name + ".bias")[index * n_out + r]};
    }
    return y;
  }

  // RMSNorm, or LayerNorm where the file has the epsilon of that.
  Vector norm(const std::string& name, const Vector& x) const {
    const auto layer_eps = gguf_.find_float(arch_ + "attention.layer_norm_epsilon");
    const double eps = layer_eps ? *layer_eps : number("attention.layer_norm_rms_epsilon", 0);
    const double n = static_cast<double>(x.size());
    double mean = 0, squares = 0;
    if (layer_eps) {
      for (const double v : x) mean += v / n;
    }
    for (const double v : x) squares += (v - mean) * (v - mean);
    Vector y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = (x[i] - mean) / std::sqrt(squares / n + eps) * double{tensor(name + ".weight")[i]};
      if (has(name + ".bias")) y[i] += double{tensor(name + ".bias")[i]};
    }
    return y;
  }

  // The factor by which pair i turns from one position to the next, as an angle; YaRN as in its
  // paper: the ramp runs between the pairs that turn beta_fast and beta_slow times.
  double frequency(std::size_t i, double n_rot) const {
    const double base = number("rope.freq_base", 10000);
    double f = std::pow(base, -2 * static_cast<double>(i) / n_rot);
    if (has("rope_freqs.weight")) f /= double{tensor("rope_freqs.weight")[i]};
    const double scale = number("rope.scaling.factor", 1);
    if (!is_yarn()) return f / scale;
    const double n_orig = number("rope.scaling.original_context_length", 0);
    const auto pair_of = [&](double turns) {
      return n_rot * std::log(n_orig / (2 * std::numbers::pi * turns)) / (2 * std::log(base));
    };
    const double low = std::max(std::floor(pair_of(32)), 0.0);
    const double high = std::min(std::ceil(pair_of(1)), n_rot - 1);
    const double gamma =
        1 - std::min(1.0, std::max(0.0, (static_cast<double>(i) - low) / (high - low)));
    return (1 - gamma) * f / scale + gamma * f;
  }
  bool is_yarn() const { return gguf_.find_string(arch_ + "rope.scaling.type") == "yarn"; }

  // Pairs of neighbours turn in llama, pairs half a head apart in qwen2.
  void rope(double* head, std::size_t n_rot, int pos) const {
    const bool neighbours = arch_ == "llama.";
    const double size = is_yarn() ? 1 + 0.1 * std::log(number("rope.scaling.factor", 1)) : 1;
    for (std::size_t i = 0; i < n_rot / 2; ++i) {
      double& a = head[neighbours ? 2 * i : i];
      double& b = head[neighbours ? 2 * i + 1 : i + n_rot / 2];
      const auto turn = std::polar(size, pos * frequency(i, static_cast<double>(n_rot)));
      const std::complex<double> turned = std::complex<double>(a, b) * turn;
      a = turned.real();
      b = turned.imag();
    }
  }

  // A query sees so many positions, in all layers.
  std::size_t window() const {
    return static_cast<std::size_t>(
        gguf_.find_int(arch_ + "attention.sliding_window").value_or(1 << 30));
  }

  Vector attention(const Vector& q, std::size_t il) const {
    const std::size_t n_head = integer("attention.head_count");
    const std::size_t n_group = n_head / integer("attention.head_count_kv");
    const std::size_t dim = q.size() / n_head;
    Vector out(q.size(), 0.0);
    for (std::size_t h = 0; h < n_head; ++h) {
      Vector p;
      double sum = 0;
      for (std::size_t t = 0; t < keys_[il].size(); ++t) {
        const Vector& k = keys_[il][t];
        if (t + window() < keys_[il].size()) {
          p.push_back(0);
          continue;
        }
        double dot = 0;
        for (std::size_t i = 0; i < dim; ++i) dot += q[h * dim + i] * k[h / n_group * dim + i];
        p.push_back(std::exp(dot / std::sqrt(static_cast<double>(dim))));
        sum += p.back();
      }
      for (std::size_t t = 0; t < p.size(); ++t) {
        for (std::size_t i = 0; i < dim; ++i) {
          out[h * dim + i] += p[t] / sum * values_[il][t][h / n_group * dim + i];
        }
      }
    }
    return out;
  }

  static void add(const Vector& y, Vector& x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  void layer(std::size_t il, int pos, Vector& x) {
    const std::string b = "blk." + std::to_string(il) + ".";
    const std::size_t dim = x.size() / integer("attention.head_count");
    const Vector xn = norm(b + "attn_norm", x);
    Vector q = linear(b + "attn_q", xn), k = linear(b + "attn_k", xn);
    for (std::size_t i = 0; i < q.size(); i += dim) rope(&q[i], dim, pos);
    for (std::size_t i = 0; i < k.size(); i += dim) rope(&k[i], dim, pos);
    keys_[il].push_back(k);
    values_[il].push_back(linear(b + "attn_v", xn));
    add(linear(b + "attn_output", attention(q, il)), x);

    const Vector hn = norm(b + "ffn_norm", x);
    if (has(b + "ffn_gate_inp.weight")) {
      add(experts(b, hn), x);
    } else if (!has(b + "ffn_gate.weight")) {
      Vector h = linear(b + "ffn_up", hn);
      for (double& v : h) v = activation_(v);
      add(linear(b + "ffn_down", h), x);
    } else {
      add(feed_forward(linear(b + "ffn_gate", hn), linear(b + "ffn_up", hn), b + "ffn_down"), x);
    }
  }

  Vector feed_forward(Vector h, const Vector& up, const std::string& down) const {
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = sigmoid(h[i]) * h[i] * up[i];
    return linear(down, h);
  }

  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  // The sum of the experts with the largest probabilities, by their probability: as they are in
  // qwen2moe, made to sum to 1 in the others. Shared ones come on top.
  Vector experts(const std::string& b, const Vector& x) const {
    std::vector<std::pair<double, std::size_t>> ranking;
    double sum = 0;
    for (const double logit : linear(b + "ffn_gate_inp", x)) {
      ranking.emplace_back(-std::exp(logit), ranking.size());
      sum += std::exp(logit);
    }
    std::sort(ranking.begin(), ranking.end());
    ranking.resize(integer("expert_used_count"));
    if (arch_ != "qwen2moe.") {
      sum = 0;
      for (const auto& [negative, id] : ranking) sum -= negative;
    }
    Vector y(x.size(), 0.0);
    for (const auto& [negative, id] : ranking) {
      add(scaled(expert(b, x, id), -negative / sum), y);
    }
    if (has(b + "ffn_gate_inp_shexp.weight")) {
      double gate = 0;
      const float* w = tensor(b + "ffn_gate_inp_shexp.weight");
      for (std::size_t i = 0; i < x.size(); ++i) gate += double{w[i]} * x[i];
      const Vector shared = feed_forward(linear(b + "ffn_gate_shexp", x),
                                         linear(b + "ffn_up_shexp", x), b + "ffn_down_shexp");
      add(scaled(shared, sigmoid(gate)), y);
    }
    return y;
  }

  Vector expert(const std::string& b, const Vector& x, std::size_t id) const {
    Vector h = linear(b + "ffn_gate_exps", x, id);
    const Vector up = linear(b + "ffn_up_exps", x, id);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = sigmoid(h[i]) * h[i] * up[i];
    return linear(b + "ffn_down_exps", h, id);
  }

  static Vector scaled(Vector x, double scale) {
    for (double& v : x) v *= scale;
    return x;
  }

  Vector token(int id, int pos) {
    const std::size_t n_embd = integer("embedding_length");
    const float* embedding = tensor("token_embd.weight") + static_cast<std::size_t>(id) * n_embd;
    Vector x(embedding, embedding + n_embd);
    for (std::size_t il = 0; il < keys_.size(); ++il) layer(il, pos, x);
    x = norm("output_norm", x);
    return linear(has("output.weight") ? "output" : "token_embd", x);
  }

  const Gguf& gguf_;
  std::string arch_;
  double (*activation_)(double);
  std::vector<std::vector<Vector>> keys_;  // [n_layer][n_tokens]
  std::vector<std::vector<Vector>> values_;
};

}  // namespace confab::engine
