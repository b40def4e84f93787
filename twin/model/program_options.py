"""Options of known programs whose values are secrets, although their names do not say so.

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
from typing import Final

TRIGGERS: Final = ("curl", "ldap", "_pw")
"""What a text has, in lower case, with such an option that has no password in its name."""

_FAR: Final = 200
_VALUE: Final = r"""(?!\*{8})(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s'"]++)"""
_END: Final = r"(?:\.exe)?[\"']?\s"
_WITHIN: Final = rf"[^\n;|]{{0,{_FAR}}}?(?<!\S)"


def _of(programs: str, option: str) -> re.Pattern[str]:
    """Return a pattern of programs with an option, whose case matters, and its value."""
    return re.compile(rf"((?<![\w-])(?i:{programs}){_END}{_WITHIN}{option}){_VALUE}", re.ASCII)


PATTERNS: Final = (
    _of(r"(?:mysql|mariadb)[\w-]{0,20}|sshpass", r"-p(?=\S)"),
    _of(r"ldap(?:search|modify|modrdn|add|delete|passwd|whoami|compare)", r"-w\s*+(?!-)"),
    _of(r"curl", r"""(?:-[a-zA-Z]{0,5}[uU]\s*+|--(?:proxy-)?user[\s=]\s*+)["']?[^\s:'"]{1,200}:"""),
    re.compile(
        r"(?i)((?<![\w-])--?(?:(?:src|dest)?(?:store|key)pass|(?:new|target)_pw)\s++(?!-))"
        rf"{_VALUE}",
        re.ASCII,
    ),
    re.compile(rf"(?i)((?<![\w-])-pass(?:in|out)?\s++pass:){_VALUE}", re.ASCII),
)
"""What stands before a secret, in group 1, and the secret."""
