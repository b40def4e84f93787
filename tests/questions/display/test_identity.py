"""The output of DISPLAY ALL, parsed, defines the same object again."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import HealthCheck, assume, given

from tests.feeds.observing import START
from tests.laws import examples
from tests.questions.drawing import LEVEL, definitions
from tests.questions.test_dump import estate_of
from twin.events import ObjectObserved
from twin.model.attributes import TYPES, Choices, Secret, TextList, read_values, sparse
from twin.model.instants import AsOf
from twin.model.messages import Message
from twin.mqsc.layout import lay_out
from twin.mqsc.readback import read_back
from twin.mqsc.statement import Parameter, Statement, Token, parse
from twin.questions.display import display

SHOWN: Final = (
    "QLOCAL QALIAS QREMOTE QMODEL CLUSSDR CLUSRCVR SDR SVR RCVR RQSTR SVRCONN NAMELIST TOPIC"
).split()
_WORDS: Final = {"QUEUE": "QUEUE", "CHANNEL": "CHANNEL"}


def _displayable(observed: ObjectObserved) -> bool:
    """Leave out values that a display cannot show: odd brackets, lists with commas, secrets."""
    table = TYPES[observed.type].by_keyword
    for keyword, value in observed.values.items():
        if isinstance(table[keyword].form, Secret | TextList):
            return False
        if isinstance(value, str) and (set(value) & set("(),") or value != value.strip()):
            return False
    return True


def _parameter(type_name: str, keyword: str, value: Any) -> Parameter:
    if value is None:
        return Parameter(keyword, None)
    words = isinstance(TYPES[type_name].by_keyword[keyword].form, Choices)
    texts = value.split(",") if words else value if isinstance(value, tuple) else (value,)
    return Parameter(keyword, tuple(Token(text, quoted=True) for text in texts))


@examples(tolerated=[HealthCheck.filter_too_much])
@given(definitions(types=list(SHOWN)))
def test_what_is_displayed_defines_the_same_again(observed: ObjectObserved) -> None:
    """The cells of DISPLAY ALL, read back, have the values of the definition."""
    assume(_displayable(observed))
    estate = estate_of(observed)
    word = _WORDS.get(observed.kind, observed.type)
    statement = parse(f"DISPLAY {word}('{observed.name}') ALL")
    assert isinstance(statement, Statement)
    shown = display(estate, AsOf(START, START), "QM1", statement)
    lines = [line for record in shown.records for line in lay_out(record.cells)]
    (record,) = read_back("\n".join([Message("AMQ8409").render(), *lines])).records
    table = TYPES[observed.type]
    settable = {keyword for each in table.at(LEVEL) if each.settable for keyword in each.keywords}
    parameters = [
        _parameter(observed.type, key, value) for key, value in record.cells if key in settable
    ]
    reading = read_values(observed.type, parameters, altering=True, level=LEVEL, name=observed.name)
    assert reading.problem is None, reading.problem
    assert sparse(observed.type, reading.values) == observed.values
