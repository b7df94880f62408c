// SPDX-License-Identifier: MIT
// What llama.cpp's speculation from n-grams gives for the texts of `bench/replay_texts --keep`: its
// own drafts, checked against the answers as if these had been sampled. bench/README.md says how
// to build it; it is no part of the build.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "common.h"
#include "llama.h"
#include "log.h"
#include "speculative.h"

namespace {

struct Sum {
  std::vector<double> tokens_a_pass;  // of each text
  long n_drafted = 0, n_taken = 0;
};

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replay(common_speculative* drafts, llama_tokens context, const llama_tokens& answer,
            Sum& sum) {
  common_speculative_begin(drafts, 0, context);
  int n_passes = 0;
  for (std::size_t at = 0; at < answer.size(); ++n_passes) {
    llama_tokens draft;
    common_speculative_draft_params& wanted = common_speculative_get_draft_params(drafts, 0);
    wanted.drafting = true;
    wanted.n_max = -1;
    wanted.n_past = static_cast<llama_pos>(context.size());
    wanted.id_last = answer[at];
    wanted.prompt = &context;
    wanted.result = &draft;
    common_speculative_draft(drafts);
    draft.resize(std::min(draft.size(), answer.size() - at - 1));
    std::size_t n_taken = 0;
    while (n_taken < draft.size() && draft[n_taken] == answer[at + 1 + n_taken]) ++n_taken;
    if (!draft.empty()) common_speculative_accept(drafts, 0, static_cast<std::uint16_t>(n_taken));
    sum.n_drafted += static_cast<long>(draft.size());
    sum.n_taken += static_cast<long>(n_taken);
    for (std::size_t i = 0; i <= n_taken; ++i) context.push_back(answer[at++]);
  }
  sum.tokens_a_pass.push_back(static_cast<double>(answer.size()) / n_passes);
}

}  // namespace

// MODEL FOLDER
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  common_log_pause(common_log_main());
  llama_model_params params = llama_model_default_params();
  params.vocab_only = true;
  llama_model* model = llama_model_load_from_file(argv[1], params);
  if (model == nullptr) return 1;
  const llama_vocab* vocab = llama_model_get_vocab(model);
  for (const char* name :
       {"ngram-cache", "ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod"}) {
    std::map<std::string, Sum> sums;
    for (const auto& entry : std::filesystem::directory_iterator(argv[2])) {
      std::filesystem::path file = entry.path();
      if (file.extension() != ".prompt") continue;
      const bool is_edit = file.stem().extension() == ".edit";
      const llama_tokens prompt = common_tokenize(vocab, content(file), false);
      const llama_tokens answer =
          common_tokenize(vocab, content(file.replace_extension(".answer")), false);
      common_params_speculative speculative;
      speculative.types = {common_speculative_type_from_name(name)};
      const common_speculative_ptr drafts(common_speculative_init(speculative, 1));
      replay(drafts.get(), prompt, answer, sums[is_edit ? "edits" : "others"]);
    }
    for (auto& [texts, sum] : sums) {
      std::sort(sum.tokens_a_pass.begin(), sum.tokens_a_pass.end());
      std::printf("| %s | llama.cpp, %s | %zu | %.2f | %ld of %ld |\n", texts.c_str(), name,
                  sum.tokens_a_pass.size(), sum.tokens_a_pass[sum.tokens_a_pass.size() / 2],
                  sum.n_taken, sum.n_drafted);
    }
  }
  llama_model_free(model);
}
