# SPDX-License-Identifier: GPL-2.0-only
"""Small changes to C source that tests should find. Works on text only: the caller discards changes that do
not compile."""
import re
from collections import namedtuple

# kind: the kind of change; at, end: the offsets that `text` replaces.
Change = namedtuple("Change", "kind at end text")
Token = namedtuple("Token", "kind text at")

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?:(?<=\n)|\A)[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL,
)

SIGNS = {
    "+": ["-"], "-": ["+"], "+=": ["-="], "-=": ["+="], "++": ["--"], "--": ["++"],
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "/": ["*"], "*": ["/"], "<<": [">>"], ">>": ["<<"],
}
# Functions whose first two arguments may be exchanged without effect, or (strcmp) if the result is
# only compared with 0.
EQUALITY = {"strpbrk", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp"}
SYMMETRIC = {"json_equal", "fmin", "fmax", "add_saturating", "mul_saturating", "metric__same_name",
             "calloc", "array__new", "__builtin_add_overflow", "__builtin_mul_overflow"}
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "do", "else", "case", "goto", "break",
            "continue", "default", "offsetof", "va_arg", "va_start", "va_end", "_Static_assert"}


def tokens(source):
    found = []
    for m in TOKEN.finditer(source):
        if m.lastgroup != "skip":
            found.append(Token(m.lastgroup, m.group(), m.start()))
    return found


def partner(toks, i):
    """Index of the bracket that closes the one at i."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for k in range(i, len(toks)):
        if toks[k].kind == "sign" and toks[k].text in pairs:
            depth += 1
        elif toks[k].kind == "sign" and toks[k].text in pairs.values():
            depth -= 1
            if not depth:
                return k
    return len(toks) - 1


def bodies(toks):
    """(first, last) of each function's body, including its braces."""
    i = 0
    while i < len(toks):
        if toks[i].text == "{":
            end = partner(toks, i)
            if i and toks[i - 1].text == ")":
                yield i, end
            i = end
        i += 1


def is_value(tok):
    """Tokens that may precede a binary operator."""
    return tok.kind in ("number", "text") or tok.text in (")", "]") or (
        tok.kind == "word" and tok.text not in KEYWORDS)


def is_declaration(toks, first, last):
    """Two words in a row, or a word, stars and a word: `struct x`, `int n`, `char *s`."""
    if toks[first].kind != "word":
        return False
    k = first + 1
    while k < last and toks[k].text == "*":
        k += 1
    return toks[first].text not in KEYWORDS and k < last and toks[k].kind == "word"


def statements(toks, begin, end):
    """(first, last) of expression statements, including the semicolon."""
    first = None
    depth = 0
    for k in range(begin, end + 1):
        text = toks[k].text
        if text in ("(", "["):
            depth += 1
        elif text in (")", "]"):
            depth -= 1
        if first is None:
            first = k
        if depth:
            continue
        if text in ("{", "}", "else") or (
                text == ":" and (toks[first].text in ("case", "default") or first == k - 1)):
            first = None
        elif text == ")" and toks[first].text in ("if", "while", "for", "switch"):
            first = None
        elif text == ";":
            if first != k and toks[first].text not in KEYWORDS and not is_declaration(toks, first, k):
                yield first, k
            first = None


def arguments(toks, i):
    """(first, last) of each argument of the call whose bracket opens at i."""
    end = partner(toks, i)
    found = []
    depth = 0
    first = i + 1
    for k in range(i, end + 1):
        if toks[k].text in ("(", "[", "{"):
            depth += 1
        elif toks[k].text in (")", "]", "}"):
            depth -= 1
        if (depth == 1 and toks[k].text == ",") or k == end:
            if k > first:
                found.append((first, k - 1))
            first = k + 1
    return found


def number_changes(tok):
    m = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", tok.text)
    if not m:
        return
    value = int(m.group(1), 8 if re.fullmatch(r"0\d+", m.group(1)) else 0)
    for other in (value + 1, value - 1):
        if other >= 0:
            yield Change("constant", tok.at, tok.at + len(tok.text), f"{other}{m.group(2)}")


def sign_changes(toks, k):
    tok = toks[k]
    unary = tok.text in ("+", "-", "*") and not is_value(toks[k - 1])
    if tok.kind == "sign" and not unary:
        for other in SIGNS.get(tok.text, []):
            yield Change("operator", tok.at, tok.at + len(tok.text), other)


def condition_changes(source, toks, k):
    if toks[k].text in ("if", "while") and toks[k + 1].text == "(":
        end = partner(toks, k + 1)
        inner = source[toks[k + 1].at + 1:toks[end].at]
        yield Change("condition", toks[k + 1].at, toks[end].at + 1, f"(!({inner}))")


def same_either_way(toks, k):
    """A call whose first two arguments may be exchanged without effect."""
    if toks[k].text in SYMMETRIC:
        return True
    after = toks[partner(toks, k + 1) + 1].text
    asked = toks[k - 1].text in ("!", "&&", "||") or (toks[k - 1].text == "(" and toks[k - 2].text in ("if", "while"))
    return toks[k].text in EQUALITY and (after in ("==", "!=") or (asked and after in (")", "&&", "||", ";")))


def argument_changes(source, toks, k):
    if toks[k].kind != "word" or toks[k].text in KEYWORDS or toks[k + 1].text != "(":
        return
    given = arguments(toks, k + 1)
    if same_either_way(toks, k):
        given = given[1:]
    for (a, b), (c, d) in zip(given, given[1:]):
        left = source[toks[a].at:toks[b].at + len(toks[b].text)]
        middle = source[toks[b].at + len(toks[b].text):toks[c].at]
        right = source[toks[c].at:toks[d].at + len(toks[d].text)]
        if left != right:
            yield Change("arguments", toks[a].at, toks[d].at + len(toks[d].text), right + middle + left)


def unread(toks, begin, end):
    """Indices of tokens in the brackets inside sizeof(): the element does not matter."""
    found = set()
    for k in range(begin + 1, end):
        if toks[k].text == "sizeof" and toks[k + 1].text == "(":
            for i in range(k + 2, partner(toks, k + 1)):
                if toks[i].text == "[":
                    found.update(range(i + 1, partner(toks, i)))
    return found


def declared_sizes(toks, begin, end):
    """Indices of tokens in the brackets of declarations: the length of an array."""
    found = set()
    first = begin + 1
    for k in range(begin + 1, end):
        if toks[k].text in (";", "{", "}"):
            first = k + 1
        elif toks[k].text == "[" and is_declaration(toks, first, k):
            found.update(range(k + 1, partner(toks, k)))
    return found


def of(source):
    """All changes of a C source."""
    toks = tokens(source)
    found = []
    for begin, end in bodies(toks):
        sizes = declared_sizes(toks, begin, end) | unread(toks, begin, end)
        for k in range(begin + 1, end):
            if k in sizes:
                continue
            found += sign_changes(toks, k)
            found += condition_changes(source, toks, k)
            found += argument_changes(source, toks, k)
            if toks[k].kind == "number":
                found += number_changes(toks[k])
        for first, last in statements(toks, begin + 1, end - 1):
            found.append(Change("statement", toks[first].at, toks[last].at + 1, ";"))
    return found


def apply(source, change):
    return source[:change.at] + change.text + source[change.end:]
