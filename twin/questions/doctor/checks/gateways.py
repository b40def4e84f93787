"""Checks of definitions that send messages on: loops, and aliases to elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from twin.model.objects import Definition, text_of
from twin.questions.doctor import fixes, probes
from twin.questions.doctor.finding import Finding, FixClass
from twin.questions.doctor.index import Index, Site


def bound_aliases(index: Index) -> Iterator[Finding]:
    """Find shared aliases that bind on open, and whose target is at another queue manager."""
    for cluster in index.clusters:
        for _, places in sorted(cluster.queues.items()):
            aliases = [place for place in places if place[1].type == "QALIAS"]
            for site, definition in cluster.shared(aliases):
                target = text_of(definition, "TARGET")
                if (
                    text_of(definition, "DEFBIND") != "OPEN"
                    or text_of(definition, "TARGTYPE") == "TOPIC"
                    or site.queue(target) is not None
                    or not any(target in each.queues for each in index.clusters)
                ):
                    continue
                ends = (
                    f"go to the dead-letter queue of {site.name} with 2082"
                    if site.qmgr.values.get("DEADQ")
                    else f"cannot be put (2082) and stop their channel: {site.name} has no "
                    "dead-letter queue"
                )
                yield Finding(
                    object=site.called(definition),
                    text=f"The alias is shared with DEFBIND(OPEN), and {target} is not at "
                    f"{site.name}. "
                    f"Messages of handles that bind on open {ends}.",
                    evidence=(site.position(definition),),
                    on=(site.name,),
                    cluster=cluster.name,
                    fix=(fixes.alter(site, definition, DEFBIND="NOTFIXED"),),
                    probe=probes.shared(cluster, definition.name, "DEFBIND"),
                )


def gateway_loops(index: Index) -> Iterator[Finding]:
    """Find remote queues and aliases that lead back to where they began."""
    leads = {}
    for site in index:
        for definition in site.queues:
            to = _leads_to(index, site, definition)
            if to is not None:
                leads[site.name, definition.name] = to
    done: set[tuple[str, str]] = set()
    for start in sorted(leads):
        path: dict[tuple[str, str], None] = {}
        node: tuple[str, str] | None = start
        while node is not None and node not in path and node not in done:
            path[node] = None
            node = leads.get(node)
        if node is not None and node in path:
            yield _loop(index, list(path)[list(path).index(node) :])
        done.update(path)


def _leads_to(index: Index, site: Site, definition: Definition) -> tuple[str, str] | None:
    """Return the queue manager and queue that a definition sends messages to, if they are known.

    A queue manager alias (QREMOTE without RNAME) sends messages for a queue manager to the one that
    its transmission queue is named after.
    """
    if definition.type == "QALIAS" and text_of(definition, "TARGTYPE") != "TOPIC":
        return site.name, text_of(definition, "TARGET")
    if definition.type != "QREMOTE":
        return None
    remote, name = text_of(definition, "RQMNAME"), text_of(definition, "RNAME")
    if name:
        return (remote, name) if remote in index.sites else None
    through = text_of(definition, "XMITQ")
    return (through, remote) if through in index.sites and remote not in index.sites else None


def _loop(index: Index, nodes: list[tuple[str, str]]) -> Finding:
    first = nodes.index(min(nodes))
    nodes = nodes[first:] + nodes[:first]
    shown = " -> ".join(f"{name} at {qmgr}" for qmgr, name in [*nodes, nodes[0]])
    places = [(index.sites[qmgr], index.sites[qmgr].queue(name)) for qmgr, name in nodes]
    site, definition = places[0]
    assert definition is not None  # noqa: S101 - only definitions lead anywhere
    return Finding(
        object=site.called(definition),
        text=f"Messages go round: {shown}.",
        evidence=tuple(site.position(each) for site, each in places),
        on=tuple(sorted({qmgr for qmgr, _ in nodes})),
        fix_class=FixClass.OWNER,
    )
