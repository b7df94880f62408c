// SPDX-License-Identifier: MIT
#include <array>

#include "ui/code/language.h"

namespace confab::ui::data {
namespace {

using enum Enclosed::Marks;

constexpr Enclosed kBlockComment{
    .open = "/*", .close = "*/", .role = Role::code_comment, .escape = 0, .multi_line = true};
constexpr Enclosed kNestedComment{.open = "/*",
                                  .close = "*/",
                                  .role = Role::code_comment,
                                  .escape = 0,
                                  .multi_line = true,
                                  .nests = true};
constexpr Enclosed kDouble{.open = "\"", .close = "\""};
constexpr Enclosed kSingle{.open = "'", .close = "'"};
constexpr Enclosed kRawSingle{.open = "'", .close = "'", .escape = 0};
constexpr Enclosed kDoubleLines{.open = "\"", .close = "\"", .multi_line = true};
constexpr Enclosed kTripleDouble{.open = "\"\"\"", .close = "\"\"\"", .multi_line = true};
constexpr Enclosed kTripleSingle{.open = "'''", .close = "'''", .multi_line = true};

constexpr std::array kC = {
    kBlockComment,
    Enclosed{.open = "R\"", .close = "\"", .marks = raw_cpp, .escape = 0, .multi_line = true},
    Enclosed{.open = "@\"", .close = "\""}, kDouble, kSingle};
constexpr std::array kJava = {kBlockComment, kTripleDouble, kDouble, kSingle};
constexpr std::array kScript = {
    kBlockComment, kDouble, kSingle,
    Enclosed{.open = "`", .close = "`", .multi_line = true, .interpolation = "${"}};
constexpr std::array kPython = {kTripleDouble, kTripleSingle, kDouble, kSingle};
constexpr std::array kCSharp = {
    kBlockComment,
    Enclosed{.open = "\"\"\"", .close = "\"\"\"", .escape = 0, .multi_line = true},
    Enclosed{.open = "$@\"", .close = "\"", .escape = 0, .multi_line = true},
    Enclosed{.open = "@\"", .close = "\"", .escape = 0, .multi_line = true},
    Enclosed{.open = "$\"", .close = "\""},
    kDouble,
    kSingle};
constexpr std::array kGo = {kBlockComment, kDouble, kSingle,
                            Enclosed{.open = "`", .close = "`", .escape = 0, .multi_line = true}};
constexpr std::array kRust = {
    kNestedComment,
    Enclosed{.open = "r", .close = "\"", .marks = hashes, .escape = 0, .multi_line = true},
    Enclosed{.open = "br", .close = "\"", .marks = hashes, .escape = 0, .multi_line = true},
    Enclosed{.open = "#![", .close = "]", .role = Role::code_meta, .escape = 0},
    Enclosed{.open = "#[", .close = "]", .role = Role::code_meta, .escape = 0},
    kDoubleLines};
constexpr std::array kPhp = {
    kBlockComment, Enclosed{.open = "#[", .close = "]", .role = Role::code_meta, .escape = 0},
    Enclosed{.open = "'", .close = "'", .multi_line = true}, kDoubleLines};
constexpr std::array kRuby = {Enclosed{.open = "=begin",
                                       .close = "=end",
                                       .role = Role::code_comment,
                                       .escape = 0,
                                       .multi_line = true,
                                       .line_start = true},
                              Enclosed{.open = "\"", .close = "\"", .interpolation = "#{"}, kSingle,
                              Enclosed{.open = "`", .close = "`"}};
constexpr std::array kSwift = {
    kNestedComment,
    Enclosed{.open = "#", .close = "\"#", .marks = hashes, .escape = 0, .multi_line = true},
    kTripleDouble, Enclosed{.open = "\"", .close = "\"", .interpolation = "\\("}};
constexpr std::array kKotlin = {
    kNestedComment, Enclosed{.open = "\"\"\"", .close = "\"\"\"", .escape = 0, .multi_line = true},
    Enclosed{.open = "\"", .close = "\"", .interpolation = "${"}, kSingle};
constexpr std::array kScala = {
    kNestedComment, Enclosed{.open = "\"\"\"", .close = "\"\"\"", .escape = 0, .multi_line = true},
    kDouble};
constexpr std::array kDart = {kNestedComment,
                              Enclosed{.open = "r'", .close = "'", .escape = 0},
                              Enclosed{.open = "r\"", .close = "\"", .escape = 0},
                              kTripleDouble,
                              kTripleSingle,
                              Enclosed{.open = "\"", .close = "\"", .interpolation = "${"},
                              Enclosed{.open = "'", .close = "'", .interpolation = "${"}};
constexpr std::array kR = {
    Enclosed{.open = "r\"", .close = "\"", .marks = raw_cpp, .escape = 0, .multi_line = true},
    kDoubleLines, Enclosed{.open = "'", .close = "'", .multi_line = true},
    Enclosed{.open = "`", .close = "`", .role = Role::code_block}};
constexpr std::array kLua = {Enclosed{.open = "--",
                                      .role = Role::code_comment,
                                      .marks = long_bracket,
                                      .escape = 0,
                                      .multi_line = true},
                             Enclosed{.marks = long_bracket, .escape = 0, .multi_line = true},
                             kDouble, kSingle};
constexpr Enclosed pod(std::string_view open) {
  return {.open = open,
          .close = "=cut",
          .role = Role::code_comment,
          .escape = 0,
          .multi_line = true,
          .line_start = true};
}
constexpr std::array kPerl = {pod("=pod"),
                              pod("=head"),
                              pod("=begin"),
                              kDoubleLines,
                              Enclosed{.open = "'", .close = "'", .multi_line = true},
                              Enclosed{.open = "`", .close = "`"}};
constexpr std::array kHaskell = {
    Enclosed{
        .open = "{-#", .close = "#-}", .role = Role::code_meta, .escape = 0, .multi_line = true},
    Enclosed{.open = "{-",
             .close = "-}",
             .role = Role::code_comment,
             .escape = 0,
             .multi_line = true,
             .nests = true},
    kDouble};
constexpr std::array kShell = {
    Enclosed{.open = "$'", .close = "'", .multi_line = true},
    Enclosed{.open = "'", .close = "'", .escape = 0, .multi_line = true},
    Enclosed{.open = "\"", .close = "\"", .multi_line = true, .interpolation = "$("}};
constexpr std::array kPowerShell = {
    Enclosed{
        .open = "<#", .close = "#>", .role = Role::code_comment, .escape = 0, .multi_line = true},
    Enclosed{.open = "@\"", .close = "\"@", .escape = 0, .multi_line = true},
    Enclosed{.open = "@'", .close = "'@", .escape = 0, .multi_line = true},
    Enclosed{.open = "\"", .close = "\"", .escape = '`', .multi_line = true, .interpolation = "$("},
    Enclosed{.open = "'", .close = "'", .escape = 0, .multi_line = true}};
constexpr std::array kSql = {
    kBlockComment, Enclosed{.open = "$", .marks = tagged, .escape = 0, .multi_line = true},
    Enclosed{.open = "'", .close = "'", .escape = 0, .multi_line = true},
    Enclosed{.open = "\"", .close = "\"", .role = Role::code_block, .escape = 0},
    Enclosed{.open = "`", .close = "`", .role = Role::code_block, .escape = 0}};
constexpr std::array kCss = {kBlockComment, kDouble, kSingle};
constexpr std::array kJson = {kBlockComment, kDouble};
constexpr std::array kYaml = {
    kDoubleLines, Enclosed{.open = "'", .close = "'", .escape = 0, .multi_line = true},
    Enclosed{
        .open = "---", .close = "---", .role = Role::code_meta, .escape = 0, .line_start = true}};
constexpr std::array kToml = {
    Enclosed{
        .open = "[", .close = "]", .role = Role::code_keyword, .escape = 0, .line_start = true},
    kTripleDouble, Enclosed{.open = "'''", .close = "'''", .escape = 0, .multi_line = true},
    kDouble, kRawSingle};
constexpr std::array kIni = {
    Enclosed{
        .open = "[", .close = "]", .role = Role::code_keyword, .escape = 0, .line_start = true},
    kDouble, kRawSingle};
constexpr std::array kPlainQuotes = {kDouble, kRawSingle};
constexpr std::array kMake = {kDouble, kSingle};
constexpr std::array kCMake = {Enclosed{.open = "#",
                                        .role = Role::code_comment,
                                        .marks = long_bracket,
                                        .escape = 0,
                                        .multi_line = true},
                               Enclosed{.marks = long_bracket, .escape = 0, .multi_line = true},
                               kDoubleLines};
constexpr std::array kLatex = {Enclosed{.open = "$$", .close = "$$", .multi_line = true},
                               Enclosed{.open = "$", .close = "$"}};
constexpr std::array kElixir = {
    kTripleDouble, kTripleSingle,
    Enclosed{.open = "\"", .close = "\"", .multi_line = true, .interpolation = "#{"}, kSingle};
constexpr std::array kJulia = {Enclosed{.open = "#=",
                                        .close = "=#",
                                        .role = Role::code_comment,
                                        .escape = 0,
                                        .multi_line = true,
                                        .nests = true},
                               kTripleDouble,
                               Enclosed{.open = "\"", .close = "\"", .multi_line = true},
                               Enclosed{.open = "`", .close = "`"}};
constexpr std::array kZig = {kDouble, Enclosed{.open = "\\\\", .close = "\n", .escape = 0}};
constexpr std::array kAssembly = {kBlockComment, kDouble};
constexpr std::array kOcaml = {Enclosed{.open = "(*",
                                        .close = "*)",
                                        .role = Role::code_comment,
                                        .escape = 0,
                                        .multi_line = true,
                                        .nests = true},
                               kDoubleLines};
constexpr std::array kLisp = {
    Enclosed{
        .open = "#|", .close = "|#", .role = Role::code_comment, .escape = 0, .multi_line = true},
    kDoubleLines};
constexpr std::array kGraphQl = {kTripleDouble, kDouble};

constexpr std::string_view kCppKeywords =
    "alignas alignof and asm auto break case catch class co_await co_return co_yield concept const "
    "const_cast consteval constexpr constinit continue decltype default delete do dynamic_cast "
    "else enum explicit export extern final for friend goto if inline mutable namespace new "
    "noexcept not operator or override private protected public register reinterpret_cast requires "
    "return sizeof static static_assert static_cast struct switch template this thread_local throw "
    "try typedef typeid typename union using virtual volatile while xor import module";
constexpr std::string_view kCTypes =
    "bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t "
    "size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
    "intptr_t uintptr_t FILE string string_view vector map set unordered_map unordered_set array "
    "span optional variant tuple pair unique_ptr shared_ptr weak_ptr function";
constexpr std::string_view kScriptKeywords =
    "as async await break case catch class const continue debugger default delete do else export "
    "extends finally for from function get if import in instanceof let new of return set static "
    "super switch this throw try typeof var void while with yield";
constexpr std::string_view kScriptTypes =
    "Array ArrayBuffer BigInt Boolean Date Error Function JSON Map Math Number Object Promise "
    "Proxy Reflect RegExp Set String Symbol WeakMap WeakSet";
constexpr std::string_view kScriptConstants = "true false null undefined NaN Infinity";
constexpr std::string_view kTypeScriptKeywords =
    "abstract as asserts async await break case catch class const continue debugger declare "
    "default delete do else enum export extends finally for from function get if implements import "
    "in infer instanceof interface is keyof let module namespace new of override private protected "
    "public readonly return satisfies set static super switch this throw try type typeof var void "
    "while with yield";
constexpr std::string_view kTypeScriptTypes =
    "any bigint boolean never number object string symbol unknown Array Date Error Map Math "
    "Partial Promise Readonly Record Pick Omit RegExp Set String Number Boolean Object";
constexpr std::string_view kSqlKeywords =
    "add all alter analyze and any as asc begin between by cascade case check column commit "
    "conflict constraint create cross current database default delete desc describe distinct do "
    "drop else end escape except exists explain fetch first following for foreign from full "
    "function grant group having if ilike in index inner insert intersect into is join key lateral "
    "left like limit materialized natural not nothing of offset on only or order outer over "
    "partition preceding primary procedure range recursive references rename replace returning "
    "returns revoke right rollback row rows select set table temporary then to transaction trigger "
    "truncate unbounded union unique update using values view when where window with language "
    "declare return loop while";

constexpr std::array kLanguages = {
    Language{.names = "python py py3 python3 pyi pycon gyp sage starlark bzl",
             .enclosed = kPython,
             .line_comments = "#",
             .keywords = "and as assert async await break case class continue def del elif else "
                         "except finally for from global if import in is lambda match nonlocal not "
                         "or pass raise return try while with yield",
             .types = "bool bytearray bytes complex dict float frozenset int list object range set "
                      "slice str tuple type Exception ValueError TypeError KeyError IndexError "
                      "RuntimeError OSError",
             .constants = "True False None NotImplemented Ellipsis",
             .prefixes = "rRbBfFuUtT",
             .decorator = '@',
             .capital_types = true},
    Language{.names = "javascript js jsx mjs cjs node ecmascript",
             .enclosed = kScript,
             .line_comments = "//",
             .keywords = kScriptKeywords,
             .types = kScriptTypes,
             .constants = kScriptConstants,
             .functions = "console document window require module process",
             .word_chars = "$",
             .decorator = '@',
             .regexes = true,
             .tags = true},
    Language{.names = "typescript ts tsx mts cts",
             .enclosed = kScript,
             .line_comments = "//",
             .keywords = kTypeScriptKeywords,
             .types = kTypeScriptTypes,
             .constants = kScriptConstants,
             .functions = "console document window process",
             .word_chars = "$",
             .decorator = '@',
             .capital_types = true,
             .regexes = true,
             .tags = true},
    Language{.names = "java jsp",
             .enclosed = kJava,
             .line_comments = "//",
             .keywords = "abstract assert break case catch class const continue default do else "
                         "enum extends final finally for goto if implements import instanceof "
                         "interface native new non-sealed package permits private protected public "
                         "record return sealed static strictfp super switch synchronized this "
                         "throw throws transient try var void volatile while yield",
             .types = "boolean byte char double float int long short",
             .constants = "true false null",
             .decorator = '@',
             .capital_types = true},
    Language{.names = "c h",
             .enclosed = kC,
             .line_comments = "//",
             .keywords =
                 "_Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local "
                 "auto break case const continue default do else enum extern for goto if "
                 "inline register restrict return sizeof static struct switch typedef "
                 "typeof union volatile while static_assert constexpr",
             .types = kCTypes,
             .constants = "NULL true false nullptr EOF stdin stdout stderr",
             .prefixes = "LuU8",
             .preprocessor = true},
    Language{.names = "cpp c++ cc cxx hpp hh hxx h++ ino arduino cuda cu opencl glsl hlsl metal",
             .enclosed = kC,
             .line_comments = "//",
             .keywords = kCppKeywords,
             .types = kCTypes,
             .constants = "NULL true false nullptr EOF",
             .prefixes = "LuU8",
             .capital_types = true,
             .preprocessor = true},
    Language{.names = "objective-c objectivec objc obj-c m mm objective-c++ objc++",
             .enclosed = kC,
             .line_comments = "//",
             .keywords =
                 "auto break case const continue default do else enum extern for goto if in "
                 "inline register return self sizeof static struct super switch typedef "
                 "union volatile while nonatomic strong weak copy assign readonly "
                 "readwrite nullable nonnull",
             .types = "BOOL bool char double float id instancetype int long short signed unsigned "
                      "void SEL Class",
             .constants = "YES NO nil Nil NULL true false",
             .decorator = '@',
             .capital_types = true,
             .preprocessor = true},
    Language{.names = "csharp c# cs csx dotnet",
             .enclosed = kCSharp,
             .line_comments = "//",
             .keywords = "abstract as async await base break case catch checked class const "
                         "continue default delegate do else enum event explicit extern finally "
                         "fixed for foreach get goto if implicit in init interface internal is "
                         "lock nameof namespace new operator out override params partial private "
                         "protected public readonly record ref required return sealed set sizeof "
                         "stackalloc static struct switch this throw try typeof unchecked unsafe "
                         "using var virtual volatile when where while with yield select from "
                         "orderby",
             .types =
                 "bool byte char decimal double dynamic float int long nint nuint object sbyte "
                 "short string uint ulong ushort void",
             .constants = "true false null value",
             .capital_types = true,
             .preprocessor = true},
    Language{
        .names = "go golang",
        .enclosed = kGo,
        .line_comments = "//",
        .keywords = "break case chan const continue default defer else fallthrough for func go "
                    "goto if import interface map package range return select struct switch "
                    "type var",
        .types = "any bool byte comparable complex64 complex128 error float32 float64 int int8 "
                 "int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
        .constants = "true false nil iota",
        .functions = "append cap clear close complex copy delete imag len make max min new "
                     "panic print println real recover"},
    Language{.names = "rust rs",
             .enclosed = kRust,
             .line_comments = "//",
             .keywords = "as async await break const continue crate dyn else enum extern fn for if "
                         "impl in let loop match mod move mut pub ref return self static struct "
                         "super trait type union unsafe use where while yield",
             .types = "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize "
                      "Self",
             .constants = "true false None Some Ok Err",
             .prefixes = "bc",
             .capital_types = true,
             .char_literals = true,
             .macros = true},
    Language{.names = "php php3 php4 php5 php7 php8 phtml",
             .enclosed = kPhp,
             .line_comments = "// #",
             .keywords = "abstract and array as break callable case catch class clone const "
                         "continue declare default die do echo else elseif empty enum exit extends "
                         "final finally fn for foreach function global goto if implements include "
                         "include_once instanceof insteadof interface isset list match namespace "
                         "new or print private protected public readonly require require_once "
                         "return static switch throw trait try unset use var while xor yield php",
             .types = "bool float int iterable mixed never object string void self parent",
             .constants = "true false null TRUE FALSE NULL",
             .heredoc = "<<<",
             .sigils = "$",
             .capital_types = true},
    Language{.names = "ruby rb rake gemspec gemfile rakefile podfile jruby irb",
             .enclosed = kRuby,
             .line_comments = "#",
             .keywords = "alias and begin break case class def defined? do else elsif end ensure "
                         "for if in module next not or redo rescue retry return self super then "
                         "undef unless until when while yield",
             .constants = "true false nil __FILE__ __LINE__",
             .functions = "attr_accessor attr_reader attr_writer extend include lambda loop "
                          "private proc protected public puts print p raise require "
                          "require_relative",
             .word_chars = "?!",
             .heredoc = "<<",
             .sigils = "$@",
             .atom = ':',
             .capital_types = true,
             .regexes = true},
    Language{.names = "swift",
             .enclosed = kSwift,
             .line_comments = "//",
             .keywords = "actor any as associatedtype async await break case catch class continue "
                         "convenience default defer deinit do dynamic else enum extension "
                         "fallthrough fileprivate final for func get guard if import in indirect "
                         "infix init inout internal is isolated lazy let mutating nonisolated open "
                         "operator optional override postfix precedencegroup prefix private "
                         "protocol public repeat required rethrows return self set some static "
                         "struct subscript super switch throw throws try typealias unowned var "
                         "weak where while willSet didSet",
             .types =
                 "Any Bool Character Double Float Int Int8 Int16 Int32 Int64 Never Self String "
                 "UInt UInt8 UInt16 UInt32 UInt64 Void",
             .constants = "true false nil",
             .decorator = '@',
             .capital_types = true,
             .preprocessor = true},
    Language{.names = "kotlin kt kts",
             .enclosed = kKotlin,
             .line_comments = "//",
             .keywords = "abstract actual annotation as break by catch class companion const "
                         "constructor continue crossinline data do else enum expect external final "
                         "finally for fun get if import in infix init inline inner interface "
                         "internal is lateinit noinline object open operator out override package "
                         "private protected public reified return sealed set super suspend "
                         "tailrec this throw try typealias val value var vararg when where while",
             .types = "Any Boolean Byte Char Double Float Int Long Nothing Short String Unit",
             .constants = "true false null it",
             .decorator = '@',
             .capital_types = true},
    Language{.names = "groovy gradle jenkinsfile",
             .enclosed = kJava,
             .line_comments = "//",
             .keywords = "abstract as assert break case catch class const continue def default do "
                         "else enum extends final finally for goto if implements import in "
                         "instanceof interface new package private protected public return static "
                         "super switch this throw throws trait try var void while",
             .types = "boolean byte char double float int long short",
             .constants = "true false null",
             .decorator = '@',
             .capital_types = true},
    Language{.names = "r rscript splus rmd",
             .enclosed = kR,
             .line_comments = "#",
             .keywords = "break else for function if in next repeat return while library require",
             .constants = "TRUE FALSE NULL NA NA_integer_ NA_real_ NA_character_ NaN Inf T F",
             .word_chars = "."},
    Language{.names = "scala sc sbt",
             .enclosed = kScala,
             .line_comments = "//",
             .keywords = "abstract case catch class def derives do else end enum export extends "
                         "extension final finally for forSome given if implicit import inline lazy "
                         "match new object opaque open override package private protected return "
                         "sealed super then this throw trait transparent try type using val var "
                         "while with yield",
             .types =
                 "Any AnyRef AnyVal Boolean Byte Char Double Float Int Long Nothing Null Short "
                 "String Unit",
             .constants = "true false null None Nil",
             .prefixes = "sfraw",
             .decorator = '@',
             .capital_types = true,
             .char_literals = true},
    Language{.names = "dart flutter",
             .enclosed = kDart,
             .line_comments = "//",
             .keywords =
                 "abstract as assert async await base break case catch class const continue "
                 "covariant default deferred do else enum export extends extension "
                 "external factory final finally for get hide if implements import in "
                 "interface is late library mixin new on operator part required rethrow "
                 "return sealed set show static super switch sync this throw try typedef "
                 "var when while with yield",
             .types = "bool double dynamic int num void",
             .constants = "true false null",
             .decorator = '@',
             .capital_types = true},
    Language{.names = "lua luau",
             .enclosed = kLua,
             .line_comments = "--",
             .keywords = "and break do else elseif end for function goto if in local not or repeat "
                         "return then until while",
             .constants = "true false nil",
             .functions = "require pairs ipairs print"},
    Language{.names = "perl pl pm perl5 raku",
             .enclosed = kPerl,
             .line_comments = "#",
             .keywords = "and BEGIN cmp continue do else elsif END eq for foreach ge given gt if "
                         "last le local lt my ne next no not or our package redo return say sub "
                         "unless until use when while x",
             .functions = "bless chomp close defined delete die each eval exists grep join keys "
                          "length map open pop print printf push ref reverse scalar shift sort "
                          "split sprintf substr unshift values warn",
             .heredoc = "<<",
             .sigils = "$@%",
             .regexes = true},
    Language{.names = "haskell hs lhs purescript purs elm idris",
             .enclosed = kHaskell,
             .line_comments = "--",
             .keywords = "as case class data default deriving do else family forall foreign hiding "
                         "if import in infix infixl infixr instance let mdo module newtype of "
                         "qualified rec then type where",
             .constants = "True False Nothing otherwise",
             .word_chars = "'",
             .capital_types = true,
             .char_literals = true},
    Language{.names = "sh bash shell zsh ksh ash dash fish shellscript env",
             .enclosed = kShell,
             .line_comments = "#",
             .keywords =
                 "if then elif else fi for while until do done case esac in function select "
                 "time ! return export local declare readonly unset alias break continue "
                 "exec source sudo end begin set",
             .word_chars = "-./:@%+,~?*[]!",
             .heredoc = "<<",
             .sigils = "$",
             .command_marks = "|;&({`!",
             .binders = "for case select function in export local declare readonly unset alias set",
             .spaced_marks = false},
    Language{.names = "console shell-session shellsession sh-session bash-session terminal",
             .grammar = Grammar::console},
    Language{.names = "powershell pwsh ps1 posh ps psm1 psd1",
             .enclosed = kPowerShell,
             .line_comments = "#",
             .keywords = "begin break catch class continue data do dynamicparam else elseif end "
                         "enum exit filter finally for foreach from function if in param process "
                         "return switch throw trap try until using while",
             .word_chars = "-.\\:",
             .sigils = "$",
             .command_marks = "|;&({=",
             .binders = "function class enum using param",
             .ignore_case = true},
    Language{.names = "bat batch cmd dos",
             .enclosed = kPlainQuotes,
             .line_comments = ":: rem REM @rem",
             .keywords = "call do echo else endlocal exit for goto if in not pause set setlocal "
                         "shift start",
             .word_chars = "-./\\:@",
             .sigils = "%",
             .command_marks = "&|(",
             .binders = "call do echo else endlocal exit for goto if in not pause set shift start",
             .ignore_case = true},
    Language{.names = "sql mysql postgresql postgres psql pgsql plpgsql sqlite sqlite3 tsql plsql "
                      "mariadb bigquery snowflake",
             .enclosed = kSql,
             .line_comments = "--",
             .keywords = kSqlKeywords,
             .types =
                 "bigint bigserial binary blob bool boolean bytea char character date datetime "
                 "decimal double enum float int integer interval json jsonb money numeric "
                 "nvarchar precision real serial smallint text time timestamp timestamptz "
                 "tinyint uuid varbinary varchar",
             .constants = "true false null",
             .functions = "avg cast coalesce count extract max min now sum",
             .prefixes = "eEbBxXnN",
             .ignore_case = true},
    Language{.names = "html htm xhtml vue svelte xml svg rss atom xsd xsl xslt plist csproj xaml "
                      "handlebars hbs jinja jinja2 django erb ejs html5 wsdl",
             .grammar = Grammar::markup},
    Language{.names = "css scss sass less stylus",
             .enclosed = kCss,
             .line_comments = "//",
             .word_chars = "-",
             .sigils = ".#$",
             .sigil_role = Role::code_function,
             .decorator = '@',
             .keys = Keys::css},
    Language{.names = "json jsonc json5 jsonl ndjson geojson webmanifest ipynb",
             .enclosed = kJson,
             .line_comments = "//",
             .constants = "true false null",
             .string_keys = true},
    Language{.names = "yaml yml docker-compose compose openapi ansible clang-format",
             .enclosed = kYaml,
             .line_comments = "#",
             .constants = "true false null yes no on off True False Null ~",
             .word_chars = "-./~",
             .sigils = "&*!",
             .sigil_role = Role::code_meta,
             .keys = Keys::yaml,
             .spaced_marks = true,
             .string_keys = true},
    Language{.names = "toml cargo pipfile",
             .enclosed = kToml,
             .line_comments = "#",
             .constants = "true false inf nan",
             .word_chars = "-",
             .keys = Keys::assignment},
    Language{.names = "ini cfg conf config editorconfig gitconfig desktop properties dotenv "
                      "systemd service unit npmrc inputrc",
             .enclosed = kIni,
             .line_comments = "# ;",
             .constants = "true false yes no on off",
             .word_chars = "-./:@%+,~",
             .sigils = "$",
             .keys = Keys::assignment,
             .ignore_case = true,
             .spaced_marks = true},
    Language{.names = "markdown md mdx mkd gfm", .grammar = Grammar::markdown},
    Language{.names = "dockerfile docker containerfile",
             .enclosed = kMake,
             .line_comments = "#",
             .keywords = "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL "
                         "MAINTAINER ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
             .word_chars = "-./:@+,~",
             .heredoc = "<<",
             .sigils = "$",
             .spaced_marks = true},
    Language{.names = "makefile make mk mak gnumakefile bsdmakefile",
             .enclosed = kMake,
             .line_comments = "#",
             .keywords = "define endef else endif export ifdef ifeq ifndef ifneq include -include "
                         "override sinclude undefine unexport vpath",
             .word_chars = "-./%+~",
             .sigils = "$",
             .keys = Keys::assignment,
             .spaced_marks = true,
             .labels = true},
    Language{.names = "cmake cmakelists.txt",
             .enclosed = kCMake,
             .line_comments = "#",
             .keywords = "block break continue else elseif endblock endforeach endfunction endif "
                         "endmacro endwhile foreach function if macro return while",
             .types = "public private interface required version languages status fatal_error "
                      "warning cache force parent_scope",
             .constants = "on off true false",
             .word_chars = "-./+",
             .sigils = "$",
             .ignore_case = true},
    Language{.names = "diff patch udiff", .grammar = Grammar::diff},
    Language{.names = "latex tex bibtex bib sty context",
             .enclosed = kLatex,
             .line_comments = "%",
             .word_chars = "*",
             .sigils = "\\",
             .sigil_role = Role::code_keyword},
    Language{.names = "elixir ex exs heex eex",
             .enclosed = kElixir,
             .line_comments = "#",
             .keywords = "after alias and case catch cond def defdelegate defexception defguard "
                         "defimpl defmacro defmodule defp defprotocol defstruct do else end fn for "
                         "if import in not or quote raise receive require rescue super throw try "
                         "unless unquote use when with",
             .constants = "true false nil",
             .word_chars = "?!",
             .decorator = '@',
             .atom = ':',
             .capital_types = true},
    Language{.names = "erlang erl hrl",
             .enclosed = kPlainQuotes,
             .line_comments = "%",
             .keywords = "after and andalso begin case catch div end fun if not of or orelse "
                         "receive rem try when xor maybe else",
             .constants = "true false undefined ok error",
             .capital_types = true},
    Language{.names = "julia jl",
             .enclosed = kJulia,
             .line_comments = "#",
             .keywords = "abstract baremodule begin break catch const continue do else elseif end "
                         "export finally for function global if import in isa let local macro "
                         "module mutable primitive quote return struct try type using where while",
             .constants = "true false nothing missing pi Inf NaN im",
             .word_chars = "!",
             .prefixes = "rbvaw",
             .decorator = '@',
             .atom = ':',
             .capital_types = true,
             .char_literals = true},
    Language{.names = "zig",
             .enclosed = kZig,
             .line_comments = "//",
             .keywords = "addrspace align allowzero and anyframe asm async await break callconv "
                         "catch comptime const continue defer else enum errdefer error export "
                         "extern fn for if inline linksection noalias nosuspend opaque or orelse "
                         "packed pub resume return struct suspend switch test threadlocal try "
                         "union unreachable usingnamespace var volatile while",
             .types = "anyerror anyopaque anytype bool comptime_float comptime_int f16 f32 f64 f80 "
                      "f128 i8 i16 i32 i64 i128 isize noreturn type u8 u16 u32 u64 u128 usize void "
                      "c_int c_uint c_long c_char",
             .constants = "true false null undefined",
             .decorator = '@',
             .capital_types = true,
             .char_literals = true},
    Language{.names = "assembly asm nasm masm gas x86asm armasm s llvm wat wasm",
             .enclosed = kAssembly,
             .line_comments = "; // #",
             .word_chars = ".",
             .sigils = "%$",
             .command_marks = ":",
             .char_literals = true,
             .labels = true},
    Language{.names = "ocaml ml mli reason fsharp f# fs fsx sml",
             .enclosed = kOcaml,
             .line_comments = "//",
             .keywords = "and as assert async begin class constraint do done downto else end "
                         "exception external for fun function functor if in include inherit "
                         "initializer lazy let match member method module mutable namespace new "
                         "object of open or private rec return sig struct then to try type use val "
                         "virtual when while with yield",
             .types = "bool bytes char exn float int list option string unit array seq",
             .constants = "true false None Some Ok Error",
             .word_chars = "'",
             .capital_types = true,
             .char_literals = true},
    Language{.names = "lisp clojure clj cljs edn scheme scm racket rkt elisp emacs-lisp el "
                      "common-lisp fennel",
             .enclosed = kLisp,
             .line_comments = ";",
             .keywords = "and begin case cond def define defmacro defn defn- defun defparameter "
                         "defvar do else fn if if-let lambda let let* letrec loop ns or progn "
                         "quote recur require set! setq unless when when-let while",
             .constants = "nil t true false #t #f",
             .word_chars = "-?!*+<>=/#",
             .atom = ':'},
    Language{.names = "hcl terraform tf tfvars nomad",
             .enclosed = kC,
             .line_comments = "# //",
             .keywords =
                 "backend data dynamic for for_each if import in locals module moved output "
                 "provider resource terraform variable",
             .types = "any bool list map number object set string tuple",
             .constants = "true false null",
             .word_chars = "-",
             .heredoc = "<<",
             .keys = Keys::assignment},
    Language{.names = "graphql gql",
             .enclosed = kGraphQl,
             .line_comments = "#",
             .keywords = "directive enum extend fragment implements input interface mutation on "
                         "query repeatable scalar schema subscription type union",
             .types = "Boolean Float ID Int String",
             .constants = "true false null",
             .sigils = "$",
             .decorator = '@',
             .capital_types = true},
    Language{.names = "protobuf proto proto3",
             .enclosed = kJava,
             .line_comments = "//",
             .keywords = "enum extend extensions import map message oneof option optional package "
                         "public repeated required reserved returns rpc service stream syntax",
             .types = "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 "
                      "sint32 sint64 string uint32 uint64",
             .constants = "true false",
             .capital_types = true},
    Language{.names = "nginx nginxconf apache apacheconf caddyfile",
             .enclosed = kPlainQuotes,
             .line_comments = "#",
             .word_chars = "-./:@%+,~",
             .sigils = "$",
             .command_marks = ";{}",
             .spaced_marks = true},
    Language{.names = "fortran f90 f95 f03 f08 for",
             .enclosed = kPlainQuotes,
             .line_comments = "!",
             .keywords = "allocatable allocate call case contains cycle deallocate dimension do "
                         "else elseif end enddo endif exit function if implicit in inout intent "
                         "interface module none only out parameter pointer print program pure read "
                         "recursive result return save select stop subroutine target then type use "
                         "where while write",
             .types = "character complex double integer logical precision real",
             .ignore_case = true},
    Language{.names = "pascal delphi objectpascal pas dpr",
             .enclosed = kOcaml,
             .line_comments = "//",
             .keywords = "and array as begin case class const constructor destructor div do downto "
                         "else end except finally for function if implementation in inherited "
                         "interface is mod nil not of or out private procedure program property "
                         "protected public record repeat set then to try type unit until uses var "
                         "while with xor",
             .types = "boolean byte cardinal char double integer longint real string word",
             .constants = "true false",
             .ignore_case = true},
    Language{.names = "vim viml vimscript nvim",
             .enclosed = kPlainQuotes,
             .keywords = "augroup autocmd call colorscheme command echo else elseif endfor "
                         "endfunction endif endwhile execute for function if inoremap let map "
                         "nmap nnoremap noremap normal return set setlocal silent syntax unlet "
                         "vnoremap while",
             .word_chars = "!",
             .sigils = "&"},
    Language{.names = "nix",
             .enclosed = kJava,
             .line_comments = "#",
             .keywords = "assert else if import in inherit let or rec then with",
             .constants = "true false null",
             .word_chars = "-'",
             .keys = Keys::assignment},
    Language{.names = "verilog systemverilog sv v",
             .enclosed = kJson,
             .line_comments = "//",
             .keywords = "always always_comb always_ff assign begin case casez default else end "
                         "endcase endfunction endmodule endtask enum for function generate if "
                         "initial inout input localparam module negedge output package parameter "
                         "posedge return struct task typedef while",
             .types = "bit byte int integer logic real reg signed string time unsigned wire"},
};

}  // namespace

std::span<const Language> languages() noexcept {
  return kLanguages;
}

}  // namespace confab::ui::data
