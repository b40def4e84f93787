"""DISPLAY of the queue manager, channels, topics, namelists, listeners and records."""

from __future__ import annotations

import pytest

from tests.questions.display.shown import ask, column, lines, problem, rows
from tests.sandbox import Sandbox, small_cluster
from twin.events import ObjectDefined


@pytest.fixture
def sandbox() -> Sandbox:
    """Make one running queue manager, a day after its creation."""
    return Sandbox().create("QM1").at("2026-01-02T03:04:05Z")


def test_the_queue_manager_shows_what_it_is(sandbox: Sandbox) -> None:
    """Level, version, identifier and creation time are those of the queue manager."""
    sandbox.run("QM1", "ALTER QMGR DEADQ(DLQ)")
    (row,) = rows(sandbox, "QM1", "DISPLAY QMGR")
    assert row["qmname"] == "QM1"
    assert (row["cmdlevel"], row["version"]) == (940, "09040000")
    assert (row["qmid"], row["crdate"]) == ("QM1_2026-01-01_00.00.00", "2026-01-01")
    assert (row["deadq"], row["altdate"], row["alttime"]) == ("DLQ", "2026-01-02", "03.04.05")
    assert (row["platform"], row["syncpt"]) == ("UNIX", "YES")


def test_qmname_alone_can_be_asked_for(sandbox: Sandbox) -> None:
    """DISPLAY QMGR QMNAME shows only the name, padded as by runmqsc."""
    assert lines(sandbox, "QM1", "DISPLAY QMGR QMNAME")[1:] == [f"   {'QMNAME(QM1)':<37}"]


def test_a_group_stands_for_its_attributes(sandbox: Sandbox) -> None:
    """DISPLAY QMGR CLUSTER shows the cluster attributes; several groups are combined."""
    (row,) = rows(sandbox, "QM1", "DIS QMGR CLUSTER")
    assert list(row)[:4] == ["qmname", "clwldata", "clwlexit", "clwllen"]
    assert {"repos", "reposnl", "defclxq"} <= set(row)
    (more,) = rows(sandbox, "QM1", "DIS QMGR CLUSTER EVENT DESCR")
    assert set(row) | {"chlev", "descr"} <= set(more)
    assert "maxhands" not in more


def test_channels_of_every_type_have_one_display(sandbox: Sandbox) -> None:
    """Client connections come after all other channels; CHLTYPE or TYPE selects."""
    sandbox.run("QM1", "DEFINE CHANNEL(A) CHLTYPE(CLNTCONN) CONNAME(X)")
    sandbox.run("QM1", "DEFINE CHANNEL(A) CHLTYPE(SVRCONN)\nDEFINE CHANNEL(B) CHLTYPE(RCVR)")
    shown = rows(sandbox, "QM1", "DIS CHANNEL(*) WHERE(ALTDATE EQ '2026-01-02')")
    assert [(row["channel"], row["chltype"]) for row in shown] == [
        ("A", "SVRCONN"),
        ("B", "RCVR"),
        ("A", "CLNTCONN"),
    ]
    for selector in ("CHLTYPE(CLNTCONN)", "TYPE(CLNTCONN)"):
        command = f"DIS CHL(A) {selector} CONNAME"
        assert rows(sandbox, "QM1", command) == [
            {"channel": "A", "chltype": "CLNTCONN", "conname": "X"}
        ]


def test_a_namelist_shows_its_names_one_on_a_line(sandbox: Sandbox) -> None:
    """The names of a namelist are counted, and are a list among the values."""
    sandbox.run("QM1", "DEFINE NAMELIST(NL) NAMES(CA, CB)")
    assert lines(sandbox, "QM1", "DIS NL(NL)") == [
        "AMQ8550I: Display namelist details.",
        f"   {'NAMELIST(NL)':<37}   NAMCOUNT(2)",
        f"   {'NAMES(CA':<37}",
        f"   {'     ,CB)':<37}",
        f"   {'DESCR( )':<37}   ALTDATE(2026-01-02)",
        f"   {'ALTTIME(03.04.05)':<37}",
    ]
    assert column(sandbox, "QM1", "DIS NL(NL)", "names") == [("CA", "CB")]


def test_a_topic_is_local_or_of_the_cluster() -> None:
    """TOPIC shows local objects; TCLUSTER and TYPE(CLUSTER) show records."""
    sandbox = small_cluster()
    sandbox.run("PR2", "DEFINE TOPIC(T) TOPICSTR('a/b') CLUSTER(CA) CLROUTE(TOPICHOST)")
    assert column(sandbox, "PR2", "DIS TOPIC(T)", "type") == ["LOCAL"]
    assert column(sandbox, "PR2", "DIS TOPIC(T) CLUSINFO", "type") == ["LOCAL", "CLUSTER"]
    assert column(sandbox, "PR2", "DIS TOPIC(T) TYPE(ALL)", "type") == ["LOCAL", "CLUSTER"]
    attributes = "TOPICSTR CLUSQMGR CLSTATE CLROUTE"
    expected = [
        {
            "topic": "T",
            "type": "CLUSTER",
            "topicstr": "a/b",
            "clroute": "TOPICHOST",
            "clstate": "ACTIVE",
            "clusqmgr": "PR2",
        }
    ]
    assert rows(sandbox, "PR1", f"DIS TCLUSTER(T) {attributes}") == expected
    assert rows(sandbox, "PR1", f"DIS TOPIC(T) TYPE(CLUSTER) {attributes}") == expected


def test_a_listener_shows_its_definition(sandbox: Sandbox) -> None:
    """The cells of a listener are those in captures of 9.4."""
    sandbox.run("QM1", "DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1415) CONTROL(QMGR)")
    assert lines(sandbox, "QM1", "DIS LISTENER(L)")[1:] == [
        f"   {'LISTENER(L)':<37}   CONTROL(QMGR)",
        f"   {'TRPTYPE(TCP)':<37}   PORT(1415)",
        f"   {'IPADDR( )':<37}   BACKLOG(0)",
        f"   {'DESCR( )':<37}   ALTDATE(2026-01-02)",
        f"   {'ALTTIME(03.04.05)':<37}",
    ]


def test_a_listener_has_a_status_while_it_runs(sandbox: Sandbox) -> None:
    """LSSTATUS shows running listeners with their defaults, and no others."""
    assert problem(sandbox, "QM1", "DIS LSSTATUS(*)") == "AMQ8147 *"
    sandbox.run("QM1", "START LISTENER")
    assert rows(sandbox, "QM1", "DIS LS(*) PORT") == [
        {"listener": "SYSTEM.DEFAULT.LISTENER.TCP", "status": "RUNNING", "pid": None, "port": 1414}
    ]
    assert "PID( )" in "".join(lines(sandbox, "QM1", "DIS LS(SYSTEM.DEFAULT.LISTENER.TCP)"))
    (row,) = rows(sandbox, "QM1", "DIS LS(SYSTEM.DEFAULT.LISTENER.TCP)")
    assert (row["startti"], row["ipaddr"], row["backlog"]) == ("03.04.05", "*", 100)


def test_a_server_service_has_a_status_while_it_runs(sandbox: Sandbox) -> None:
    """START SERVICE shows in SVSTATUS until STOP SERVICE; a service of commands has no status."""
    sandbox.run("QM1", "DEFINE SERVICE(S) SERVTYPE(SERVER)\nDEFINE SERVICE(C)")
    assert problem(sandbox, "QM1", "DIS SVSTATUS(*)") == "AMQ8147 *"
    assert sandbox.run("QM1", "STOP SERVICE(S)\nSTOP SERVICE(C)") == ["AMQ8738E", "AMQ8732I"]
    assert sandbox.run("QM1", "START SERVICE(S)\nSTART SERVICE(C)") == ["AMQ8733I", "AMQ8733I"]
    assert sandbox.run("QM1", "START SERVICE(S)\nSTART SERVICE(X)") == ["AMQ8737E", "AMQ8147E"]
    assert sandbox.run("QM1", "START SERVICE(S) IGNSTATE(YES)") == ["AMQ8733I"]
    assert rows(sandbox, "QM1", "DIS SVSTATUS(*)") == [
        {"service": "S", "status": "RUNNING", "pid": None}
    ]
    (row,) = rows(sandbox, "QM1", "DIS SVSTATUS(S) ALL")
    assert (row["startda"], row["control"]) == ("2026-01-02", "MANUAL")
    assert sandbox.run("QM1", "STOP SERVICE(S)") == ["AMQ8732I"]
    assert sandbox.run("QM1", "STOP SERVICE(S) IGNSTATE(YES)") == ["AMQ8732I"]
    assert problem(sandbox, "QM1", "DIS SVSTATUS(*)") == "AMQ8147 *"


@pytest.mark.parametrize(
    ("control", "shown"), [("QMGR", ["2026-01-03"]), ("STARTONLY", ["2026-01-03"]), ("MANUAL", [])]
)
def test_a_service_starts_with_its_queue_manager(
    sandbox: Sandbox, control: str, shown: list[str]
) -> None:
    """CONTROL(QMGR) and CONTROL(STARTONLY) start a service; it ends with its queue manager."""
    define = f"DEFINE SERVICE(S) SERVTYPE(SERVER) CONTROL({control})"
    sandbox.run("QM1", f"{define}\nSTART SERVICE(S)")
    sandbox.control("endmqm", "QM1")
    sandbox.at("2026-01-03T00:00:00Z").control("strmqm", "QM1")
    answer = ask(sandbox, "QM1", "DIS SVSTATUS(*) STARTDA")
    assert [record.values["startda"] for record in answer.records] == shown


def test_queue_status_has_the_columns_of_its_level() -> None:
    """QSTATUS has CURFSIZE and CURMAXFS from 9.1.5 on; a generic name shows the depth."""
    sandbox = Sandbox().create("OLD", level=800).create("NEW")
    for name in ("OLD", "NEW"):
        sandbox.run(name, "DEFINE QLOCAL(Q)")
    assert lines(sandbox, "OLD", "DIS QSTATUS(Q)") == [
        "AMQ8450: Display queue status details.",
        "   QUEUE(Q)                                TYPE(QUEUE)",
        "   CURDEPTH(0)                             IPPROCS(0)",
        "   LGETDATE( )                             LGETTIME( )",
        "   LPUTDATE( )                             LPUTTIME( )",
        "   MEDIALOG( )                             MONQ(OFF)",
        "   MSGAGE( )                               OPPROCS(0)",
        "   QTIME( , )                              UNCOM(NO)",
    ]
    (row,) = rows(sandbox, "NEW", "DIS QS(Q)")
    assert (row["curfsize"], row["curmaxfs"]) == (None, 2_088_960)
    assert rows(sandbox, "NEW", "DIS QS(Q*)") == [{"queue": "Q", "type": "QUEUE", "curdepth": 0}]


def test_queue_manager_status_is_short_unless_all_is_asked_for(sandbox: Sandbox) -> None:
    """QMSTATUS shows name and status, and with ALL what is known of its parts."""
    assert rows(sandbox, "QM1", "DIS QMSTATUS") == [{"qmname": "QM1", "status": "RUNNING"}]
    assert rows(sandbox, "QM1", "DIS QMSTATUS CMDSERV") == [
        {"qmname": "QM1", "status": "RUNNING", "cmdserv": "RUNNING"}
    ]
    (row,) = rows(sandbox, "QM1", "DIS QMSTATUS ALL")
    assert (row["type"], row["chinit"], row["startda"]) == ("QMGR", "RUNNING", "2026-01-01")


def test_queue_manager_status_has_the_attributes_of_9_4(sandbox: Sandbox) -> None:
    """What twin does not model of QMSTATUS is blank, and null in JSON; no filter finds it."""
    for keyword in "ARCHLOG CHKPTCNT CONNS CURRLOG LOGUTIL MEDIALOG RECLOG REUSESZ".split():
        (row,) = rows(sandbox, "QM1", f"DIS QMSTATUS {keyword}")
        assert row == {"qmname": "QM1", "status": "RUNNING", keyword.lower(): None}
        assert f"{keyword}( )" in "".join(lines(sandbox, "QM1", f"DIS QMSTATUS {keyword}"))
    (row,) = rows(sandbox, "QM1", "DIS QMSTATUS ALL")
    assert not [keyword for keyword, value in row.items() if value == 0]


def test_no_filter_finds_a_number_that_is_not_modelled(sandbox: Sandbox) -> None:
    """A number that is not modelled is neither 0 nor less than another number."""
    sandbox.run("QM1", "START LISTENER")
    for condition in ("EQ 0", "LT 5", "NE 7"):
        assert problem(sandbox, "QM1", f"DIS LSSTATUS(*) WHERE(PID {condition})") == "AMQ8147 *"


def test_publish_subscribe_status_follows_psmode(sandbox: Sandbox) -> None:
    """PSMODE(ENABLED) is ACTIVE, DISABLED is INACTIVE."""
    assert column(sandbox, "QM1", "DIS PUBSUB", "status") == ["ACTIVE"]
    sandbox.run("QM1", "ALTER QMGR PSMODE(DISABLED)")
    assert column(sandbox, "QM1", "DIS PUBSUB", "status") == ["INACTIVE"]


def test_channel_authentication_is_found_by_profile(sandbox: Sandbox) -> None:
    """A generic name matches profiles, TYPE selects, and a short row tells whom it maps to what."""
    sandbox.run(
        "QM1", "SET CHLAUTH(APP.*) TYPE(USERMAP) CLNTUSER('joe') USERSRC(MAP) MCAUSER('app')"
    )
    assert rows(sandbox, "QM1", "DIS CHLAUTH(A*)") == [
        {
            "chlauth": "APP.*",
            "type": "USERMAP",
            "clntuser": "joe",
            "mcauser": "app",
            "usersrc": "MAP",
        }
    ]
    assert column(sandbox, "QM1", "DIS CHLAUTH(*) TYPE(BLOCKUSER)", "chlauth") == ["*"]
    assert column(sandbox, "QM1", "DIS CHLAUTH(*) MATCH(EXACT)", "chlauth") == ["*"]
    assert len(rows(sandbox, "QM1", "DIS CHLAUTH(*)")) == 4


def test_authority_records_name_an_entity(sandbox: Sandbox) -> None:
    """PRINCIPAL and GROUP are shown as ENTITY and ENTTYPE, and select."""
    sandbox.run(
        "QM1",
        "SET AUTHREC PROFILE(Q1) OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT,GET)\n"
        "SET AUTHREC OBJTYPE(QMGR) GROUP('apps') AUTHADD(CONNECT)",
    )
    assert rows(sandbox, "QM1", "DIS AUTHREC PROFILE(Q1)") == [
        {
            "profile": "Q1",
            "entity": "joe",
            "enttype": "PRINCIPAL",
            "objtype": "QUEUE",
            "authlist": ("GET", "PUT"),
        }
    ]
    assert column(sandbox, "QM1", "DIS AUTHREC GROUP('apps') ALL", "objtype") == ["QMGR"]


@pytest.mark.parametrize(
    ("options", "profiles"),
    [
        ("", ["Q*", "Q1", "QM1", "Z**"]),
        ("OBJTYPE(ALL)", ["Q*", "Q1", "QM1", "Z**"]),
        ("PROFILE(Q1)", ["Q*", "Q1"]),
        ("PROFILE('Q*')", ["Q*"]),
        ("PROFILE(Q2)", ["Q*"]),
        ("PROFILE(Q1) MATCH(EXACT)", ["Q1"]),
        ("PROFILE(Q2) MATCH(EXACT)", []),
        ("PROFILE(Q1) GROUP('apps')", ["Q1"]),
        ("PRINCIPAL('joe')", ["Q*"]),
        ("PRINCIPAL('joe') MATCH(MEMBERSHIP)", ["Q*", "Z**"]),
        ("OBJTYPE(QMGR)", ["QM1"]),
    ],
)
def test_authority_records_are_selected_by_profile_and_entity(
    sandbox: Sandbox, options: str, profiles: list[str]
) -> None:
    """A name selects the profiles that apply to it, a generic profile or MATCH(EXACT) itself."""
    sandbox.run(
        "QM1",
        "SET AUTHREC PROFILE(Q1) OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT)\n"
        "SET AUTHREC PROFILE('Q*') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(GET)\n"
        "SET AUTHREC PROFILE('Z**') OBJTYPE(QUEUE) GROUP('nobody') AUTHADD(NONE)\n"
        "SET AUTHREC OBJTYPE(QMGR) GROUP('apps') AUTHADD(CONNECT)",
    )
    found = ask(sandbox, "QM1", f"DIS AUTHREC {options} ALL").records
    assert [each.values["profile"] for each in found] == profiles


@pytest.mark.parametrize(
    ("entity", "name", "words"),
    [
        ("GROUP('apps')", "PAY.IN", ("BROWSE",)),
        ("GROUP('apps')", "PAY.OUT", ("GET", "INQ", "PUT")),
        ("PRINCIPAL('joe')", "PAY.IN", ("GET", "PASSID", "SETID")),
        ("PRINCIPAL('ann')", "PAY.IN", ("PASSID", "SETID")),
        ("GROUP('none')", "PAY.IN", ("NONE",)),
    ],
)
def test_the_authority_of_an_entity_is_that_of_its_most_specific_profile(
    sandbox: Sandbox, entity: str, name: str, words: tuple[str, ...]
) -> None:
    """DISPLAY ENTAUTH adds up what an entity, and the group of everybody, have for an object."""
    sandbox.run(
        "QM1",
        "SET AUTHREC PROFILE('PAY.**') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(PUT,INQ,GET)\n"
        "SET AUTHREC PROFILE('PAY.IN') OBJTYPE(QUEUE) GROUP('apps') AUTHADD(BROWSE)\n"
        "SET AUTHREC PROFILE('PAY.IN') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(GET)\n"
        "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) GROUP('nobody') AUTHADD(SETID,PASSID)",
    )
    (row,) = rows(sandbox, "QM1", f"DIS ENTAUTH {entity} OBJTYPE(QUEUE) OBJNAME({name})")
    assert (row["objtype"], row["authlist"]) == ("QUEUE", words)


def test_all_is_what_the_type_of_object_has(sandbox: Sandbox) -> None:
    """AUTHADD(ALL) grants what its type of object has, and AUTHRMV takes one of it away."""
    sandbox.run("QM1", "SET AUTHREC PROFILE(T) OBJTYPE(TOPIC) GROUP('g') AUTHADD(ALL)")
    sandbox.run("QM1", "SET AUTHREC PROFILE(T) OBJTYPE(TOPIC) GROUP('g') AUTHRMV(SUB,CTRL)")
    (row,) = rows(sandbox, "QM1", "DIS AUTHREC PROFILE(T)")
    words = "CHG CLR DLT DSP PASSALL PASSID SETALL SETID PUB RESUME"
    assert row["authlist"] == tuple(words.split())


def test_authentication_objects_show_their_type(sandbox: Sandbox) -> None:
    """AUTHTYPE is shown once, after the name."""
    (record,) = ask(sandbox, "QM1", "DIS AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS)").records
    assert [keyword for keyword, _ in record.cells].count("AUTHTYPE") == 1
    assert record.cells[1] == ("AUTHTYPE", "IDPWOS")


@pytest.mark.parametrize(
    ("command", "key", "names"),
    [
        ("DIS PROCESS(*)", "process", ["SYSTEM.DEFAULT.PROCESS"]),
        ("DIS SERVICE(SYSTEM.D*)", "service", ["SYSTEM.DEFAULT.SERVICE"]),
        ("DIS COMMINFO(*)", "comminfo", ["SYSTEM.DEFAULT.COMMINFO.MULTICAST"]),
        ("DIS SUB(*)", "sub", ["SYSTEM.DEFAULT.SUB"]),
        ("DIS SUB", "sub", ["SYSTEM.DEFAULT.SUB"]),
        ("DIS SUB(*) SUBTYPE(USER) DURABLE(YES)", "sub", ["SYSTEM.DEFAULT.SUB"]),
        ("DIS SBSTATUS(*)", "sub", ["SYSTEM.DEFAULT.SUB"]),
        ("DIS LISTENER(*) TRPTYPE(TCP)", "listener", ["SYSTEM.DEFAULT.LISTENER.TCP"]),
        (
            "DIS AUTHINFO(*) AUTHTYPE(OCSP)",
            "authinfo",
            ["SYSTEM.DEFAULT.AUTHINFO.OCSP"],
        ),
        ("DIS CHLAUTH(*)", "chlauth", ["SYSTEM.ADMIN.SVRCONN", "SYSTEM.*", "*"]),
    ],
)
def test_other_objects_are_shown_by_name(
    sandbox: Sandbox, command: str, key: str, names: list[str]
) -> None:
    """Objects of types without a model are shown like any others."""
    assert column(sandbox, "QM1", command, key) == names


def test_topic_status_is_asked_by_topic_string(sandbox: Sandbox) -> None:
    """TPSTATUS of a topic string shows its object and its administrative subscriptions."""
    sandbox.run("QM1", "DEFINE TOPIC(T) TOPICSTR('a/b')")
    sandbox.run("QM1", "DEFINE SUB(S) TOPICSTR('a/b') DEST(Q)")
    (row,) = rows(sandbox, "QM1", "DIS TPSTATUS('a/b')")
    assert (row["admin"], row["subcount"], row["retained"]) == ("T", 1, "NO")
    assert "a/b" in column(sandbox, "QM1", "DIS TPSTATUS('#')", "topicstr")
    for pattern in ("+/b", "a/#", "a/b/#"):
        assert column(sandbox, "QM1", f"DIS TPSTATUS('{pattern}')", "topicstr") == ["a/b"]
    assert problem(sandbox, "QM1", "DIS TPSTATUS('a/+/c')") == "AMQ8147 a/+/c"


def test_what_is_kept_as_given_is_shown_behind_the_rest(sandbox: Sandbox) -> None:
    """An unknown keyword of an observed object is shown last, with ALL."""
    sandbox.draft.emit(
        ObjectDefined(qmgr="QM1", kind="SERVICE", name="S", type="SERVICE", values={"NOVELTY": "1"})
    )
    (record,) = ask(sandbox, "QM1", "DIS SERVICE(S)").records
    assert record.cells[-1] == ("NOVELTY", "1")
