"""Hide passwords and other secrets in texts that may quote anything.

Secrets stand in URLs of any form, in settings such as ``password=X`` and ``token=X``, after
options of a command line such as ``-p X``, and in headers of HTTP. MQ keeps such texts in
STARTARG, STOPARG, USERDATA, SCYDATA and the like: only the attributes of `twin.mqsc.masking` say
that their value is a secret, so for other texts the names decide here.

`-pX` is a password for mysql and the name of an option elsewhere, `-w 30` is one for ldapsearch and
a time for runmqsc: only the program before it tells. So each rule begins with the names of its
programs, and looks at the rest of that command, at most `_FAR` characters. A program whose name is
in another attribute (STARTCMD, with its options in STARTARG) is not seen.

Sources: mysql, "Command Options for Connecting to the Server"; sshpass(1); ldapsearch(1); curl(1);
openssl, "Pass Phrase Options"; keytool; IBM MQ, "runmqckm and runmqakm commands" (-new_pw,
-target_pw).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

TRIGGERS: Final = ("curl", "ldap", "_pw")
"""What a text has, in lower case, with such an option that has no password in its name."""

_FAR: Final = 200
_HIDEABLE: Final = r"""(?!\*{8})(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s'"]++)"""
_END: Final = r"(?:\.exe)?[\"']?\s"
_WITHIN: Final = rf"[^\n;|]{{0,{_FAR}}}?(?<!\S)"


def _of(programs: str, option: str) -> re.Pattern[str]:
    """Return a pattern of programs with an option, whose case matters, and its value."""
    return re.compile(rf"((?<![\w-])(?i:{programs}){_END}{_WITHIN}{option}){_HIDEABLE}", re.ASCII)


PATTERNS: Final = (
    _of(r"(?:mysql|mariadb)[\w-]{0,20}|sshpass", r"-p(?=\S)"),
    _of(r"ldap(?:search|modify|modrdn|add|delete|passwd|whoami|compare)", r"-w\s*+(?!-)"),
    _of(r"curl", r"""(?:-[a-zA-Z]{0,5}[uU]\s*+|--(?:proxy-)?user[\s=]\s*+)["']?[^\s:'"]{1,200}:"""),
    re.compile(
        r"(?i)((?<![\w-])--?(?:(?:src|dest)?(?:store|key)pass|(?:new|target)_pw)\s++(?!-))"
        rf"{_HIDEABLE}",
        re.ASCII,
    ),
    re.compile(rf"(?i)((?<![\w-])-pass(?:in|out)?\s++pass:){_HIDEABLE}", re.ASCII),
)
"""What stands before a secret, in group 1, and the secret."""


HIDDEN: Final = "********"
"""What is shown and stored instead of a password."""

_SHORT: Final = 4
"""A secret with fewer characters is hidden only where it stands alone: "a" is in every message."""

_FILE: Final = re.compile(r"sqlite(\+\w+)?:///")
_NAMES: Final = "pass|pwd|secret|token|credential|(?:api|access|account|private)[-_]?key"
"""What the name of a setting contains, if the setting is a secret."""

_SECRET_NAME: Final = re.compile(rf"(?i){_NAMES}")
_PORT: Final = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*):(?!\d*\Z)(.*)", re.DOTALL)
"""A host with a port that is not a number: it may be a password without its host."""

_ENCODED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_WORD: Final = re.compile(r"\S++")
_BEFORE_PASSWORD: Final = re.compile(r"\w:/*+[^\s/?#:@]*+:")
"""The end of a scheme, and a user."""

_NO_PORT: Final = re.compile(
    r"""(\w://(?:\[[^\s\]]*+\]|[^\s/?#:@\[]++):)"""
    r"""(?!\d*+(?:[\s/?#'",;)\]}>]|\.?(?:\s|\Z))|\*{8}|<?(?i:port)\b)[^\s/]+"""
)
"""What stands for a port and is not one; texts such as `HOST:PORT` stand for themselves."""

_VALUE: Final = r"""("[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s'"]++)"""
"""A value in quotes or not; one that is cut ends with the text."""

_SETTING: Final = re.compile(
    rf"""(?i)(?<![\w-])((?:(?=[\w-]*?(?:{_NAMES})|(?:sig|signature)\b)[\w-]++["']?+\s*+="""
    r"""|(?=[\w-]*?(?:passw|passphrase|pwd|secret|api[-_]?key|(?:access|auth)[-_]?token))"""
    r"""[\w-]++["']?+\s*+:)\s*+)"""
    r"""("[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s&;,'"]++)""",
    re.ASCII,
)
"""A setting with `=` or `:`, and its value, in quotes or not; one that is cut ends with the text.

Before a colon, fewer names are those of secrets: "pass: 1" is prose.
"""

_OPTION: Final = re.compile(
    r"""(?i)(?<![\w-])((?:-p\s++(?![-/.+$<%]|\d{1,5}(?![^\s'")]))"""
    r"""|--?(?:(?:[\w-]*-)?(?:pass|pw)"""
    r"""|(?=[\w-]*?(?:password|passwd|passphrase|pwd|secret|token|key)\s)"""
    r"""[\w-]*?(?:password|passwd|passphrase|pwd|secret|token|api-?key|access-?key))"""
    rf"""\s++(?!-)))(?!\*{{8}}){_VALUE}""",
    re.ASCII,
)
"""An option of a command line, and its value in the next word.

`-p 1414` is the port of a listener, and `-p /dir` is a path: both stay. So does `-pX`, which cannot
be told from the name of an option, unless `twin.model.passwords` knows the program.
"""

_HEADER: Final = re.compile(
    rf"""(?i)\b(authorization["']?+\s*+[:=]\s*+["']?+(?:bearer|basic|negotiate|token)\s++){_VALUE}"""
)


class ShownUrl(NamedTuple):
    """A URL as messages show it, and the texts that it hides."""

    text: str
    secrets: tuple[str, ...] = ()

    def scrubbed(self, message: str) -> str:
        """Return a message of somebody else about this URL, without the hidden texts."""
        for secret in self.secrets:
            alone = (
                rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < _SHORT else re.escape(secret)
            )
            message = re.sub(alone, HIDDEN, message)
        return message


def shown_url(url: str) -> ShownUrl:
    """Return a URL of a log, which may be malformed, without its password."""
    file = _FILE.match(url)
    if file is not None or "://" not in url:
        return _shown_file(url[: file.end()] if file else "", url[file.end() :] if file else url)
    scheme, _, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    name, colon, password = user.partition(":")
    secrets = [password]
    place, question, query = place.partition("?")
    if "?" in password or is_secret_name(_decoded(query)):
        secrets += [part.partition("=")[2] for part in re.split("[&;]", query)]
        question = query = ""
    authority, slash, database = place.partition("/")
    if port := _PORT.fullmatch(authority):
        secrets.append(port[1])
        authority = f"{authority[: port.start(1)]}{HIDDEN}"
    hidden = f"{colon}{HIDDEN}" if colon else ""
    text = f"{scheme}://{name}{hidden}{at}{authority}{slash}{database}{question}{query}"
    return ShownUrl(text, _all_forms(secrets))


def _shown_file(kind: str, path: str) -> ShownUrl:
    """Return the path of a file, which may be a server's URL with a typing error."""
    before, colon, rest = path.partition(":")
    secret, at, after = rest.rpartition("@")
    if colon and at:
        return ShownUrl(
            f"{kind}{before}:{HIDDEN}@{after}", _all_forms([secret, *secret.split(":")])
        )
    if is_secret_name(_decoded(path)) and (found := re.search(r"(?s)=(.*)", _decoded(path))):
        begin = path.partition("=")[0] if "=" in path else ""
        return ShownUrl(f"{kind}{begin}={HIDDEN}", _all_forms([found[1], path.partition("=")[2]]))
    return ShownUrl(f"{kind}{path}")


def _all_forms(secrets: list[str]) -> tuple[str, ...]:
    """Return texts as given and decoded, the longest first, so that each is replaced as a whole."""
    forms = {form for text in secrets for form in (text, _decoded(text), repr(text)[1:-1])}
    return tuple(sorted(forms - {""}, key=len, reverse=True))


def _decoded(text: str) -> str:
    """Return a part of a URL with its %XX decoded."""
    return _ENCODED.sub(
        lambda found: bytes.fromhex(found[0].replace("%", "")).decode(errors="replace"), text
    )


def is_secret_name(name: str) -> bool:
    """Return whether a setting of this name is a password or another secret."""
    return _SECRET_NAME.search(name) is not None


def message_without_passwords(message: str, values: Iterable[str]) -> str:
    """Return a message of ours without the secrets in it.

    `values` are texts of others that it repeats. Each of them is looked at alone, and so are the
    words between, so that a value such as `-p` or `password` hides no word of ours. One that ends
    before an equals sign stays together with what follows.
    """
    texts = sorted({each for each in values if each}, key=len, reverse=True)
    if not texts:
        return without_passwords(message)
    alone = "|".join(map(re.escape, texts))
    parts = re.split(rf"((?<![\w-])(?:{alone})(?![\w-]|\s*=))", message)
    return "".join(map(without_passwords, parts))


def without_passwords(text: str) -> str:
    """Return a text without the secrets of the URLs, settings and options in it.

    This takes time linear in its length: each pattern has one start for each word or colon.
    """
    if "@" in text:
        text = _WORD.sub(lambda word: _without_credentials(word[0]), text)
    if "://" in text:
        text = _NO_PORT.sub(rf"\1{HIDDEN}", text)
    for pattern in (_HEADER, _SETTING, *PATTERNS, _OPTION):
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


def _without_credentials(word: str) -> str:
    """Hide the password in words like ``https://user:secret@host/path``, ``user:secret@host``."""
    before, at, place = word.rpartition("@")
    if not at:
        return word
    if (found := _BEFORE_PASSWORD.search(before)) and found.end() < len(before):
        return f"{word[: found.end()]}{HIDDEN}@{place}"
    scheme, slashes, user = before.rpartition("://")
    name, colon, secret = user.partition(":")
    if not colon or not (slashes or (name and secret)):
        return word
    return f"{scheme}{slashes}{name}:{HIDDEN}@{place}"
