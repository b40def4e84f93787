"""MQSC commands over REST: the answers that saved files of mqweb show, and who may run what."""

from __future__ import annotations

import json

import pytest

from tests.web.mqweb.rest import STRANGE, Rest
from tests.web.serving import CSRF
from twin.app.twin import Twin

DONE = {"overallReasonCode": 0, "overallCompletionCode": 0}
FAILED = {"overallReasonCode": 3008, "overallCompletionCode": 2}


def test_a_depth_is_answered_as_keda_reads_it(shop: Rest) -> None:
    """The answer to a DISPLAY of one attribute has the keywords in lower case, and a number."""
    answer = shop.json("display", "qlocal", "DEV.QUEUE.1", response=["CURDEPTH"])
    parameters = {"queue": "DEV.QUEUE.1", "type": "QLOCAL", "curdepth": 10}
    element = {"completionCode": 0, "reasonCode": 0, "parameters": parameters}
    assert answer.status_code == 200
    assert answer.json() == {"commandResponse": [element], **DONE}


@pytest.mark.parametrize(
    ("command", "reason", "message"),
    [
        (
            ("display", "qlocal", "FAKE.QUEUE"),
            2085,
            "AMQ8147E: IBM MQ object FAKE.QUEUE not found.",
        ),
        (("display", "qlocal", "FAKE*"), 2085, "AMQ8147E: IBM MQ object FAKE* not found."),
        (("display", "chstatus", "*"), 3065, "AMQ8420I: Channel Status not found."),
    ],
)
def test_an_object_that_is_not_there_fails_the_command(
    shop: Rest, command: tuple[str, str, str], reason: int, message: str
) -> None:
    """HTTP 200, the reason in the element, 3008 overall."""
    answer = shop.json(*command)
    element = {"completionCode": 2, "reasonCode": reason, "message": [message]}
    assert answer.status_code == 200
    assert answer.json() == {"commandResponse": [element], **FAILED}


def test_an_unknown_queue_manager_is_an_error_document(shop: Rest) -> None:
    """HTTP 404 with MQWB0009E, word for word; names are case-sensitive."""
    answer = shop.json("display", "qmgr", qmgr="qm1")
    assert answer.status_code == 404
    assert answer.json() == {
        "error": [
            {
                "msgId": "MQWB0009E",
                "action": "Resubmit the request with a valid queue manager name.",
                "completionCode": 2,
                "reasonCode": 2058,
                "type": "rest",
                "message": "MQWB0009E: Could not query the queue manager 'qm1'.",
                "explanation": "The REST API was invoked specifying a queue manager name which"
                " cannot be located.",
            }
        ]
    }


def test_a_stopped_queue_manager_cannot_be_asked(shop: Rest) -> None:
    """HTTP 503 with reason 2059."""
    answer = shop.text("DISPLAY QMGR", qmgr="QM2")
    assert answer.status_code == 503
    assert answer.json()["error"][0]["reasonCode"] == 2059


def test_a_command_as_text_answers_with_text(rest: Rest) -> None:
    """`runCommand` has the messages in `text`, also of a failure."""
    answer = rest.text("DEFINE CHANNEL(DOTNET.SVRCONN) CHLTYPE(SVRCONN)")
    element = {"completionCode": 0, "reasonCode": 0, "text": ["AMQ8014I: IBM MQ channel created."]}
    assert answer.json() == {"commandResponse": [element], **DONE}
    again = rest.text("DEFINE CHANNEL(DOTNET.SVRCONN) CHLTYPE(SVRCONN);")
    (failed,) = again.json()["commandResponse"]
    assert (again.status_code, failed["completionCode"], failed["reasonCode"]) == (200, 2, 4042)
    assert failed["text"] == ["AMQ8226E: IBM MQ channel already exists."]


def test_each_object_is_one_element_with_one_line(shop: Rest) -> None:
    """`runCommand` DISPLAY has as many elements as objects; the first text has all of one."""
    answer = shop.text("DISPLAY QUEUE(DEV.*) DESCR TARGET SHARE")
    texts = [each["text"] for each in answer.json()["commandResponse"]]
    head = "AMQ8409I: Display Queue details.   "
    assert texts == [
        [head + "QUEUE(DEV.ALIAS)   TYPE(QALIAS)   TARGET(DEV.QUEUE.1)   DESCR( )"],
        [head + 'QUEUE(DEV.QUEUE.1)   TYPE(QLOCAL)   DESCR(It\'s "one")   SHARE'],
        [head + "QUEUE(DEV.REMOTE)   TYPE(QREMOTE)   DESCR( )"],
    ]


def test_a_syntax_error_in_text_fails_the_command(shop: Rest) -> None:
    """The element has AMQ8405 and the command up to the error, as runmqsc prints them."""
    answer = shop.text("DISPLAY QLOCAL(*) FOO")
    (element,) = answer.json()["commandResponse"]
    assert (answer.status_code, element["completionCode"]) == (200, 2)
    assert element["text"][0].startswith("AMQ8405I: Syntax error")
    assert element["text"][1] == "DISPLAY QLOCAL(*) FOO"


@pytest.mark.parametrize(
    "command",
    [
        "* a comment\nDISPLAY QMGR DEADQ",
        "DISPLAY QMGR +\n* a comment\nDEADQ;",
        "/* no comment of MQSC */ DISPLAY QMGR DEADQ",
        "DISPLAY QMGR DEADQ /* no comment of MQSC */",
    ],
)
def test_comments_in_text_are_those_of_runmqsc(shop: Rest, command: str) -> None:
    """A line that begins with * is a comment, and nothing else is; the rest is a syntax error."""
    (element,) = shop.text(command).json()["commandResponse"]
    with Twin.open(shop.service.log_url, read_only=True) as twin:
        session = twin.runmqsc("QM1", command, as_of=twin.now())
    (reply,) = session.replies
    assert element["completionCode"] == (2 if reply.failed else 0)
    assert reply.failed == ("/*" in command)


@pytest.mark.parametrize(
    ("qualifier", "parameters", "response"),
    [
        ("qlocal", None, ["maxmsglen"]),
        ("qlocal", {"curdepth": "yes"}, None),
        ("qlocal", {"where": "curdepth like 5 6"}, None),
        ("nothing", None, None),
        ("cmdserv", None, None),
    ],
)
def test_a_syntax_error_in_json_is_an_error_document(
    shop: Rest, qualifier: str, parameters: dict[str, str] | None, response: list[str] | None
) -> None:
    """An unknown keyword is HTTP 400 with `error` alone: clients take it for no rows."""
    answer = shop.json("display", qualifier, "*", parameters, response)
    assert answer.status_code == 400
    assert [*answer.json()] == ["error"]


def test_an_unknown_response_parameter_has_the_id_of_mqweb(shop: Rest) -> None:
    """MKurator looks for MQWB0120E."""
    answer = shop.json("display", "qlocal", "*", response=["maxmsglen"])
    assert answer.json()["error"][0]["msgId"] == "MQWB0120E"


def test_keywords_are_those_that_display_prints(rest: Rest) -> None:
    """Without a value they are YES, lists are arrays, blank is '', an alias has its target."""
    options = {"notrigger": "yes", "share": "NO", "replace": "yes", "descr": "x"}
    assert rest.json("define", "qlocal", "Mixed", options).status_code == 200
    names = {"names": ["b", "A"]}
    assert rest.json("define", "namelist", "NL", names).json()["overallCompletionCode"] == 0
    assert rest.shown("qlocal", "Mixed", None, ["trigger", "share", "boqname"]) == [
        {"queue": "Mixed", "type": "QLOCAL", "boqname": "", "noshare": "YES", "notrigger": "YES"}
    ]
    (namelist,) = rest.shown("namelist", "NL")
    assert (namelist["namcount"], namelist["names"]) == (2, ["b", "A"])
    assert rest.shown("qalias", "DEV.ALIAS", None, ["targq"]) == [
        {"queue": "DEV.ALIAS", "type": "QALIAS", "target": "DEV.QUEUE.1"}
    ]


def test_a_filter_is_the_text_in_its_parentheses(shop: Rest) -> None:
    """`where` selects rows, whatever its case."""
    rows = shop.shown("qlocal", "*", {"where": "curdepth gt 0"})
    assert rows == [{"queue": "DEV.QUEUE.1", "type": "QLOCAL", "curdepth": 10}]


def test_what_twin_says_stands_beside_the_parameters(shop: Rest) -> None:
    """What is not modelled is blank in `parameters`, and named beside them."""
    answer = shop.json("display", "qmstatus", response=["conns", "chinit"])
    (element,) = answer.json()["commandResponse"]
    assert element["parameters"]["conns"] == ""
    assert element["parameters"]["chinit"] == "RUNNING"
    assert element["twin"] == {"notModelled": ["conns"]}


def test_a_channel_is_altered_without_its_type(rest: Rest) -> None:
    """Clients that bring objects into a state send ALTER CHANNEL without CHLTYPE."""
    answer = rest.json("ALTER", "CHANNEL", "DEV.APP", {"DESCR": "new"})
    assert answer.json()["commandResponse"][0]["message"] == ["AMQ8016I: IBM MQ channel changed."]
    assert rest.shown("channel", "DEV.APP", None, ["descr"])[0]["descr"] == "new"
    missing = rest.json("ALTER", "CHANNEL", "NOT.THERE", {"DESCR": "new"})
    assert missing.json()["overallCompletionCode"] == 2


def test_names_in_urls_are_encoded(shop: Rest) -> None:
    """A slash, a dot and a percent sign arrive encoded; a slash at the end is allowed."""
    encoded = "Q%2EM%2F3%25"
    for path in (f"/admin/qmgr/{encoded}", f"/admin/qmgr/{encoded}/"):
        assert shop.get(path).json() == {"qmgr": [{"name": STRANGE, "state": "running"}]}
    assert shop.shown("qmgr", None, None, ["descr"], qmgr=STRANGE)[0]["qmname"] == STRANGE


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_all_versions_answer_alike(shop: Rest, version: str) -> None:
    """A client of any version gets the same answer; there is no fourth."""
    assert shop.get("/admin/qmgr/QM1", version).json() == {
        "qmgr": [{"name": "QM1", "state": "running"}]
    }
    assert shop.get("/admin/qmgr/QM1", "v4").status_code == 404


def test_a_reader_runs_only_what_reads(rest: Rest) -> None:
    """MQWebAdminRO may run DISPLAY and PING; the refusal of a change says that nothing was done."""
    reader = rest.service.reader
    assert rest.text("DISPLAY QMGR", client=reader).status_code == 200
    assert rest.text("PING QMGR", client=reader).status_code == 200
    head = rest.service.head()
    answer = rest.text("DEFINE QLOCAL(A)", client=reader)
    assert (answer.status_code, answer.json()["error"][0]["msgId"]) == (403, "MQWB0108E")
    assert answer.json()["overallCompletionCode"] == 2
    assert rest.service.head() == head


def test_a_write_needs_the_csrf_header(rest: Rest) -> None:
    """Without it the answer is 403; its value does not matter."""
    path = "/ibmmq/rest/v3/admin/action/qmgr/QM1/mqsc"
    body = {"type": "runCommand", "parameters": {"command": "DISPLAY QMGR"}}
    missing = rest.service.admin.post(path, json=body)
    assert (missing.status_code, missing.json()["error"][0]["msgId"]) == (403, "MQWB0106E")
    assert rest.service.admin.post(path, json=body, headers=CSRF).status_code == 200


def test_an_observed_queue_manager_is_changed_on_a_branch_only(rest: Rest) -> None:
    """The refusal on main names twin-branch; on a branch the command is carried out."""
    answer = rest.json("define", "qlocal", "NEW", qmgr="OBS1")
    assert answer.status_code == 403
    assert "twin-branch" in answer.json()["error"][0]["action"]
    assert answer.json()["overallCompletionCode"] == 2
    with Twin.open(rest.service.log_url) as twin:
        twin.create_branch("whatif")
    branch = {"twin-branch": "whatif"}
    assert rest.json("define", "qlocal", "NEW", qmgr="OBS1", point=branch).status_code == 200
    found = rest.json("display", "qlocal", "NEW", qmgr="OBS1", point=branch)
    assert found.json()["overallCompletionCode"] == 0
    assert found.headers["twin-branch"] == "whatif"
    assert rest.json("display", "qlocal", "NEW", qmgr="OBS1").json()["overallReasonCode"] == 3008


def test_the_past_can_be_asked_and_not_changed(rest: Rest) -> None:
    """An answer names its point; a command with a time is refused, and nothing is recorded."""
    before = rest.get("/admin/qmgr").headers["twin-as-of"]
    rest.json("define", "qlocal", "LATER")
    past = rest.json("display", "qlocal", "LATER", point={"twin-as-of": before})
    assert past.json()["commandResponse"][0]["reasonCode"] == 2085
    assert past.headers["twin-as-of"] == before
    head = rest.service.head()
    answer = rest.json("delete", "qlocal", "LATER", point={"twin-as-of": before})
    assert answer.status_code == 403
    assert rest.service.head() == head


def test_a_command_says_who_sent_it(rest: Rest) -> None:
    """The log has the user and the address with each command; a password is hidden."""
    rest.json("define", "channel", "P", {"chltype": "sdr", "password": "geheim", "xmitq": "QM2"})
    with Twin.open(rest.service.log_url, read_only=True) as twin:
        bodies = [each.body for each in twin.log.events()]
    (entered,) = [json.loads(each) for each in bodies if "CHANNEL('P')" in each]
    assert entered["origin"] == {"user": "admin", "address": "127.0.0.1"}
    assert not [each for each in bodies if "geheim" in each]


def test_what_nobody_observed_stands_beside_the_answer(shop: Rest) -> None:
    """No row of an imported queue manager says neither that nothing runs, nor that a depth is 0."""
    answer = shop.json("display", "conn", "*", qmgr="OBS1").json()
    assert answer["twin"] == {"notObserved": [{"state": "connections"}]}
    body = {"type": "runCommand", "parameters": {"command": "DIS QL(Q*) WHERE(CURDEPTH GT 0)"}}
    assert shop.run(body, "OBS1").json()["twin"] == {
        "notObserved": [{"state": "depths of queues", "names": ["Q"]}],
        "leftOut": {"curdepth": 1},
    }
    assert "twin" not in shop.text("DISPLAY QL(DEV.QUEUE.1) CURDEPTH").json()


@pytest.mark.parametrize("path", ["/admin/qmgr", "/admin/qmgr/QM1", "/admin/qmgr/QM1/queue"])
def test_before_the_log_begins_nothing_is_known(rest: Rest, path: str) -> None:
    """An empty list would be taken for an estate without queue managers."""
    answer = rest.service.reader.get(f"/ibmmq/rest/v3{path}?twin-as-of=2001-01-01")
    (error,) = answer.json()["error"]
    assert (answer.status_code, error["msgId"]) == (404, "TWNW0404E")
    assert "the log begins at " in error["message"]
    shown = rest.json("display", "qlocal", "*", point={"twin-as-of": "2001-01-01"})
    assert "the log begins at " in shown.json()["error"][0]["message"]
