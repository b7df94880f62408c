// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ui/words.h"

namespace confab::app {
namespace {

// The enumerators are in scope only in this namespace, for the table.
namespace cues {

using enum PromptClass;
using enum CuePlace;
using enum CueNeeds;

// For each class: English, German, French, Spanish.
constexpr auto kCues = std::to_array<Cue>({
    // --- code: words that only programs have
    {code, anywhere, 7,
     "python|javascript|typescript|java|kotlin|haskell|golang|c++|c#|php|perl|bash|powershell|zsh"
     "|sql|sqlite|postgres*|mysql|html|css|scss|django|node.js|numpy|docker*|kubernetes|kubectl"
     "|cmake*|makefile|gcc|clang|regex*|regexp|git|github|npm|crontab|cronjob|nginx|jwt|yaml|xpath"
     "|vba|awk|grep|chmod|ssh|systemd|unit test*|unittest*|code|quellcode|codigo fuente|este "
     "codigo"},
    {code, anywhere, 7,
     "regular expression*|regulare* ausdruck*|expression reguliere|expressions regulieres"
     "|expresion regular|expresiones regulares|tests unitaires|test unitaire|pruebas unitarias"
     "|segmentation fault|core dumped|undefined reference|stack trace|stacktrace|traceback"
     "|nullpointerexception|typeerror|indexerror|keyerror|valueerror|syntaxerror|attributeerror"
     "|undefined is not a function|cannot find symbol|memory leak|fuite memoire|fuga de memoria"
     "|speicherleck|linked list|binary tree|hash map|hash table|one-liner|docstring*|type "
     "hint*|big o"},
    {code, anywhere, 3,
     "rust|react|angular|flask|express|pandas|ruby|scala|swift|latex|excel|linux|program|programm"
     "|programme|programa|function|funktion|fonction|funcion|script|skript|class|klasse|classe|"
     "clase|method|methode"
     "|metodo|bug|bugs|compile*|kompilier*|array|algorithm*|algoritmo|algorithme|loop|schleife"
     "|boucle|bucle|api|endpoint|middleware|component|thread*|deadlock*|recursion|rekursion"
     "|variable*|pointer|zeiger|pointeur|puntero|exception|query|abfrage|requete|consulta sql"
     "|database|datenbank|container|conteneur|contenedor|pod|cache|quicksort|dijkstra|kruskal"
     "|decorator|decorador|stack|queue|cli|command line|commandline|kommandozeile"
     "|ligne de commande|linea de comandos|commande|comando|terminal|shell|port|target"
     "|dependenc*|fehlerbehandlung|responsive"},
    {code, begin, 3,
     "refactor*|refaktor*|refactorise*|refactoriza*|implement*|implementier*|implemente*|debug*"
     "|port|optimize|optimise*|optimiza*|optimiere*"},
    {code, request, 4,
     "find the bug|finde den bug|fix this code|refactor*|refaktor*|debug*|unit test*|add a test"
     "|make this faster|geht das auch schneller",
     attachment},

    // --- question: words that ask for knowledge
    {question, begin, 4,
     "who|whom|whose|when|where|why|what is|what are|what was|what were|what's|whats|what does"
     "|what do|what did|what happen*|what causes|which|how does|how do|how did|how is|how are"
     "|how can|how many|how much|how long|how far|how old|how high|how tall|how big|how often"
     "|how hot|how fast|how come|is it|is there|is the|are there|are|is|do|does|did|can|could"
     "|was|were|explain|define|tell me about|compare|since when|at what",
     no_attachment},
    {question, begin, 4,
     "wer|wen|wem|wessen|wann|wo|woher|wohin|warum|wieso|weshalb|was ist|was sind|was war*"
     "|was bedeutet|was heisst|was passiert|was macht|was kostet|welche*|wie hoch|wie viel*|wie "
     "lang*"
     "|wie weit|wie alt|wie gross|wie oft|wie schnell|wie funktionier*|wie wird|wie werden"
     "|wie kann|wie entsteh*|wie heisst|wie nennt|wie ist|wie kommt|gibt es|ist|sind|hat|haben"
     "|kann man|darf man|darf|muss man|muss|stimmt es|erklare*|nenne|vergleiche|seit wann|bis wann"
     "|an welche*|in welche*",
     no_attachment},
    {question, begin, 4,
     "qui|quand|ou|pourquoi|quel|quelle|quels|quelles|qu'est-ce|qu'est-ce que|qu'est-ce qui"
     "|c'est quoi|combien|comment|est-ce que|est-ce|que signifie|que veut dire|que fait|d'ou"
     "|explique*|parle-moi|a-t-on|peut-on|y a-t-il|depuis quand|a quoi|de quoi|compare*|cite"
     "|faut-il|doit-on",
     no_attachment},
    {question, begin, 4,
     "quien|quienes|cuando|donde|de donde|adonde|por que|porque|cual|cuales|que es|que son|que fue"
     "|que significa*|que diferencia*|que pasa|que ocurre|que quiere decir|como se|como funciona*"
     "|cuanto*|cuanta*|es verdad|es cierto|explica*|hablame|nombra|puedo|se puede|existe*|hay"
     "|desde cuando|a que|en que|compara*|como quito|como hago",
     no_attachment},

    {question, request, 7,
     "what does * mean|meaning of|difference between|was bedeutet|was heisst|unterschied zwischen"
     "|que signifie|que veut dire|difference entre|quelle difference|que significa*"
     "|que quiere decir|diferencia hay|diferencia entre|is it true|stimmt es|est il vrai"
     "|c'est vrai que|es verdad|es cierto"},
    // --- summary
    {summary, request, 7,
     "summarize|summarise|the gist|summarizing|summary|executive "
     "summary|tl;dr|tldr|gist|recap|boil * down"
     "|boil this down|condense|abstract|in a nutshell|key points|key takeaways|takeaways|main "
     "points"
     "|main ideas|main findings|most important points|sum up|sum this up|bullet "
     "points|conclusions"},
    {summary, request, 7,
     "zusammenfass*|zusammenfassung|fasse * zusammen|fass * zusammen|zusammengefasst|kurzfassung"
     "|wichtigsten punkte|wesentlichen punkte|kernaussage*|inhaltsangabe|fazit|kurz und knapp"
     "|uberblick|stichpunkt*|stichwort*|in kurze|hauptaussage*|die kernpunkte|kernpunkte"},
    {summary, request, 7,
     "resume|resumer|resumez|resumes|un resume|resume de|synthese|synthetise*|points cles"
     "|points principaux|idees principales|points essentiels|essentiel|l'essentiel|en bref"
     "|condenser|condense|vue d'ensemble|fais court|qu'est-ce qu'il faut retenir|faut retenir"
     "|grandes lignes|idees cles"},
    {summary, request, 7,
     "resume|resumir|resumen|resumeme|resumelo|sintetiza*|sintetizar|sintesis|puntos principales"
     "|puntos clave|ideas principales|ideas clave|lo mas importante|en pocas palabras|conclusiones"
     "|en resumen|vision general|a grandes rasgos|lo esencial"},
    {summary, request, 7,
     "what is this about|what's this about|what is it about|overview|worum geht es|worum geht's"
     "|um was geht es|de quoi ca parle|de quoi parle*|de que trata|de que va|de que habla"
     "|what was decided|was wurde beschlossen|qu'est-ce qui a ete decide|que se decidio",
     attachment},

    // --- rewrite
    {rewrite, request, 7,
     "translate|translation|rephrase|reword|paraphrase|rewrite|proofread|correct the grammar"
     "|fix the grammar|fix my grammar|fix spelling|fix the spelling|correct the spelling"
     "|passive voice|active voice|past tense|more professional|more formal|less formal|more polite"
     "|simple english|plain english|how would you say|how do you say|better way to phrase"
     "|better way to say|improve the wording|wording|make this sound|make it "
     "sound|polish|shorten|cut it|cut this"
     "|make it shorter|make this shorter|simplify|in the style of|turn this into|formal|third "
     "person"
     "|expand this|sound less|sound more|kinder|tone"},
    {rewrite, request, 7,
     "ubersetz*|korrigier*|korrektur|rechtschreib*|umformulier*|formulier*|umschreib*|schreib * um"
     "|hoflicher|formeller|formellen|formlicher|wie sagt man|kurze auf|kurze den|kurze das|kurz den"
     "|verbesser*|uberarbeit*|leichte sprache|einfache sprache|gender*|duze|sieze|ins "
     "perfekt|vergangenheit"
     "|ins prateritum|ins passiv|ins aktiv|besseres wort|synonym*|stil|ins englische"
     "|ins deutsche|ins franzosische|ins spanische|ins italienische|auf englisch|auf deutsch"
     "|auf franzosisch|auf spanisch|freundlicher|professioneller|lockerer|lektorier*"},
    {rewrite, request, 7,
     "traduis|traduire|traduction|traduisez|corrige*|corriger|relis|reformule*|reformuler|reecris"
     "|reecrire|paraphrase*|comment dit-on|comment on dit|voix passive|voix active|au passe"
     "|au futur|plus poli*|plus formel*|plus professionnel*|plus simple|moins sec|ameliore le style"
     "|ameliore*|raccourci*|synonyme*|orthographe|en anglais|en allemand|en espagnol|en italien"
     "|developpe*|a la maniere de|ton moins|ton plus|soutenu"},
    {rewrite, request, 7,
     "traduce|traducir|traduccion|traduceme|corrige*|corregir|revisa*|reformula*|reescrib*"
     "|parafrasea*|como se dice|voz pasiva|voz activa|en pasado|en futuro|mas formal|mas amable"
     "|mas sencillo|mas educad*|mas profesional|menos agresiv*|mejora*|acorta*|sinonim*|ortografia"
     "|al ingles|al frances|al aleman|al italiano|al espanol|en ingles|al estilo de|amplia*|tono"
     "|suene"},

    // --- extraction
    {extraction, request, 7,
     "extract|pull out|find every|find all|list all|list every|get all|show all|parse this|parse "
     "the"
     "|classify|categorize|sentiment|as json|in json|json format|comma separated|one per line"
     "|identify all|mentioned|action items|as a table|into a table|a csv|give me a table|table "
     "of|as csv"},
    {extraction, request, 7,
     "extrahier*|liste alle|alle * auf|liste * auf|finde alle|zeig mir nur|nur die|als json|als "
     "tabelle"
     "|als liste|einer pro zeile|eine pro zeile|eins pro zeile|pro zeile|rausziehen|klassifizier*"
     "|kategorisier*|ordne diese|positiv, negativ|kommen in diesem text vor|in diesem text vor"
     "|aus dem text|heraus|lies * aus|gib alle|zutaten|als csv"},
    {extraction, request, 7,
     "extrais|extraire|extrait|liste tou*|liste des|liste les|releve|relever|recupere|en json"
     "|au format json|un par ligne|une par ligne|par ligne|classe cet*|classe ce|trouve tou*"
     "|trouve les|dans un tableau|sous forme de tableau|sont cit*|sont mentionn*|uniquement les"
     "|toutes les dates|tous les noms|en csv"},
    {extraction, request, 7,
     "extrae|extraer|saca|lista de|lista tod*|en json|formato json|uno por linea|una por linea"
     "|por linea|clasifica*|encuentra los|encuentra las|encuentra tod*|en una tabla|tabla con"
     "|se mencionan|se menciona|solo los|solo las|todas las|todos los|tareas pendientes|en csv"},
    {extraction, begin, 5, "list|name|liste|nenne|lista", attachment},

    // --- chat
    {chat, begin, 7,
     "hi|hello|hey|good morning|good evening|good night|thanks|thank you|thx|ok|okay|cool|great|lol"
     "|how are you|what's up|hallo|guten morgen|guten tag|guten abend|gute nacht|moin|servus|danke"
     "|na|wie geht*|tschuss|bonjour|salut|bonsoir|bonne nuit|coucou|merci|ca va|hola|buenos dias"
     "|buenas tardes|buenas noches|gracias|muchas gracias|que tal|adios"},
    {chat, anywhere, 7,
     "joke|poem|haiku|limerick|short story|bedtime story|let's play|lets play|pretend|roleplay"
     "|role play|name ideas|what do you think|do you think|i feel|i'm bored|im bored|i am bored"
     "|do you ever|do you like|your favorite|your favourite|vent|should i do|cover letter|an email"
     "|what should i|brainstorm|gift|birthday"},
    {chat, anywhere, 7,
     "witz|gedicht|geschichte erzahl*|gutenachtgeschichte|lass uns|was meinst du|was denkst du"
     "|mir ist langweilig|langweilig|hast du|magst du|bist du|ideen|einladung|schenken"
     "|ich fuhle mich|wunsch mir|spiel einen|spiel eine|trainingsplan|erzahl mir|kennenzulernen"
     "|rollenspiel|ich uberlege|bewerbungsschreiben"},
    {chat, anywhere, 7,
     "blague|poeme|invente*|raconte*|une histoire|je m'ennuie|je me sens|on joue|tu penses|tu "
     "preferes"
     "|tu aimes|aide-moi a choisir|lettre de motivation|propose*|fais comme si|quel cadeau|cadeau"
     "|un prenom|un conseil|des conseils|conseille*"},
    {chat, anywhere, 7,
     "chiste|poema|inventa*|cuentame|un cuento|estoy aburrid*|me siento|jugamos|que opinas|que "
     "piensas"
     "|prefieres|te gusta|ayudame a elegir|carta de renuncia|carta de presentacion|propon*|haz de"
     "|le regalo|regalar|regalo|menu semanal"},
    {chat, begin, 4,
     "write a story|write a poem|draft|plan|plan a|my|i am|i'm|i had|i have|give me * ideas|suggest"
     "|recommend|imagine|ich kann nicht|ich bin|mein*|stell mir|plane|schreib ein* einladung"
     "|ecris une lettre|redige une lettre|redige un mail|mon|ma|escribe una carta|redacta*|mi"
     "|hoy|estoy",
     no_attachment},
});

}  // namespace cues

}  // namespace

std::span<const Cue> prompt_cues() noexcept {
  return cues::kCues;
}

std::string_view polite_words() noexcept {
  return "please|pls|plz|can you|could you|would you|will you|can you please|i need you to|help "
         "me|ok so"
         "|so|and|but|now|hey confab|quick question|bitte|kannst du|konntest du|konnen sie|konnten "
         "sie"
         "|kannst du mir|mal|und|aber|also|mir|s'il te plait|s'il vous "
         "plait|svp|peux-tu|pouvez-vous"
         "|tu peux|pourrais-tu|et|mais|por favor|puedes|podrias|puede|me puedes|y|pero|necesito "
         "que";
}

std::string_view code_endings() noexcept {
  return "c h cc cpp cxx hpp hh cs java kt kts scala py pyi ipynb rb rs go js mjs cjs jsx ts tsx "
         "vue "
         "php pl pm lua r jl swift m mm hs ml fs ex exs erl clj dart sh bash zsh fish ps1 bat sql "
         "css "
         "scss sass less html htm xml cmake mk gradle tf proto asm s f90 vb patch diff json toml "
         "yaml yml";
}

namespace {

constexpr int kLead = 2;                   // the lead that makes the best class certain
constexpr std::size_t kMaxBytes = 20'000;  // of a prompt; the rest is ignored
constexpr std::size_t kMaxWords = 60;      // of a request; the rest is ignored

constexpr auto kNames = std::to_array<std::string_view>(
    {"code", "question", "summary", "rewrite", "extraction", "chat"});
static_assert(kNames.size() == kPromptClasses.size());

constexpr std::string_view kInPhrase = " -";  // separate the words of a cue

using Words = std::vector<std::string>;

// The letter of U+00C0 to U+00FF without its accent, or a blank.
char bare_letter(unsigned char second) noexcept {
  constexpr std::string_view kBare = "aaaaaaaceeeeiiiidnooooo ouuuuy  ";
  static_assert(kBare.size() == 32);
  return kBare[second & 0x1FU];
}

// Lower case without accents. Other characters outside ASCII become blanks.
std::string folded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += ui::to_lower(text[i]);
    } else if (byte == 0xC3 && i + 1 < text.size()) {
      const auto second = static_cast<unsigned char>(text[++i]);
      if (second == 0x9F)
        out += "ss";
      else
        out += bare_letter(second);
    } else if (text.substr(i, 3) == "’") {
      out += '\'';
      i += 2;
    } else if (byte >= 0xC0) {
      out += ' ';
    }
  }
  return out;
}

// "c++", "node.js" and "tl;dr" are one word, "est-ce" is two.
bool is_of_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("+#'.;").find(c) != std::string_view::npos;
}

Words words_of(std::string_view text) {
  Words words;
  const auto add = [&](std::string_view word) {
    while (!word.empty() && std::string_view("'.;").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    while (!word.empty() && std::string_view("'.;").find(word.front()) != std::string_view::npos)
      word.remove_prefix(1);
    if (!word.empty()) words.emplace_back(word);
  };
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i)
    if (i == text.size() || !is_of_word(text[i])) {
      add(text.substr(begin, i - begin));
      begin = i + 1;
    }
  return words;
}

std::vector<std::string_view> parts_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

bool fits(std::string_view word, std::string_view pattern) noexcept {
  if (!pattern.ends_with('*')) return word == pattern;
  pattern.remove_suffix(1);
  return word.starts_with(pattern);
}

// Returns true if the phrase starts at this word. A * on its own matches one to six words.
bool is_at(std::span<const std::string> words, std::span<const std::string_view> phrase) {
  constexpr std::size_t kGap = 6;
  if (phrase.empty()) return true;
  if (phrase[0] == "*") {
    for (std::size_t n = 1; n <= std::min(kGap, words.size()); ++n)
      if (is_at(words.subspan(n), phrase.subspan(1))) return true;
    return false;
  }
  return !words.empty() && fits(words[0], phrase[0]) && is_at(words.subspan(1), phrase.subspan(1));
}

// A parsed prompt.
struct Prompt {
  Words all;
  Words request;      // the request, as far as it can be told from its material
  std::size_t begin;  // its first word after the polite ones
  bool has_material;  // it quotes something, or has text after a colon
};

// In "Translate this: ...", the request is the part before the colon. In a prompt of several lines,
// it is the first line and a short last line.
std::string request_in(std::string_view text) {
  const auto line_before_colon = [](std::string_view line) {
    return std::string(line.substr(0, std::min(line.find(": "), line.size())));
  };
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return line_before_colon(text);
  std::string request = line_before_colon(text.substr(0, end));
  const std::size_t last = text.find_last_not_of(" \n\t");
  const std::size_t begin = text.rfind('\n', last);
  constexpr std::size_t kShort = 160;
  if (begin != std::string_view::npos && last - begin < kShort && begin >= end)
    request += " | " + std::string(text.substr(begin + 1));
  return request;
}

std::size_t polite_end(const Words& words) {
  std::size_t begin = 0;
  for (bool again = true; again && begin < words.size();) {
    again = false;
    for (const std::string_view phrase : parts_of(polite_words(), "|")) {
      const auto parts = parts_of(phrase, kInPhrase);
      if (!is_at(std::span(words).subspan(begin), parts) || begin + parts.size() >= words.size())
        continue;
      begin += parts.size();
      again = true;
      break;
    }
  }
  return begin;
}

bool has_material(std::string_view text) {
  constexpr auto kSigns = std::to_array<std::string_view>({": ", ":\n", "\"", "“", "„", "«"});
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

Prompt taken_apart(std::string_view text) {
  const std::string plain = folded(text.substr(0, kMaxBytes));
  Prompt prompt{words_of(plain), words_of(request_in(plain)), 0, has_material(text)};
  if (prompt.request.size() > kMaxWords) prompt.request.resize(kMaxWords);
  prompt.begin = polite_end(prompt.request);
  return prompt;
}

// Returns true if the text has signs that only occur in programs.
bool has_code_signs(std::string_view text) {
  constexpr auto kSigns = std::to_array<std::string_view>(
      {"();", "){", ") {", "=>", "->",  "::",  "#include", "def ", "+=",    "&&",    "||",
       "!=",  "==", "</",  "$(", "[i]", "[0]", "*.",       "fn ",  "std::", "/bin/", "--onto"});
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

bool is_code_file(std::string_view name) {
  const std::string plain = ui::lower_case(name.substr(name.rfind('/') + 1));
  if (plain == "makefile" || plain == "dockerfile" || plain == "cmakelists.txt") return true;
  const std::size_t dot = plain.rfind('.');
  return dot != std::string::npos && ui::has_word(code_endings(), plain.substr(dot + 1));
}

// Adds up the evidence for each class. Only the strongest cue of each kind counts, as a word may be
// in the lists of several languages.
class Scale {
 public:
  enum class Kind { begin, request, anywhere, sign, file, mark };

  void add(PromptClass one, Kind kind, int weight, std::string reason) {
    Side& side = sides_[static_cast<std::size_t>(one)];
    int& counted = side.weights[static_cast<std::size_t>(kind)];
    if (weight > *std::ranges::max_element(side.weights)) side.reason = std::move(reason);
    counted = std::max(counted, weight);
  }
  Classed verdict() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < sides_.size(); ++i)
      if (sides_[i].total() > sides_[best].total()) best = i;
    int next = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i)
      if (i != best) next = std::max(next, sides_[i].total());
    const int most = sides_[best].total();
    if (most == 0) return {std::nullopt, "nothing in it says what it is"};
    if (most < kDecides || most < next + kLead) return {std::nullopt, "it may be several things"};
    return {kPromptClasses[best], sides_[best].reason};
  }

 private:
  struct Side {
    std::array<int, 6> weights = {};  // by kind
    std::string reason = {};
    int total() const { return std::accumulate(weights.begin(), weights.end(), 0); }
  };
  std::array<Side, kPromptClasses.size()> sides_ = {};
};

// The words that match the cue, or "".
std::string found_at(std::span<const std::string> words, std::string_view phrase, bool only_first) {
  const auto parts = parts_of(phrase, kInPhrase);
  for (std::size_t i = 0; i < words.size() && (i == 0 || !only_first); ++i)
    if (is_at(words.subspan(i), parts)) {
      std::string found = words[i];
      for (std::size_t k = 1; k < parts.size() && i + k < words.size(); ++k)
        found += " " + words[i + k];
      return found;
    }
  return {};
}

std::string found_in(const Prompt& prompt, const Cue& cue) {
  const bool begins = cue.place == CuePlace::begin;
  const Words& words = cue.place == CuePlace::anywhere ? prompt.all : prompt.request;
  const std::span<const std::string> from =
      std::span(words).subspan(begins ? std::min(prompt.begin, words.size()) : 0);
  for (const std::string_view phrase : parts_of(cue.words, "|"))
    if (std::string found = found_at(from, phrase, begins); !found.empty()) return found;
  return {};
}

Scale::Kind kind_of(CuePlace place) noexcept {
  return place == CuePlace::begin     ? Scale::Kind::begin
         : place == CuePlace::request ? Scale::Kind::request
                                      : Scale::Kind::anywhere;
}

void weigh_words(const Prompt& prompt, bool has_files, Scale& scale) {
  for (const Cue& cue : prompt_cues()) {
    if (cue.needs == CueNeeds::attachment && !has_files) continue;
    if (cue.needs == CueNeeds::no_attachment && has_files) continue;
    // "Is this right: ..." asks about the text, so it may belong to any class.
    if (cue.of == PromptClass::question && cue.place == CuePlace::begin && prompt.has_material)
      continue;
    if (const std::string found = found_in(prompt, cue); !found.empty())
      scale.add(cue.of, kind_of(cue.place), cue.weight,
                fmt::format("it {} \"{}\"", cue.place == CuePlace::begin ? "begins with" : "says",
                            found));
  }
}

}  // namespace

std::string_view name_of(PromptClass one) noexcept {
  return kNames[static_cast<std::size_t>(one)];
}

std::optional<PromptClass> find_class(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return kPromptClasses[static_cast<std::size_t>(found - kNames.begin())];
}

Classed class_of(std::string_view text, std::span<const std::string> attachments) {
  Scale scale;
  weigh_words(taken_apart(text), !attachments.empty(), scale);
  if (text.find("```") != std::string_view::npos)
    scale.add(PromptClass::code, Scale::Kind::sign, 4, "it has a code fence");
  if (has_code_signs(text)) scale.add(PromptClass::code, Scale::Kind::sign, 4, "it has code in it");
  const auto file = std::ranges::find_if(attachments, is_code_file);
  if (file != attachments.end())
    scale.add(PromptClass::code, Scale::Kind::file, 4, fmt::format("{} is attached", *file));
  if (text.ends_with('?') && attachments.empty())
    scale.add(PromptClass::question, Scale::Kind::mark, 1, "it ends with a question mark");
  return scale.verdict();
}

}  // namespace confab::app
