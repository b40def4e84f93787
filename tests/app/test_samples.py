"""Public MQSC files that are only referred to: which of their commands are refused.

Each file runs as its origin uses it: placeholders are filled, MQSC is taken out of a ConfigMap, and
the objects of the container image or of the file before it exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.app.scenes import LATER, START, make_twin
from twin.app.twin import Twin

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples"
FOLDERS: Final = ("open/mqsc", "reference/mqsc", "reference/dmpmqcfg")
REQUESTS: Final = SAMPLES / "open" / "rest"

IMAGE: Final = """\
DEFINE QLOCAL(DEV.QUEUE.1)
DEFINE QLOCAL(DEV.QUEUE.2)
DEFINE QLOCAL(DEV.QUEUE.3)
DEFINE QLOCAL(DEV.DEAD.LETTER.QUEUE)
DEFINE CHANNEL(DEV.ADMIN.SVRCONN) CHLTYPE(SVRCONN)
DEFINE CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN)
DEFINE AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS)
"""
"""Objects that the container image defines before it runs a file."""

FOLLOWS: Final = re.compile(r"_start_\w+_(dmz|lan)\.mqsc$")
"""A file that its origin runs after the one that creates the objects of the same side."""

DEFINED: Final = {
    "start_chanels": "DEFINE CHANNEL(SC.DEMO.SBOLDB) CHLTYPE(SVRCONN)",
    "create_objects_sbolrs1": "DEFINE CHANNEL(ESB.GW.SVRCONN) CHLTYPE(SVRCONN)",
    "mq-dev-config": "START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)",
    **{
        part: "\n".join(
            f"DEFINE CHANNEL(UNICLUS_QM{number}) CHLTYPE(CLUS{end}) CONNAME(h) CLUSTER(UNICLUS)"
            for number, end in enumerate(ends, 1)
        )
        for part, ends in {
            "qm1-config": ("RCVR", "SDR", "SDR"),
            "qm2-config": ("SDR", "RCVR", "SDR"),
            "qm3-config": ("SDR", "SDR", "RCVR"),
        }.items()
    },
}
"""Part of a file name -> commands of a file that is not here, or of the automatic configuration."""

FILLED: Final = {
    "{{ .ChckClnt }}": "REQUIRED",
    "{{ .SSLFips }}": "NO",
    "+AUTOCL+_+QMNAME+": "UNI_QM1",
    "UNICLUSTER.+QMNAME+": "UNICLUSTER.QM1",
    "+AUTOCL+": "UNI",
    "+CONNAME+": "host",
    "+QMNAME+": "QM1",
}

REFUSED: Final = {
    "ODOWDAIBM__mq01": {"AMQ8424": 2},  # a name with a hyphen
    "ldapauth_activedir": {"AMQ8405": 1},  # FAILEDDLAY; the keyword is FAILDLAY
    "ldapauth_openldap": {"AMQ8405": 1},
    "instance_qm3-config": {"AMQ8405": 1},  # a quote is not closed
    "instance_values.yaml": {"AMQ8227": 7},  # commands of three queue managers, run on one
    "uat_qm02_dynamic": {"AMQ8424": 1},  # a name with a dollar sign
    "FNUNI_cluster_template": {"AMQ8405": 1},  # a comment after a command
    "TSW3CLU1_STD_side": {"AMQ8405": 1},  # a comment after a command
    "scripts_create_objects_lan": {"AMQ8405": 1},  # ALTER CHL with the name in CHLTYPE
    "mqdmz_create_objects_dmz": {"AMQ8405": 1},
    "mqlan_create_objects_lan": {"AMQ8405": 1},
}
"""Part of a file name -> the messages of its commands that MQ refuses too, and why."""

ID: Final = re.compile(r"((?:AMQ|TWN)\d{4})([IWES]?): ")
SYNTAX: Final = "AMQ8405"
SWITCHES: Final = ("replace", "noreplace", "share", "noshare", "notrigger")


def _files() -> list[Path]:
    return sorted(
        path for folder in FOLDERS for path in (SAMPLES / folder).rglob("*") if path.is_file()
    )


def _scripts(value: object) -> Iterator[str]:
    """Yield the MQSC of a ConfigMap, or of the values of a chart."""
    items = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    for key, inner in items:
        if isinstance(inner, str) and "mqsc" in str(key):
            yield inner
        elif key == "commands":
            yield "\n".join(inner)
        elif isinstance(inner, dict | list):
            yield from _scripts(inner)


def _text(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    if ".yaml" in path.name:
        documents = yaml.safe_load_all(text)
        text = "\n".join(script for document in documents for script in _scripts(document))
    for placeholder, value in FILLED.items():
        text = text.replace(placeholder, value)
    return re.sub(r"\{\{(\w+)\}\}|__(\w+)__", r"\1\2", text)


def _before(path: Path) -> str:
    """Return the commands that ran before those of a file."""
    follows = FOLLOWS.search(path.name)
    created = f"_mq{follows[1]}_create_objects_" if follows else "\0"
    scripts = [_text(one) for one in _files() if created in one.name]
    return "\n".join(
        [IMAGE, *scripts, *(text for part, text in DEFINED.items() if part in path.name)]
    )


def _refused(lines: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in lines:
        said = ID.match(line)
        if said and (said[2] in "ES" or said[1] == SYNTAX or said[1].startswith("TWN")):
            found[said[1]] = found.get(said[1], 0) + 1
    return found


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_only_commands_that_mq_refuses_too_are_refused(tmp_path: Path) -> None:
    """Of all commands of the public files those are refused that MQ refuses, and no others."""
    pinned = dict(REFUSED)
    with make_twin(f"sqlite:///{tmp_path / 'twin.db'}", lambda: LATER) as twin:
        for number, path in enumerate(_files()):
            qmgr = f"QM{number}"
            twin.crtmqm(qmgr, at=START)
            twin.strmqm(qmgr, at=START)
            twin.runmqsc(qmgr, _before(path), at=START)
            session = twin.runmqsc(qmgr, _text(path), at=START)
            part = next((part for part in pinned if part in path.name), "")
            assert _refused(tuple(session.lines)) == pinned.pop(part, {}), path.name
    assert pinned == {}


def _command(request: dict[str, Any]) -> str:
    """Return a request of the administrative REST interface as an MQSC command."""
    name = f"('{request['name']}')" if "name" in request else ""
    words = [f"{request['command']} {request['qualifier']}{name}"]
    for keyword, value in request.get("parameters", {}).items():
        if keyword in SWITCHES:
            words.append(keyword)
        elif keyword == "where" or isinstance(value, int):
            words.append(f"{keyword}({value})")
        else:
            values = value if isinstance(value, list) else [value.strip("()'")]
            if keyword not in ("descr", "conname", "applicid", "userdata", "topicstr", "sslpeer"):
                values = [one if one.islower() and "." in one else one.upper() for one in values]
            words.append(f"{keyword}({','.join(_quoted(str(one)) for one in values)})")
    return " ".join([*words, *request.get("responseParameters", [])])


def _quoted(value: str) -> str:
    return value if re.fullmatch(r"[A-Z0-9]+", value) else f"'{value}'"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_requests_for_zos_are_understood_on_zos(twin: Twin) -> None:
    """On z/OS no command of the public requests is refused but for objects that do not exist."""
    twin.crtmqm("MQ07", platform="MVS", at=START)
    twin.strmqm("MQ07", at=START)
    counts: dict[str, int] = {}
    files = sorted(REQUESTS.glob("ansible_*.yml"))
    assert len(files) == 7
    for path in files:
        requests = yaml.safe_load(path.read_text(encoding="utf-8"))["mq_commands"]
        if "sending_end" in path.name:
            twin.runmqsc("MQ07", "DELETE CHANNEL(MQ07.TO.MQ08)", at=START)
        session = twin.runmqsc("MQ07", "\n".join(map(_command, requests)), at=START)
        for message, count in _refused(tuple(session.lines)).items():
            counts[message] = counts.get(message, 0) + count
    assert counts == {
        "AMQ8884": 1,  # ACTION(REMOVE) of a rule that is set afterwards
        "AMQ8147": 11,  # the cluster CLUS01; nothing matches; a queue that was deleted
        "AMQ8150": 1,  # NOREPLACE
    }
