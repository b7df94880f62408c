// SPDX-License-Identifier: MIT
#include "app/cli/wrong_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/cli/completion_script.h"
#include "app/nearest.h"
#include "app/paths.h"
#include "ui/words.h"

namespace confab::app {
namespace {

// What the names of a row mean here. {} stands for the word that follows, or else for `missing`.
struct Advice {
  std::string_view names;  // separated by spaces
  std::string_view text;
  std::string_view missing = {};
};

constexpr std::string_view kNoDownload =
    "confab does not download models; get a GGUF file, then: confab -m FILE.gguf";
constexpr std::string_view kProcessor =
    "confab runs on the processor, using all cores; leave it out";
constexpr std::string_view kAutomatic = "confab does this by itself; leave it out";
constexpr std::string_view kNoServer =
    "confab is not a server; to chat in this terminal: confab -m MODEL";
constexpr std::string_view kTextOnly = "confab reads and writes text only; leave it out";
constexpr std::string_view kNoFormat =
    "confab cannot restrict answers to a format; ask for one in the prompt";
constexpr std::string_view kNoSampler =
    "confab does not have this sampler; it has --temp, --top-k, --top-p, --min-p and penalties";
constexpr std::string_view kOwnTemplate =
    "confab uses the chat template of the model file; leave it out";

constexpr auto kFlags = std::to_array<Advice>({
    {"-hf -hfr --hf-repo -hff --hf-file -hft --hf-token -mu --model-url -dr --docker-repo",
     kNoDownload},
    {"-ngl --gpu-layers --n-gpu-layers -sm --split-mode -ts --tensor-split -mg --main-gpu -dev "
     "--device --list-devices -nkvo --no-kv-offload -ot --override-tensor -cmoe --cpu-moe -ncmoe "
     "--n-cpu-moe --gpu",
     kProcessor},
    {"-fa --flash-attn --mmap --no-mmap --mlock --no-warmup --numa --jinja -cnv --conversation -i "
     "--interactive --interactive-first --color --colors -e --escape --simple-io --multiline-input "
     "-co --prompt-cache --prompt-cache-all --keep --context-shift --cache-prompt -cb "
     "--cont-batching --offline --nowordwrap --keepalive --log-disable -ub --ubatch-size -tb "
     "--threads-batch --swa-full --no-display-prompt",
     kAutomatic},
    {"--host --port --api-key --api-base --api --serve --server --slots --metrics -np --parallel "
     "--embedding --embeddings --public",
     kNoServer},
    {"--mmproj -mmp --image --audio -a --attachment", kTextOnly},
    {"--grammar --grammar-file -j --json-schema --format --schema", kNoFormat},
    {"--mirostat --mirostat-lr --mirostat-ent --typical --typical-p --xtc-probability "
     "--xtc-threshold --dry-multiplier --dynatemp-range --samplers --sampling-seq --logit-bias "
     "--top-nsigma --ignore-eos",
     kNoSampler},
    {"--chat-template --chat-template-file --in-prefix --in-suffix -r --reverse-prompt",
     kOwnTemplate},
    {"--lora --lora-scaled --control-vector --rope-scaling --rope-scale "
     "--rope-freq-base --rope-freq-scale --yarn-orig-ctx",
     "confab does not support this; it runs the model file as it is"},
    {"-no-cnv --no-conversation -st --single-turn --once", "to ask once: confab -p \"QUESTION\""},
    {"-f --file --fragment", "to ask about a file: confab -p \"QUESTION\" {}", "FILE"},
    {"-sysf --system-prompt-file",
     "to read the system prompt from a file: confab --system \"$(cat {})\"", "FILE"},
    {"--verbose --show-timings --usage -u", "for statistics: confab -p \"QUESTION\" --stats"},
    {"-v -lv --log-verbosity --log-file",
     "confab keeps no log; with -p, --stats prints statistics"},
    {"--think --reasoning-format --hidethinking -rea",
     "/think in the chat turns reasoning on or off; --reasoning-budget 0 turns it off"},
    {"-l --list", "conversations: confab list; models: confab models"},
    {"--list-models --cache-list -cl --models", "to see the models found here: confab models"},
    {"--list-sessions --list-conversations", "to see the conversations: confab list"},
    {"--session --cid --conversation-id", "to reopen a conversation: confab --resume {}",
     "NAME|ID"},
    {"--show --show-last", "to print a conversation: confab export {}", "NAME|ID"},
    {"--delete --delete-older-than", "to delete a conversation: confab delete {}", "NAME|ID"},
    {"--title", "to name a conversation: confab rename ID TITLE"},
    {"--role --rolename --agent", "for a role, set a system prompt: confab --system TEXT"},
    {"--no-log --no-cache --no-save", "to write nothing to disk: confab --incognito"},
    {"--no-stream -S --stream --raw --quiet -q",
     "confab -p prints only the answer, as it is generated"},
    {"--settings --config --dirs", "to read about the configuration: confab --man config"},
    {"--key --login --insecure", "confab needs no key; the model runs on this machine"},
});

constexpr auto kCommands = std::to_array<Advice>({
    {"serve server", "confab is not a server; to chat in this terminal: confab"},
    {"pull download fetch get install",
     "confab does not download models; get {} as a GGUF file, then: confab -m FILE.gguf",
     "the model"},
    {"create", "to give a model a system prompt: confab -m MODEL --system TEXT"},
    {"ls", "conversations: confab list; models: confab models"},
    {"ps stop unload", "a model stays loaded only while confab runs; to see models: confab models"},
    {"rm remove", "to delete a conversation: confab delete {}", "NAME|ID"},
    {"show info inspect", "to inspect a model file: confab debug info -m {}", "MODEL"},
    {"logs log history sessions conversations", "to see the conversations: confab list"},
    {"resume open load session", "to reopen a conversation: confab --resume {}", "NAME|ID"},
    {"continue", "to reopen the last conversation: confab --continue"},
    {"new", "to start a new conversation: confab"},
    {"theme themes", "to choose the colours: confab --theme NAME, or /theme in the chat"},
    {"version", "to see the version: confab --version"},
    {"man manual docs", "to read the manual: confab --man | man -l -"},
    {"config configure settings setup", "to read about the configuration: confab --man config"},
    {"completion completions", "to print a completion script: confab --completion {}",
     "bash|zsh|fish"},
    {"find grep", "to search the conversations: confab search {}", "WORDS"},
    {"convert", "to make a model file smaller: confab quantize IN.gguf OUT.gguf TYPE"},
    {"save", "to write a conversation to a file: confab export NAME|ID -o FILE"},
    {"benchmark", "to measure the speed: confab bench -m MODEL"},
    {"tokenize", "to see tokens: confab debug tokenize -m MODEL"},
    {"embed embed-multi similar", "confab does not make embeddings; to chat: confab"},
    {"push login signin update upgrade", "confab does not use the network; to chat: confab"},
});

// For a shell, as a person would write it.
std::string quoted_text(std::string_view text) {
  if (text.find_first_of("\"$`\\!\n") != std::string_view::npos) return shell_quoted(text);
  return fmt::format("\"{}\"", text);
}

std::string quoted_word(std::string_view word) {
  constexpr std::string_view kSpecial = " \t\n\"'$`\\!*?[]{}()<>|&;#";
  return word.find_first_of(kSpecial) == std::string_view::npos ? std::string(word)
                                                                : quoted_text(word);
}

std::optional<std::string> advice(std::span<const Advice> table, std::string_view word,
                                  std::string_view next) {
  const auto found =
      std::ranges::find_if(table, [&](const Advice& row) { return ui::has_word(row.names, word); });
  if (found == table.end()) return std::nullopt;
  std::string text(found->text);
  if (const std::size_t at = text.find("{}"); at != std::string::npos)
    text.replace(at, 2, next.empty() ? std::string(found->missing) : quoted_word(next));
  return text;
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// As `ollama run` has it: a model, then perhaps a question.
std::string chat_with(std::span<const std::string> rest) {
  if (rest.empty()) return "to chat: confab";
  std::string text = fmt::format("confab -m {}", quoted_word(rest[0]));
  if (rest.size() == 1) return fmt::format("to chat with {}: {}", rest[0], text);
  return fmt::format("to ask {}: {} -p {}", rest[0], text, quoted_text(joined(rest.subspan(1))));
}

bool is_file(const std::string& word) {
  std::error_code error;
  return std::filesystem::is_regular_file(expand_home(word), error);
}

}  // namespace

std::optional<std::string> advice_about_flag(std::string_view flag, std::string_view value) {
  if (auto text = advice(kFlags, flag, value)) return fmt::format("{}: {}", flag, *text);
  return std::nullopt;
}

std::string advice_about_words(const std::vector<std::string>& words,
                               std::span<const std::string_view> commands) {
  const std::string& first = words.front();
  const std::span<const std::string> rest = std::span(words).subspan(1);
  const auto unknown = [&](std::string_view text) {
    return fmt::format("no command '{}': {}", first, text);
  };
  if (ui::has_word("run chat start", first)) return unknown(chat_with(rest));
  if (ui::has_word("ask prompt query", first))
    return unknown(fmt::format("to ask: confab -p {}",
                               rest.empty() ? "\"QUESTION\"" : quoted_text(joined(rest))));
  if (const auto text = advice(kCommands, first, rest.empty() ? "" : std::string_view(rest[0])))
    return unknown(*text);
  if (first.ends_with(".gguf"))
    return fmt::format("to chat with this model: confab -m {}", quoted_word(first));
  if (is_file(first))
    return fmt::format("to ask about a file: confab -p \"QUESTION\" {}", quoted_word(first));
  if (const auto name = nearest(first, commands))
    return unknown(fmt::format("did you mean confab {}?", *name));
  if (words.size() > 1 || first.find(' ') != std::string::npos)
    return fmt::format("to ask this: confab -p {}", quoted_text(joined(words)));
  return unknown(fmt::format("confab --help lists the commands; to ask the model: confab -p {}",
                             quoted_text(first)));
}

}  // namespace confab::app
