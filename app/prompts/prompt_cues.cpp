// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_cues.h"

namespace confab::app {
namespace {

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

}  // namespace

std::span<const Cue> prompt_cues() noexcept {
  return kCues;
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

}  // namespace confab::app
