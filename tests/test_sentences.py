"""No module finds anything out by searching a sentence that another module wrote.

A sentence is made at the face, from values, and is never read back. Where a text is searched all
the same, it came from outside: a file, a log of MQ, a message of a library.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]

SENTENCES: Final = {
    *("advice", "cause", "condition", "detail", "effect", "ends", "explanation", "finding"),
    *("lines", "message", "note", "notes", "object", "outcome", "problem", "reason", "said"),
    *("sentence", "sentences", "summary", "text", "title", "what", "why"),
}
"""The names of attributes and keys that hold words for people."""

ARGUMENTS: Final = SENTENCES - {"lines", "message", "object", "text", "title"}
"""The names of arguments that hold them; the others are often what is read from outside."""

WORDS: Final = {"finding", "sentence", "why"}
"""Those of them that are never a collection: `name in why` searches words."""

SEARCHES: Final = {
    *("startswith", "endswith", "split", "rsplit", "partition", "rpartition", "find", "rfind"),
    *("index", "rindex", "removeprefix", "removesuffix", "splitlines"),
}
PATTERNS: Final = {"search", "match", "fullmatch", "findall", "finditer", "split", "sub"}
KEEPS_WORDS: Final = {"strip", "lstrip", "rstrip", "lower", "upper", "casefold"}
PASSES_ON: Final = {
    *("str", "repr", "iter", "next", "reversed", "sorted", "enumerate", "filter", "list", "map"),
    *("takewhile", "tuple", "zip"),
}

READERS: Final = {
    "twin/feeds": {"text", "message", "lines"},
    "twin/mqsc": {"text", "message", "lines"},
}
"""Rooms that read what MQ and people wrote: there, these names are texts from outside."""

FILE: Final = "a file that was given"
COMMAND: Final = "a command that somebody wrote"

ALLOWED: Final[dict[str, dict[str, str]]] = {
    "twin/app/dated_files.py": {
        "_QMGR.findall(file.text)": FILE,
        "_QMGR.search(file.text)": FILE,
        "_QMID.search(file.text)": FILE,
    },
    "twin/app/retracting.py": {"cause.startswith(TICK)": "the id of an event, or of a tick"},
    "twin/fold/store/lazy_records.py": {"names.index(called)": "a place in a tuple of names"},
    "twin/history/errors.py": {
        "str(reason).strip().splitlines()": "the first line of an error of Spark or Java",
    },
    "twin/history/metrics/stretches.py": {"_ROW.split(', ')": "a schema, as Spark writes it"},
    "twin/log/portable.py": {
        "'event' in line": "a member of a JSON object that was read",
        "'branch' in line": "a member of a JSON object that was read",
    },
    "twin/model/objects.py": {"str(value).split(',')": "the value of an attribute of MQSC"},
    "twin/questions/doctor/checks/estates.py": {
        "_WORD.findall(said)": "names and addresses that people chose"
    },
    "twin/questions/reachability.py": {
        "why.startswith(('the ', 'an '))": "writes a capital letter; nothing depends on it",
    },
    "twin/review/doctor/proofs.py": {
        "line.startswith(('AMQ', 'TWN'))": "quotes the message in an answer of runmqsc"
    },
    "twin/review/folders/rejected_commands.py": {
        "INSERT.search(self.text)": COMMAND,
        "_PLACEHOLDER.search(self.text)": COMMAND,
    },
    "twin/review/runbooks/text.py": {
        "_WORDS.findall(command.text)": "wraps a command between its words",
    },
    "twin/rules/queues/transmission_queues.py": {
        "self.text.endswith('*')": "the value of CLCHNAME, a pattern",
        "self.text.split('*', 1)": "the value of CLCHNAME, a pattern",
    },
}
"""Module -> what it searches, and why that is no sentence of the twin."""


class Search(NamedTuple):
    """A search in what may be a sentence."""

    module: str
    code: str


class _Scope:
    """The names of a function: what they are bound to, and which of them are arguments."""

    def __init__(self, nodes: Iterable[ast.AST], foreign: set[str]) -> None:
        self._bound: dict[str, list[ast.expr]] = defaultdict(list)
        self._arguments: set[str] = set()
        self._names = SENTENCES - foreign
        for node in nodes:
            match node:
                case ast.Assign():
                    for target in node.targets:
                        self._bind(target, node.value)
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    self._bind(target, value)
                case ast.NamedExpr(target=target, value=value):
                    self._bind(target, value)
                case (
                    ast.For(target=target, iter=value)
                    | ast.comprehension(target=target, iter=value)
                ):
                    self._bind(target, value)
                case ast.Call(func=ast.Name(), args=[ast.Lambda() as each, *rest]):
                    for argument in each.args.args:
                        self._bound[argument.arg] += rest
                case ast.arguments():
                    self._arguments |= {each.arg for each in (*node.args, *node.kwonlyargs)}
                case _:
                    pass

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._bound[target.id].append(value)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._bind(each, value)

    def is_sentence(self, node: ast.expr, seen: tuple[str, ...] = ()) -> bool:
        """Return whether an expression is words for people, by the name that it comes from."""
        if name := _key_of(node):
            return name.strip("_") in self._names
        if not isinstance(node, ast.Name):
            return _is_prose(node) or any(
                self.is_sentence(each, seen) for each in _comes_from(node)
            )
        if node.id in self._bound:
            sources = () if node.id in seen else self._bound[node.id]
            return any(self.is_sentence(each, (*seen, node.id)) for each in sources)
        return node.id in self._arguments and node.id in ARGUMENTS & self._names

    def searches(self, node: ast.AST) -> bool:
        """Return whether a node searches in a sentence, or takes a list out of a text."""
        match node:
            case ast.Call(func=ast.Attribute(attr="split"), args=[ast.Constant(value=", ")]):
                return True
            case ast.Call(func=ast.Attribute(attr="split"), args=[], keywords=[]):
                return False  # it only makes blanks alike
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args):
                if name in PATTERNS and (read := _read_by_pattern(value, name, args)):
                    return self.is_sentence(read)
                is_words = _is_text_of(value) or self.is_sentence(value)
                return name in SEARCHES and is_words and not isinstance(value, ast.JoinedStr)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                return self.is_sentence(right) and (_is_text(left) or _name_of(right) in WORDS)
        return False


def _key_of(node: ast.expr) -> str:
    """Return the attribute or the key that a value is read from; '' if it is none."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name
    return ""


def _comes_from(node: ast.expr) -> Sequence[ast.expr]:
    """Return the expressions that the words of an expression come from."""
    match node:
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return [value]
        case ast.Call(func=ast.Name(id=name), args=values) if name in PASSES_ON:
            return values
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in KEEPS_WORDS:
            return [value]
        case ast.BoolOp(values=values):
            return values
        case ast.IfExp(body=one, orelse=other):
            return [one, other]
    return []


def _is_prose(node: ast.expr) -> bool:
    """Return whether an expression puts words together, with blanks between them."""
    return isinstance(node, ast.JoinedStr) and any(
        isinstance(each, ast.Constant) and " " in str(each.value) for each in node.values
    )


def _read_by_pattern(value: ast.expr, name: str, args: Sequence[ast.expr]) -> ast.expr | None:
    """Return the argument that a regular expression reads; None if it is none."""
    if isinstance(value, ast.Name) and value.id == "re":
        place = 2 if name == "sub" else 1
    elif isinstance(value, ast.Name) and value.id.isupper():
        place = 1 if name == "sub" else 0
    else:
        return None
    return args[place] if place < len(args) else None


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_text(node: ast.expr) -> bool:
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, ast.JoinedStr)


def _is_text_of(node: ast.expr) -> bool:
    """Return whether an expression is the text of a value: `str(step)`."""
    match node:
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name() | ast.Attribute()]):
            return True
    return False


def searches(module: str, source: str) -> Iterator[Search]:
    """Yield the searches in what may be a sentence of a module."""
    foreign = next((names for room, names in READERS.items() if module.startswith(room)), set())
    tree = ast.parse(source)
    functions = [*_outer_functions(tree)]
    inner = {id(node) for each in functions for node in ast.walk(each)}
    scopes = [
        [node for node in ast.walk(tree) if id(node) not in inner],
        *([*ast.walk(each)] for each in functions),
    ]
    for nodes in scopes:
        scope = _Scope(nodes, foreign)
        yield from (Search(module, ast.unparse(each)) for each in nodes if scope.searches(each))


def _outer_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the functions and methods that stand in no other one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _outer_functions(child)


def test_no_module_searches_a_sentence() -> None:
    """Each search is in a text from outside, for a reason; and each reason has its search."""
    found = {
        each
        for path in sorted(ROOT.glob("twin/**/*.py"))
        for each in searches(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    }
    allowed = {Search(module, code) for module, codes in ALLOWED.items() for code in codes}
    assert sorted(found - allowed) == []
    assert sorted(allowed - found) == []


@pytest.mark.parametrize(
    "code",
    [
        "def f(gap):\n    return 'PROCESS' in gap.why",
        "def f(gap):\n    return gap.why.partition(':')",
        "def f(gap, name):\n    return name in gap.why",
        "def f(finding):\n    return re.search('QM1', finding.text)",
        "def f(finding):\n    return _OBJECT.match(finding.object)",
        "def f(put):\n    for line in put.lines:\n        line.startswith('Bind ')",
        "def f(put):\n    return takewhile(lambda line: not line.startswith('Bind'), put.lines)",
        "def f(put):\n    lines = iter(put.lines)\n    return next(lines, '').endswith('.')",
        "def f(ends):\n    return all(each.startswith('delivered') for each in ends)",
        "def f(step):\n    return str(step).partition(': ')",
        "def f(title, point):\n    line = f'{title} {point}'\n    line.partition(' known at ')",
        "def f(row):\n    return row['why'].split(':')",
        "def f(file):\n    return file.qmgr.split(', ')",
        "class A:\n    def says(self):\n        self.text.removesuffix(f'from {self.origin}')",
    ],
)
def test_the_forbidden_ways_are_found(code: str) -> None:
    """Each way to search words for people is found, also by the names that lead to them."""
    assert [*searches("twin/web/pages/why.py", code)]


@pytest.mark.parametrize(
    "code",
    [
        "def f(text):\n    return text.partition('=')",
        "def f(path):\n    return path.startswith('/')",
        "def f(row):\n    return row.field in row.notes",
        "def f(gap):\n    return ' '.join(gap.why.split())",
        "def f(hop, each):\n    return f'{hop.step}.'.startswith(f'{each.step}.')",
    ],
)
def test_what_reads_no_sentence_is_not_found(code: str) -> None:
    """Readers of options, paths and numbers, members of collections, and blanks are let alone."""
    assert [*searches("twin/web/pages/why.py", code)] == []
