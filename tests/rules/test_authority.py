"""Whether a user may put, against an oracle that knows only what IBM's pages say of profiles."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tests.laws import examples
from tests.sandbox import Sandbox, small_cluster
from twin.events import Caller
from twin.model.authorities import matches, specificity

PARTS: Final = st.sampled_from(("A", "B", "AB", "BA"))
NAMES: Final = st.lists(PARTS, min_size=1, max_size=3).map(".".join)
GENERIC: Final = st.sampled_from(("A", "B", "AB", "?", "*", "A*", "*B", "?B", "A?", "**"))
PROFILES: Final = st.lists(GENERIC, min_size=1, max_size=3).map(".".join)
GROUPS: Final = ("reds", "blues", "nobody")
ENTITIES: Final = st.sampled_from(
    (*(f"GROUP('{each}')" for each in GROUPS), "PRINCIPAL('ann')", "PRINCIPAL('ben')")
)
GRANTS: Final = st.sampled_from(("PUT", "GET", "BROWSE,PUT", "ALL", "ALLMQI", "ALLADM", "NONE"))
PUTS: Final = frozenset({"PUT", "BROWSE,PUT", "ALL", "ALLMQI"})
SETS_CONTEXT: Final = frozenset({"ALL", "ALLMQI"})


class Grant(NamedTuple):
    """One SET AUTHREC for a queue."""

    profile: str
    entity: str
    words: str


def applies(profile: list[str], name: list[str]) -> bool:
    """Return whether a profile applies to a name: try every number of parts for each `**`."""
    if "**" in profile:
        place = profile.index("**")
        return any(
            applies([*profile[:place], *(["*"] * count), *profile[place + 1 :]], name)
            for count in range(len(name) + 1)
        )
    return len(profile) == len(name) and all(map(fnmatchcase, name, profile))


def sorts_before(one: str, other: str) -> bool:
    """Return whether a profile is more specific than another one, character by character."""
    while one and other and one[0] == other[0] and (one[:2] == "**") == (other[:2] == "**"):
        width = 2 if one[:2] == "**" else 1
        one, other = one[width:], other[width:]
    ranks = {"?": 2, "*": 3, "**": 4}
    first, second = (
        ranks.get(rest[:2] if rest[:2] == "**" else rest[:1], 0 if rest else 1)
        for rest in (one, other)
    )
    return first < second


def may_put(
    grants: list[Grant], entities: set[str], name: str, enough: frozenset[str] = PUTS
) -> bool:
    """Return whether the most specific profile of one of these entities grants enough."""
    found: dict[str, Grant] = {}
    for grant in grants:
        if grant.entity in entities and applies(grant.profile.split("."), name.split(".")):
            best = found.get(grant.entity)
            if best is None or sorts_before(grant.profile, best.profile):
                found[grant.entity] = grant
    return any(grant.words in enough for grant in found.values())


def granted(box: Sandbox, qmgr: str, grants: list[Grant]) -> list[Grant]:
    """Set authority records; return what stands: of a profile and an entity the last one."""
    kept = {}
    for grant in grants:
        box.run(
            qmgr,
            f"SET AUTHREC PROFILE('{grant.profile}') OBJTYPE(QUEUE) {grant.entity} "
            f"AUTHRMV(ALL) AUTHADD({grant.words})",
        )
        kept[grant.profile, grant.entity] = grant
    return list(kept.values())


def distinct(grants: list[Grant], name: str) -> bool:
    """Return whether no two profiles of an entity that apply are equally specific."""
    applying = [each for each in grants if matches(each.profile, name)]
    ranks = {(each.entity, *specificity(each.profile)[0]) for each in applying}
    return len(ranks) == len({(each.entity, each.profile) for each in applying})


@examples(times=8)
@given(PROFILES, NAMES)
def test_a_profile_applies_as_its_parts_say(profile: str, name: str) -> None:
    """`?` is one character and `*` any number in one part of a name; `**` is any parts."""
    assert matches(profile, name) == applies(profile.split("."), name.split("."))


@examples(times=2)
@given(
    st.lists(st.builds(Grant, PROFILES, ENTITIES, GRANTS), max_size=6),
    st.sets(st.sampled_from(GROUPS[:2])),
    NAMES,
)
def test_the_most_specific_profile_of_each_entity_adds_up(
    grants: list[Grant], groups: set[str], name: str
) -> None:
    """MQOPEN ends in 2035 unless the user, a group of it or that of everybody is granted PUT."""
    box = Sandbox().create("QM")
    box.run("QM", f"DEFINE QLOCAL({name})")
    kept = granted(box, "QM", grants)
    if not distinct(kept, name):
        return
    caller = Caller(name="ann", groups=(("ann", tuple(groups)), ("ben", ("reds", "blues"))))
    entities = {"PRINCIPAL('ann')", *(f"GROUP('{each}')" for each in (*groups, "nobody"))}
    reason = 0 if may_put(kept, entities, name) else 2035
    assert box.put("QM", name, caller=caller).reason == reason
    opened = box.open("QM", name, caller=caller).opened
    assert opened is not None
    assert opened.reason == reason
    assert box.put("QM", name, put1=True, caller=caller).reason == reason
    assert box.put("QM", name, caller=Caller(name="root", groups=(("root", ("mqm",)),))).reason == 0
    assert box.put("QM", name).reason == 0


@examples(cost=5)
@given(
    st.lists(st.builds(Grant, PROFILES, ENTITIES, GRANTS), max_size=4),
    st.sampled_from(("PUTAUT(CTX)", "PUTAUT(DEF) MCAUSER('ben')", "PUTAUT(DEF)")),
)
def test_messages_arrive_or_are_dead_lettered_and_none_is_lost(
    grants: list[Grant], attributes: str
) -> None:
    """Where messages arrive, the user of PUTAUT decides: they are on the queue or dead letters."""
    box = small_cluster()
    box.run("PR2", f"ALTER CHANNEL(CA.PR2) CHLTYPE(CLUSRCVR) {attributes}")
    box.run("PR2", "DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(A.B) CLUSTER(CA)")
    box.run(
        "PR1",
        "SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) GROUP('nobody') AUTHADD(PUT)",
    )
    kept = granted(box, "PR2", grants)
    if not distinct(kept, "A.B"):
        return
    groups = (("ann", ("reds",)), ("ben", ("blues",)))
    put = box.put("PR1", "A.B", count=3, caller=Caller(name="ann", groups=groups))
    assert put.reason == 0
    user, group = ("ann", "reds") if "CTX" in attributes else ("ben", "blues")
    enough = PUTS if "CTX" in attributes else SETS_CONTEXT
    entities = {f"PRINCIPAL('{user}')", f"GROUP('{group}')", "GROUP('nobody')"}
    arrives = attributes == "PUTAUT(DEF)" or may_put(kept, entities, "A.B", enough)
    depths = box.depth("PR2", "A.B"), box.depth("PR2", "DLQ")
    assert depths == ((3, 0) if arrives else (0, 3))
