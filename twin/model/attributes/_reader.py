"""The reader: it checks the parameters of a command against the table of its type.

The values of an object with and without defaults, and how they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twin.model.attributes._attribute import GIVEN, Attribute, ObjectType
from twin.model.attributes._forms import (
    Fault,
    Flag,
    Form,
    Given,
    NameList,
    Problem,
    Value,
    ValueToken,
)
from twin.model.attributes._registry import (
    KNOWN_KEYWORDS,
    OPTION_KEYWORDS,
    TYPES,
    ZOS_OPTIONS,
    options_of,
)
from twin.model.attributes._zos import ZOS_ONLY

_AS_GIVEN: Final = Given()
_MORE_ON_ZOS: Final = frozenset({("SVRCONN", "PUTAUT")})
"""Attributes that a type has on z/OS only (IBM MQ 9.4, "DEFINE CHANNEL")."""

_OPTION_PAIRS: Final = (("REPLACE", "NOREPLACE"), ("PURGE", "NOPURGE"))


class KeywordParameter(Protocol):
    """A keyword with the values in its parentheses."""

    @property
    def keyword(self) -> str:
        """The keyword, in upper case."""

    @property
    def values(self) -> Sequence[ValueToken] | None:
        """The values in the parentheses; None without parentheses."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The parameters of a command.

    Attributes:
        values: the given attributes, by canonical keyword.
        options: keywords such as REPLACE, with '' if they have no value.
        problem: the first problem, if any; then the others have only what was read before it.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    options: Mapping[str, Value] = field(default_factory=dict)
    problem: Problem | None = None


def read_values(
    type_name: str,
    parameters: Iterable[KeywordParameter],
    *,
    altering: bool,
    level: int,
    name: str = "",
    zos: bool = False,
) -> Reading:
    """Read the parameters of a DEFINE, ALTER or SET of this type, up to the first problem.

    Args:
        type_name: a name in `TYPES`; a parameter that repeats it (CHLTYPE) must agree.
        parameters: in the order in which they were written.
        altering: whether the object exists already, so that only AUTHTYPE is mandatory.
        level: the command level of the queue manager; later attributes are unknown to it.
        name: the name of the object; for a template only the type is mandatory, as in dmpmqcfg.
        zos: whether the queue manager is on z/OS; it has attributes of its own, kept as texts.
    """
    draft = _Draft(TYPES[type_name], altering=altering, level=level, zos=zos)
    for parameter in parameters:
        if problem := draft.take(parameter):
            return Reading(draft.values, draft.options, problem)
    problem = draft.stranger() or draft.missing(name) or draft.profile(name)
    problem = problem or conflict(type_name, draft.values)
    return Reading(draft.values, draft.options, problem)


def read_options(
    verb: str, type_name: str, parameters: Iterable[KeywordParameter], *, zos: bool = False
) -> Reading:
    """Read the parameters of a command that sets no attributes, up to the first problem."""
    allowed = options_of(verb, type_name)
    if zos:
        more = ZOS_OPTIONS.get((verb, type_name), {})
        allowed = {**dict.fromkeys(ZOS_ONLY, _AS_GIVEN), **more, **allowed}
    options: dict[str, Value] = {}
    for parameter in parameters:
        if parameter.keyword not in allowed:
            return Reading({}, options, _stranger(parameter.keyword, type_name))
        if problem := _take_option(parameter, allowed[parameter.keyword], options):
            return Reading({}, options, problem)
    return Reading({}, options)


def conflict(type_name: str, values: Mapping[str, Value]) -> Problem | None:
    """Return the first conflict between values of one object; None if there is none."""
    for clash in TYPES[type_name].clashes:
        if all(_holds(values.get(keyword, ""), wanted) for keyword, wanted in clash.values):
            return Problem("exclusive", clash.values[0][0], clash.text, clash.reason)
    return None


def _holds(value: Value, wanted: str) -> bool:
    return bool(value) if wanted == GIVEN else value == wanted


class _Draft:
    """The part of a command that was read so far."""

    def __init__(self, table: ObjectType, *, altering: bool, level: int, zos: bool) -> None:
        self.values: dict[str, Value] = {}
        self.options: dict[str, Value] = {}
        self._table = table
        self._level = level
        self._altering = altering
        self._zos = zos
        self._allowed = options_of(_verb(table, altering=altering), table.name)
        self._typed = False

    def take(self, parameter: KeywordParameter) -> Problem | None:
        """Read one parameter: an option, the type or an attribute."""
        keyword = parameter.keyword
        if keyword in self._allowed:
            return _take_option(parameter, self._allowed[keyword], self.options)
        if keyword == self._table.type_keyword == "CHLTYPE":
            return self._take_type(parameter)
        return self._take_attribute(parameter)

    def missing(self, name: str) -> Problem | None:
        """Return the first missing mandatory keyword; LIKE supplies all except the type.

        ALTER needs only AUTHTYPE; whoever reads an ALTER CHANNEL knows its CHLTYPE.
        """
        tokens = {*self.values, *(("CHLTYPE",) if self._typed else ())}
        complete = "LIKE" in self.options or (name and name == self._table.template)
        removing = str(self.options.get("ACTION", "")).startswith("REMOVE")
        needs = () if removing else self._table.needs(self.values)
        for needed in (*self._table.mandatory, *self._key(), *needs):
            inherited = complete and needed not in {"CHLTYPE", "AUTHTYPE"}
            inherited = inherited or (self._altering and needed != "AUTHTYPE")
            if tokens.isdisjoint(needed.split("|")) and not inherited:
                return Problem("missing", needed, f"{needed.replace('|', ' or ')} is missing")
        return None

    def stranger(self) -> Problem | None:
        """Return the first keyword that this variant of the type does not have."""
        variants = self._table.variants
        for keyword in variants.strangers(self.values) if variants else ():
            return _stranger(keyword, str(self.values[variants.keyword]) if variants else "")
        return None

    def profile(self, name: str) -> Problem | None:
        """Return the problem of a record whose type allows only another profile."""
        variant = str(self.values.get("TYPE", ""))
        only = self._table.profiles.get(variant, name)
        if name == only:
            return None
        return Problem("exclusive", "TYPE", f"the profile of {variant} must be '{only}'")

    def _key(self) -> tuple[str, ...]:
        variants = self._table.variants
        if variants is None or self.options.get("ACTION") == "REMOVEALL":
            return ()
        default = self._table.by_keyword[variants.keyword].default
        key = variants.key.get(str(self.values.get(variants.keyword, default)))
        return (key,) if key else ()

    def _take_type(self, parameter: KeywordParameter) -> Problem | None:
        if self._typed:
            return _twice("CHLTYPE")
        tokens = parameter.values or ()
        if len(tokens) != 1 or tokens[0].text.upper() != self._table.name:
            return Problem("bad-value", "CHLTYPE", f"CHLTYPE is not {self._table.name}")
        self._typed = True
        return None

    def _take_attribute(self, parameter: KeywordParameter) -> Problem | None:
        keyword = parameter.keyword
        attribute = self._find(keyword)
        if attribute is None:
            return _stranger(keyword, self._table.name)
        if not (attribute.alterable if self._altering else attribute.settable):
            return Problem("not-alterable", keyword, f"{keyword} cannot be set")
        if attribute.keyword in self.values and keyword not in {"SIGNER", "RECIP"}:
            return _twice(keyword)
        value = _value(parameter, attribute.form)
        if isinstance(value, Fault):
            return Problem(value.kind, keyword, f"{keyword} {value.text}")
        if attribute is ZOS_ONLY.get(keyword) and isinstance(value, int):
            value = str(value)
        if attribute.keyword in self.values:
            value = (*_listed(self.values[keyword]), *_listed(value))
        self.values[attribute.keyword] = value
        return None

    def _find(self, keyword: str) -> Attribute | None:
        attribute = self._table.by_keyword.get(keyword)
        more = (self._table.name, keyword) in _MORE_ON_ZOS or keyword in ZOS_ONLY
        if attribute is None and self._zos and more:
            return ZOS_ONLY.get(keyword, Attribute(keyword, _AS_GIVEN, ""))
        return attribute if attribute and attribute.since <= self._level else None


def _verb(table: ObjectType, *, altering: bool) -> str:
    if table.name in {"CHLAUTH", "AUTHREC", "POLICY"}:
        return "SET"
    return "ALTER" if altering else "DEFINE"


def _twice(keyword: str) -> Problem:
    return Problem("repeated", keyword, f"{keyword} is given twice")


def _value(parameter: KeywordParameter, form: Form) -> Value | Fault:
    if isinstance(form, Flag):
        if parameter.values is not None:
            return form.read(parameter.values)
        return "NO" if parameter.keyword == form.off else "YES"
    if parameter.values is None:
        return "" if isinstance(form, Given) else Fault("bad-value", "needs a value")
    return form.read(parameter.values)


def _listed(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (str(value),)


def _take_option(
    parameter: KeywordParameter, form: Form | None, options: dict[str, Value]
) -> Problem | None:
    keyword = parameter.keyword
    if keyword in options:
        return _twice(keyword)
    for pair in _OPTION_PAIRS:
        if keyword in pair and any(other in options for other in pair):
            return Problem("exclusive", keyword, f"{' and '.join(pair)} exclude each other")
    if form is None and parameter.values is not None:
        return Problem("bad-value", keyword, f"{keyword} takes no value")
    if form is not None and parameter.values is None:
        return Problem("bad-value", keyword, f"{keyword} needs a value")
    value: Value | Fault = "" if form is None else form.read(parameter.values or ())
    if isinstance(value, Fault):
        return Problem(value.kind, keyword, f"{keyword} {value.text}")
    options[keyword] = value
    return None


def _stranger(keyword: str, type_name: str) -> Problem:
    if keyword in ZOS_ONLY:
        return Problem("keyword-not-for-type", keyword, f"{keyword} is for z/OS only")
    if keyword in KNOWN_KEYWORDS or keyword in OPTION_KEYWORDS:
        return Problem("keyword-not-for-type", keyword, f"{keyword} is not for {type_name}")
    return Problem("unknown-keyword", keyword, f"{keyword} is an unknown keyword")


def full(type_name: str, values: Mapping[str, Value], *, level: int) -> dict[str, Value]:
    """Return every attribute of an object, including defaults, in the order of DISPLAY.

    Attributes that only the caller knows (ALTDATE, QMID ...) are included if they are in `values`.
    Attributes of another variant (PORT of an LU62 listener) are left out. Unknown keywords come
    last, in the order of `values`; the profile of a record (CHLAUTH) is not included.
    """
    table = TYPES[type_name]
    shown = {
        each.keyword: values.get(each.keyword, each.default)
        for each in table.at(level)
        if each.keyword in values or each.default is not None
    }
    result = {keyword: value for keyword, value in shown.items() if value is not None}
    for keyword in table.variants.strangers(result) if table.variants else ():
        if keyword not in values:
            del result[keyword]
    for keyword in values:
        if keyword not in table.by_keyword and keyword != table.word:
            result[keyword] = values[keyword]
    if type_name == "NAMELIST" and "NAMCOUNT" not in values:
        names = result["NAMES"]
        result["NAMCOUNT"] = len(names) if isinstance(names, tuple) else 0
    return result


def sparse(type_name: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values that DEFINE can set and that differ from the defaults."""
    known = TYPES[type_name].by_keyword
    return {
        keyword: value
        for keyword, value in values.items()
        if keyword not in known or (known[keyword].settable and value != known[keyword].default)
    }


def keyword_of(attribute: Attribute, value: Value) -> str:
    """Return the keyword to write; for a flag that is off, the other one (NOTRIGGER)."""
    if isinstance(attribute.form, Flag) and value == "NO":
        return attribute.form.off
    return attribute.keyword


def render(attribute: Attribute, value: Value) -> str | tuple[str, ...] | None:
    """Write a value as DISPLAY shows it in its cell; None for a keyword without value.

    A blank value is shown as one blank, or as nothing if MQ shows nothing (TOPICSTR). A list of
    names is returned as a list, because it is written on several lines.
    """
    if isinstance(attribute.form, Flag):
        return None
    if isinstance(value, tuple):
        if isinstance(attribute.form, NameList) and value:
            return value
        return ",".join(value) or attribute.blank
    return str(value) or attribute.blank


def cell(attribute: Attribute, value: Value) -> tuple[str, str | tuple[str, ...] | None]:
    """Write an attribute as one cell of a display: the keyword and the value."""
    return keyword_of(attribute, value), render(attribute, value)


def attribute_of(type_name: str, keyword: str) -> Attribute:
    """Return the attribute that a keyword of this type sets; an unknown one is stored unchanged."""
    return TYPES[type_name].by_keyword.get(keyword) or Attribute(keyword, Given(), "")


def template_of(type_name: str, values: Mapping[str, Value]) -> str:
    """Return the object that a DEFINE without LIKE starts from; AUTHINFO has one for each type."""
    return TYPES[type_name].template.format_map({"AUTHTYPE": values.get("AUTHTYPE", "")})
