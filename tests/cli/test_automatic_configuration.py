"""Automatic configuration: `twin crtmqm -ii`, `-ic` and `-iv`, applied by every strmqm."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import AT, Run

SAMPLES: Final = Path(__file__).parents[3] / "shared" / "samples" / "open"
LATER: Final = "2025-03-03T10:00"

INI: Final = """\
# The uniform cluster
AutoCluster:
   Type=Uniform
   ClusterName=UNI
   Repository1Name=QM1
   Repository1Conname=one(1401)
   Repository2Name=QM2
   Repository2Conname=two(1402)
"""
MQSC: Final = """\
* Joins the uniform cluster
DEFINE CHANNEL('+AUTOCL+_+QMNAME+') CHLTYPE(CLUSRCVR) CLUSTER(+AUTOCL+) CONNAME(+CONNAME+) REPLACE
DEFINE QLOCAL(ORDERS) CLUSTER('+AUTOCL+') DESCR('at +QMNAME+')
DEFINE SERVICE(SRV) CONTROL(QMGR) STARTCMD('+MQ_INSTALL_PATH+/run') STARTARG('+QMNAME+') REPLACE
DISPLAY QMGR
"""


def _create(run: Run, qmgr: str, *, ini: str = INI, mqsc: str = MQSC, variables: str = "") -> None:
    Path("auto.ini").write_text(ini, encoding="utf-8")
    Path("auto.mqsc").write_text(mqsc, encoding="utf-8")
    values = variables or f"CONNAME={qmgr.lower()}.example(1414)"
    words = ("-ii", "auto.ini", "-ic", "auto.mqsc", "-iv", values)
    made = run("crtmqm", *words, qmgr, "--at", AT)
    assert (made.code, made.err) == (0, "")
    Path("auto.ini").unlink()
    Path("auto.mqsc").unlink()


def _start(run: Run, qmgr: str, at: str = AT) -> None:
    assert run("strmqm", qmgr, "--at", at).code == 0


def _shown(run: Run, qmgr: str, command: str, *words: str) -> str:
    return run("runmqsc", qmgr, *words, typed=command).out


def _logged(run: Run, qmgr: str) -> list[str]:
    rows: list[dict[str, Any]] = run("ask", "errorlog", "--on", qmgr, "--format", "json").json[
        "rows"
    ]
    return [row["text"] for row in rows if row["id"] == "TWN0003"]


def test_a_uniform_cluster_builds_itself(run: Run) -> None:
    """Started queue managers form the cluster: two full repositories, channels and queues."""
    for qmgr in ("QM1", "QM2", "QM3"):
        _create(run, qmgr)
    for qmgr in ("QM1", "QM2", "QM3"):
        _start(run, qmgr)
    shown = _shown(run, "QM1", "DISPLAY CLUSQMGR(*) QMTYPE CONNAME CHANNEL")
    for qmgr, kind in (("QM1", "REPOS"), ("QM2", "REPOS"), ("QM3", "NORMAL")):
        assert f"CHANNEL(UNI_{qmgr})" in shown
        assert f"CONNAME({qmgr.lower()}.example(1414))" in shown
        assert f"QMTYPE({kind})" in shown
    senders = _shown(run, "QM3", "DISPLAY CHANNEL(*) CHLTYPE(CLUSSDR) CONNAME CLUSTER")
    for cell in ("CHANNEL(UNI_QM1)", "CONNAME(one(1401))", "CHANNEL(UNI_QM2)", "CLUSTER(UNI)"):
        assert cell in senders
    assert "UNI_QM3" not in senders
    assert _shown(run, "QM1", "DISPLAY QCLUSTER(ORDERS)").count("QUEUE(ORDERS)") == 3
    assert "REPOS( )" in _shown(run, "QM3", "DISPLAY QMGR REPOS")
    assert _logged(run, "QM3") == []


def test_only_strmqm_applies_the_configuration(run: Run) -> None:
    """As of an instant before strmqm nothing is defined; as of one after it everything is."""
    _create(run, "QM1")
    _start(run, "QM1", LATER)
    before, after = (
        run("runmqsc", "QM1", "--as-of", at, typed="DISPLAY CHANNEL(UNI*)").out
        for at in ("2025-03-03T09:30", "2025-03-03T10:30")
    )
    assert "UNI_QM1" not in before
    assert "UNI_QM1" in after


def test_the_second_start_applies_it_again_and_logs_what_fails(run: Run) -> None:
    """A DEFINE with REPLACE works at every start; one without fails, is logged, and stops nothing.

    Existing CLUSSDRs keep what was altered.
    """
    _create(run, "QM3")
    _start(run, "QM3")
    changes = (
        "ALTER CHANNEL(UNI_QM1) CHLTYPE(CLUSSDR) CONNAME('moved')\n"
        "ALTER CHANNEL(UNI_QM3) CHLTYPE(CLUSRCVR) DESCR('by hand')\n"
        "DELETE SERVICE(SRV)\n"
    )
    assert run("runmqsc", "QM3", "--at", AT, typed=changes).code == 0
    assert _logged(run, "QM3") == []
    assert run("endmqm", "QM3", "--at", AT).code == 0
    _start(run, "QM3", LATER)
    shown = "DISPLAY CHANNEL(UNI*) CONNAME DESCR\nDISPLAY SERVICE(SRV) STARTARG"
    assert "CONNAME(moved)" in _shown(run, "QM3", shown)
    assert "by hand" not in _shown(run, "QM3", shown)
    assert "SERVICE(SRV)" in _shown(run, "QM3", shown)
    (failure,) = _logged(run, "QM3")
    said = "Automatic configuration, auto.mqsc:3: AMQ8150E: IBM MQ object already exists."
    assert said in failure


def test_a_full_repository_becomes_one_again_at_its_next_start(run: Run) -> None:
    """A repository of the stanza whose REPOS was cleared is a full repository after a start."""
    _create(run, "QM1")
    _start(run, "QM1")
    assert run("runmqsc", "QM1", "--at", AT, typed="ALTER QMGR REPOS(' ')").code == 0
    run("endmqm", "QM1", "--at", AT)
    _start(run, "QM1", LATER)
    assert "REPOS(UNI)" in _shown(run, "QM1", "DISPLAY QMGR REPOS")


def test_inserts_are_replaced_only_where_mq_allows_them(run: Run) -> None:
    """In a SERVICE and in a description, inserts stay text, and so do unknown inserts."""
    _create(run, "QM1", variables="CONNAME=+NOWHERE+")
    _start(run, "QM1")
    service = _shown(run, "QM1", "DISPLAY SERVICE(SRV) STARTCMD STARTARG")
    assert "STARTCMD(+MQ_INSTALL_PATH+/run)" in service
    assert "STARTARG(+QMNAME+)" in service
    assert "DESCR(at +QMNAME+)" in _shown(run, "QM1", "DISPLAY QLOCAL(ORDERS) DESCR")
    assert "CONNAME(+NOWHERE+)" in _shown(run, "QM1", "DISPLAY CHANNEL(UNI_QM1) CONNAME")


def test_wrong_commands_are_logged_at_the_first_start(run: Run) -> None:
    """A syntax error or a refused command is logged with its place; the others are run."""
    script = "DEFINE QLOCAL(\nDEFINE NOTHING(A)\nDEFINE QLOCAL(+QMNAME+)\nDEFINE QLOCAL(GOOD)\n"
    _create(run, "QM3", mqsc=script)
    _start(run, "QM3")
    places = [text.split()[3] for text in _logged(run, "QM3")]
    assert places == [f"auto.mqsc:{line}:" for line in (1, 2, 3)]
    assert "QUEUE(GOOD)" in _shown(run, "QM3", "DISPLAY QLOCAL(GOOD)")


def test_a_folder_gives_its_files_in_the_order_of_their_names(run: Run) -> None:
    """Of a folder, all *.mqsc or *.ini are taken by name; -iv may be repeated."""
    Path("conf").mkdir()
    files = {
        "b.mqsc": "ALTER QLOCAL(A) DESCR(SECOND)",
        "a.mqsc": "DEFINE QLOCAL(A) DESCR(FIRST)\nEND",
        "c.mqsc": "DEFINE CHANNEL(+A+.+B+.+C+) CHLTYPE(CLUSRCVR) CONNAME(h) CLUSTER(+AUTOCL+)",
        "d.txt": "DEFINE QLOCAL(NEVER)",
        "x.ini": INI,
        "y.ini": "AutoCluster:\n ClusterName=LAST\n",
    }
    for name, text in files.items():
        (Path("conf") / name).write_text(text, encoding="utf-8")
    words = ("-ii", "conf", "-ic", "conf", "-iv", "A=1;b=2", "-iv", "C=3")
    assert run("crtmqm", *words, "QM3", "--at", AT).code == 0
    _start(run, "QM3")
    shown = _shown(run, "QM3", "DISPLAY QLOCAL(*) DESCR\nDISPLAY CHANNEL(1.2.3) CLUSTER")
    assert "DESCR(SECOND)" in shown
    assert "CLUSTER(LAST)" in shown
    assert "NEVER" not in shown


def test_secrets_of_a_script_are_not_stored(run: Run) -> None:
    """The log holds no password of a script; other commands of the script are kept."""
    script = (
        "DEFINE CHANNEL(S) CHLTYPE(SVRCONN) PASSWORD('geheim')\n"
        f"DEFINE QLOCAL(A) DESCR('{'x' * 60}')\n"
    )
    _create(run, "QM3", mqsc=script)
    _start(run, "QM3")
    assert "geheim" not in run("log", "show", "--format", "json").out
    assert "x" * 60 in _shown(run, "QM3", "DISPLAY QLOCAL(A) DESCR")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-ii", "absent.ini"], "cannot read absent.ini: No such file or directory"),
        (["-ic", "absent.mqsc"], "cannot read absent.mqsc: No such file or directory"),
        (["-ic", "."], "crtmqm: . contains no *.mqsc"),
        (["-ii", "bad.ini"], "AutoCluster: ClusterName is missing"),
        (["-ii", "half.ini"], "AutoCluster: Repository1Name needs Repository1Conname"),
        (["-iv", "CONNAME"], "crtmqm: -iv: expected NAME=VALUE, not 'CONNAME'"),
        (["-iv", "A=1;=2"], "crtmqm: -iv: expected NAME=VALUE, not '=2'"),
    ],
)
def test_bad_input_is_one_line_and_creates_nothing(run: Run, words: list[str], said: str) -> None:
    """A missing file or an incomplete stanza is one line, exit code 20, and no log is created."""
    Path("bad.ini").write_text("AutoCluster:\n  Type=Uniform\n", encoding="utf-8")
    half = "AutoCluster:\nType=Uniform\nClusterName=U\nRepository1Name=QM1\n"
    Path("half.ini").write_text(half, encoding="utf-8")
    made = run("crtmqm", *words, "QM1", "--at", AT)
    assert (made.code, len(made.err.splitlines())) == (20, 1)
    assert said in made.err
    assert not Path("twin.db").exists()


_IBM: Final = "ibm-messaging__mq-uniform-clusters__"
_GITOPS: Final = (
    "ibm-messaging__mq-gitops-samples__queue-manager-deployment_queue-managers_uniform-cluster-01_"
)
_TERRAFORM: Final = (
    "cloud-native-toolkit__terraform-gitops-cp-mq-uniform-cluster__"
    "charts_ibm-mq-uniform-cluster-instance_"
)
_LINUX: Final = f"{_IBM}demo_Linux_QMConfig_AutoCluster.ini"
_THREE: Final = ("QM1", "QM2", "QM3")
_OTHERS: Final = ("QMGR1", "QMGR2", "QMGR3")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
@pytest.mark.parametrize(
    ("ini", "mqsc", "names", "channel"),
    [
        (_LINUX, f"{_IBM}demo_Linux_QMConfig_UniCluster.mqsc", _OTHERS, "UNICLUSTER."),
        (
            f"{_IBM}demo_Docker_QMConfig_dockerVolume_AutoCluster.ini",
            f"{_IBM}demo_Docker_QMConfig_dockerVolume_UniCluster.mqsc",
            _THREE,
            "UNICLUSTER.",
        ),
        (_LINUX, f"{_IBM}request-reply_QMConfig_UniCluster.mqsc", _OTHERS, "UNICLUSTER."),
        (_LINUX, f"{_IBM}pubsub_simple-admin_QMConfig_UniCluster.mqsc", _OTHERS, "UNICLUSTER."),
        (_LINUX, f"{_GITOPS}uniform_static-uc.mqsc", _OTHERS, "UNICLUSTER_"),
        (f"{_TERRAFORM}config.ini", f"{_TERRAFORM}common_config.mqsc", _THREE, "UNICLUS_"),
    ],
)
def test_the_public_samples_build_their_cluster(
    run: Run, ini: str, mqsc: str, names: tuple[str, ...], channel: str
) -> None:
    """The files of public uniform clusters make two full repositories and a member; none fails."""
    for qmgr in names:
        files = ("-ii", str(SAMPLES / "ini" / ini), "-ic", str(SAMPLES / "mqsc" / mqsc))
        assert run("crtmqm", *files, "-iv", f"CONNAME={qmgr}(1414)", qmgr, "--at", AT).code == 0
        _start(run, qmgr)
    for qmgr in names[:2]:
        shown = _shown(run, qmgr, "DISPLAY CLUSQMGR(*) QMTYPE CHANNEL")
        assert (shown.count("QMTYPE(REPOS)"), shown.count("QMTYPE(NORMAL)")) == (2, 1)
        assert all(f"CHANNEL({channel}{one})" in shown for one in names)
    assert _shown(run, names[2], "DISPLAY CLUSQMGR(*) QMTYPE").count("QMTYPE(REPOS)") == 2
    assert [_logged(run, qmgr) for qmgr in names] == [[], [], []]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_a_chart_alters_the_channels_that_its_common_file_made(run: Run) -> None:
    """Of a chart each queue manager runs a common file and its own; an open quote is logged."""
    places = []
    for qmgr in _THREE:
        own = f"{_TERRAFORM}{qmgr.lower()}-config.mqsc"
        for number, name in enumerate((f"{_TERRAFORM}common_config.mqsc", own)):
            text = (SAMPLES / "mqsc" / name).read_text(encoding="utf-8")
            folder = Path(qmgr)
            folder.mkdir(exist_ok=True)
            (folder / f"{number}.mqsc").write_text(text, encoding="utf-8")
        files = ("-ii", str(SAMPLES / "ini" / f"{_TERRAFORM}config.ini"), "-ic", qmgr)
        assert run("crtmqm", *files, "-iv", "CONNAME=h(1)", qmgr, "--at", AT).code == 0
        _start(run, qmgr)
        places.append([text.split()[3] for text in _logged(run, qmgr)])
    assert places == [[], [], ["1.mqsc:3:"]]
    shown = _shown(run, "QM1", "DISPLAY CLUSQMGR(*) CONNAME")
    assert "CONNAME(uniform-cluster-qm1-ibm-mq.gitops-cp-mq-uniform-cluster.svc(1414))" in shown
