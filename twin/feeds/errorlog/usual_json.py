"""Lines of a JSON error log as queue managers write them, each read with one search.

The order of the members is fixed. What the expression does not match, such as a member that is not
known or a text with an escape, is left to the reader of JSON. Both ways give equal records.
"""

from __future__ import annotations

import re
from typing import Final

from twin.feeds.errorlog.attributes import whole
from twin.feeds.errorlog.keeping import Kept
from twin.feeds.errorlog.record import LogRecord, split_id, utc_instant
from twin.feeds.errorlog.sections import one_line
from twin.feeds.reading.not_understood import LONGEST
from twin.mqsc.masking import masked_text, may_have_password

_TEXT: Final = r'"([^"\\\0]*+)"'
_ANY: Final = r'"[^"\\\0]*+"'

_NUMBER: Final = r'("\d{1,18}+"|0|[1-9]\d{0,17}+)'
_LINE: Final = re.compile(
    rf'\{{"ibm_messageId":{_TEXT},'
    rf'(?:"ibm_arithInsert1":{_NUMBER},)?+(?:"ibm_arithInsert2":{_NUMBER},)?+'
    rf'((?:"ibm_commentInsert1":{_TEXT},)?+(?:"ibm_commentInsert2":{_TEXT},)?+'
    rf'(?:"ibm_commentInsert3":{_TEXT},)?+)"ibm_datetime":{_TEXT},'
    rf'("ibm_serverName":{_ANY},"type":"mq_log","host":{_ANY}),"loglevel":{_ANY},'
    rf'"module":{_TEXT},"ibm_sequence":{_TEXT},(?:"ibm_remoteHost":{_TEXT},)?+'
    rf'("ibm_qmgrId":{_ANY}),"ibm_processId":{_NUMBER},"ibm_threadId":{_NUMBER},'
    rf'("ibm_version":{_ANY},"ibm_processName":{_ANY},"ibm_userName":{_ANY},'
    rf'"ibm_installationName":{_ANY}),"ibm_installationDir":{_ANY},"message":{_TEXT}\}}\s*+',
    re.ASCII,
)
_VALUES: Final = re.compile(rf":{_TEXT}")
_NO_NUMBERS: Final = ("", "")


class UsualLines:
    """Reads lines in the usual form."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self._values = Kept(_values)
        self._message = Kept(_message)

    def read(self, number: int, line: str) -> LogRecord | None:
        """Read a line; None if it is not in the usual form.

        Args:
            number: its number.
            line: the line.
        """
        found = _LINE.fullmatch(line) if line.isascii() else None
        if found is None or len(line) > LONGEST:
            return None
        groups = found.groups("")
        id_, first, second, inserts, one, two, three, instant, where, module, *others = groups
        sequence, remote_host, qmid, process, thread, how, text = others
        ids, at = split_id(id_), utc_instant(instant)
        if ids is None or at is None:
            return None
        qmgr, _, host = self._values(where)
        version, program, user, installation = self._values(how)
        comments = (one.strip(), two.strip(), three.strip())
        if may_have_password(inserts):
            one, two, three = comments
            comments = (masked_text(one), masked_text(two), masked_text(three))
        message = text.removeprefix(id_).removeprefix(":")
        return tuple.__new__(
            LogRecord,
            (
                *(number, number, ids[0], ids[1], at, None, qmgr.strip()),
                *(self._values(qmid)[0].strip(), host, installation, version, program),
                *(f"{process}.{thread}".replace('"', ""), user.strip(), remote_host.strip()),
                (whole(first.strip('"')), whole(second.strip('"')))
                if first or second
                else _NO_NUMBERS,
                *(comments, self._message(message), "", module, sequence, True),
            ),
        )


def _values(members: str) -> tuple[str, ...]:
    return tuple(_VALUES.findall(members))


def _message(text: str) -> str:
    return masked_text(one_line(text))


def _whole(number: str) -> str:
    return whole(number.strip('"'))
