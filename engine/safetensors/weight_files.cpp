// SPDX-License-Identifier: MIT
#include "engine/safetensors/weight_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "engine/error.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {
namespace {

constexpr const char* kOne = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::size_t kMaxFiles = 1000;

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// The tensors that each shard should have.
using Shards = std::map<std::string, std::set<std::string>>;

Shards read_index(const std::string& path) {
  const Json index = read_json(path);
  const JsonFields fields(path, index);
  const Json* names = fields.find("weight_map");
  if (names == nullptr || !names->is_object() || names->empty()) {
    fields.fail("\"weight_map\" is missing, expected the file of each tensor");
  }
  Shards shards;
  for (const auto& [tensor, file] : names->members()) {
    const std::string name = file.is_string() ? *file.as_text() : std::string();
    const bool is_here = name.find_first_of("/\\") == name.npos && name.find('\0') == name.npos;
    if (!name.ends_with(".safetensors") || !is_here) {
      fields.fail(
          fmt::format("tensor {} is said to be in {}, expected a .safetensors file of the "
                      "same folder",
                      printable(tensor), printable(file.excerpt())));
    }
    shards[name].insert(tensor);
  }
  if (shards.size() > kMaxFiles) {
    fields.fail(fmt::format("names {} files, expected at most {}", shards.size(), kMaxFiles));
  }
  return shards;
}

void add_file(const std::string& path, WeightFiles& weights) {
  weights.files.emplace_back(path);
  weights.paths.push_back(path);
  std::vector<SafeTensor> tensors = read_safetensors(path, weights.files.back().bytes());
  std::move(tensors.begin(), tensors.end(), std::back_inserter(weights.tensors));
}

void add_shard(const std::string& path, std::set<std::string> wanted, WeightFiles& weights) {
  const std::size_t n_before = weights.tensors.size();
  add_file(path, weights);
  for (std::size_t i = n_before; i < weights.tensors.size(); ++i)
    wanted.erase(weights.tensors[i].name);
  if (wanted.empty()) return;
  throw ModelError(fmt::format("{}: tensor {} is missing, which {} says is here", path,
                               printable(*wanted.begin()), kIndex));
}

}  // namespace

WeightFiles open_weights(const std::string& folder) {
  WeightFiles weights;
  const std::string index = folder + "/" + kIndex, one = folder + "/" + kOne;
  if (!exists(index)) {
    if (!exists(one)) {
      throw ModelError(fmt::format("{}: has neither {} nor {}, so its weights are missing", folder,
                                   kOne, kIndex));
    }
    add_file(one, weights);
    return weights;
  }
  const Shards shards = read_index(index);
  for (const auto& [name, tensors] : shards) {
    const std::string path = folder + "/" + name;
    if (!exists(path)) {
      throw ModelError(
          fmt::format("{}: is one of {} files of the model, and is missing; download it "
                      "into the same folder",
                      path, shards.size()));
    }
  }
  for (const auto& [name, tensors] : shards) add_shard(folder + "/" + name, tensors, weights);
  return weights;
}

}  // namespace confab::engine
