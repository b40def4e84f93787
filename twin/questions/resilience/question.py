"""The rows of `resilience`: each loss, what it takes away, when that is felt, what mends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from twin.errors import TwinError
from twin.model.amounts import verb
from twin.model.instants import DAY
from twin.questions.answer import Answer, Row
from twin.questions.rehearsing import SETTLES_WITHIN
from twin.questions.resilience.effects import Effects, effects, looks
from twin.questions.resilience.losses import Loss, losses, together
from twin.questions.resilience.reach import Damage, QueueReach

if TYPE_CHECKING:
    from twin.fold.estate import Estate
    from twin.model.instants import AsOf, Instant
    from twin.questions.rehearsing import Rehearsing

DAYS: Final = 30
"""How long each loss lasts unless it is said otherwise, in days."""

_WORST_FIRST: Final = ("error", "warning", "info")

_SHOWN: Final = 5
"""How many queues a note names."""


class OneLoss(
    TwinError,
    ValueError,
    message="lose names one loss of several: leave out links, channels and pairs",
):
    """A loss of several queue managers together, with an option that adds other losses."""


def resilience(  # noqa: PLR0913 - each is an option of its own
    estate: Estate,
    as_of: AsOf,
    *,
    rehearsal: Rehearsing,
    cluster: str | None = None,
    lose: str | None = None,
    days: int | str = DAYS,
    links: str | None = None,
    channels: str | None = None,
    pairs: str | None = None,
) -> Answer:
    """List every single loss, the worst first, and what it would strand.

    Queues and senders are those before the loss. Each loss is rehearsed for some days beside doing
    nothing, from which come the dates; each of all `pairs` of queue managers is rehearsed until
    their channels have noticed, so it has no dates.

    Args:
        estate: the estate.
        as_of: where the losses begin.
        rehearsal: the estate, to try the losses in.
        cluster: show rows about this cluster only.
        lose: the name of a queue manager: show only losses that it is part of; several names with
            blanks between them: show only the loss of all of them together.
        days: how long each loss lasts.
        links: not None to add the losses of each link.
        channels: not None to add those of each cluster-sender channel.
        pairs: not None to add those of each pair of queue managers.

    Raises:
        NoSuchQueueManager: if there is no queue manager `lose`.
        OneLoss: if there are several, and other losses are to be added.
    """
    names = () if lose is None else tuple(sorted({*lose.split()} or {lose}))
    for name in names:
        estate.qmgr(name)
    if len(names) > 1:
        if any(each is not None for each in (links, channels, pairs)):
            raise OneLoss
        wanted = [together(estate, names)]
    else:
        every = losses(
            estate, links=links is not None, channels=channels is not None, pairs=pairs is not None
        )
        wanted = [loss for loss in every if not names or loss.involves(names[0])]
    beside = looks(rehearsal, as_of.valid + max(int(days) * DAY, SETTLES_WITHIN))
    reach = QueueReach.of(estate, as_of.valid, rehearsal)
    rows: list[Row] = []
    for loss in wanted:
        dated = () if loss.kind == "pair" and len(names) < len(loss.qmgrs) else beside
        rows += _rows(loss, reach, effects(rehearsal, dated, loss, reach), as_of.valid, cluster)
    rows.sort(key=_rank)
    notes = (*_not_lost(estate, names), *_lost_already(reach, cluster))
    return replace(Answer.of("resilience", as_of, [(row, ()) for row in rows]), notes=notes)


def _not_lost(estate: Estate, names: Sequence[str]) -> Iterator[str]:
    """Say which losses are not rehearsed, because nothing runs that could be lost."""
    if not estate.qmgrs:
        yield "no queue manager exists at that instant: no loss was rehearsed"
    elif not any(qmgr.running for qmgr in estate.qmgrs.values()):
        yield "no queue manager runs at that instant: no loss was rehearsed"
    ended = [name for name in names if not estate.qmgrs[name].running]
    if ended:
        yield (
            f"{', '.join(ended)} {verb(len(ended), 'have')} ended already: the estate at that "
            "instant is what it is without; --as-of an earlier instant shows what the loss costs"
        )


def _lost_already(reach: QueueReach, only: str | None) -> Iterator[str]:
    """Say which queues no message reaches, whatever is lost: an ended queue manager has no row."""
    queues = sorted(queue for queue in reach.unusable if only in (None, queue[0]))
    if queues:
        shown = ", ".join(f"{name} of {cluster}" for cluster, name in queues[:_SHOWN])
        more = f" and {len(queues) - _SHOWN} more" if len(queues) > _SHOWN else ""
        yield f"lost already, without any loss: {shown}{more}"


def _rows(
    loss: Loss,
    reach: QueueReach,
    followed: Effects,
    at: Instant,
    only: str | None,
) -> Iterator[Row]:
    forgetting = followed.forgetting
    for cluster in (*loss.clusters, *reach.beyond(loss, forgetting)):
        if only not in (None, cluster):
            continue
        damage = reach.damage(loss, cluster, forgetting)
        repositories = reach.full.get(cluster, set())
        left = len(repositories - loss.qmgrs)
        loses_full = bool(repositories & loss.qmgrs)
        fails_from = followed.removal_of(cluster, (*damage.lost, *damage.forgotten))
        if loses_full and not left:
            fails_from = at
        yield {
            "loss": loss.name,
            "kind": loss.kind_in(repositories),
            "cluster": cluster,
            "severity": _severity(damage, loses_full=loses_full, left=left),
            "queues_lost": damage.lost,
            "lost_already": damage.already,
            "queues_single": damage.single,
            "senders_cut": tuple(damage.cut),
            "messages_waiting": followed.waiting,
            "messages_bound": followed.bound,
            "opens_fail_from": fails_from,
            "first_expiry": followed.first_expiry(cluster),
            "first_removal": followed.first_removal(cluster),
            "fix": _fix(damage, cluster, sorted(repositories & loss.qmgrs), left=left),
        }


def _severity(damage: Damage, *, loses_full: bool, left: int) -> str:
    if damage.lost or damage.already or damage.cut or (loses_full and not left):
        return "error"
    return "warning" if damage.single or (loses_full and left == 1) else "info"


def _fix(damage: Damage, cluster: str, full: Sequence[str], *, left: int) -> str | None:
    """Return what would keep the loss from doing harm; None if nothing needs to.

    `full` are the full repositories that are lost, and `left` is how many are left. One of two is
    no reason for a third: its role moves if it does not come back. Queues with one instance left
    count if no sender is cut off.
    """
    fixes = []
    if full and not left:
        fixes.append(f"make another member a full repository of {cluster} (ALTER QMGR REPOS)")
    elif full and left == 1:
        fixes.append(
            f"if {full[0]} does not come back, move its role: twin runbook move-full-repository "
            f"{full[0]} --to QM --cluster {cluster} --lost"
        )
    elif damage.forgotten:
        fixes.append(f"keep a full repository in reach of those that ask for {damage.forgotten[0]}")
    lost = [name for name in damage.lost if name not in damage.forgotten]
    short = lost or (() if damage.cut else damage.single)
    own = [name for name in short if name not in damage.behind]
    if own:
        fixes.append(f"define {_listed(own)} at another member of {cluster}")
    if behind := [name for name in short if name in damage.behind]:
        fixes.append(f"add another instance of what {_listed(behind)} leads to")
    if damage.ranked:
        fixes.append(f"prefer an instance of {_listed(damage.ranked)} by CLWLPRTY, not CLWLRANK")
    unreached = {queue for each in damage.cut.values() for queue in each} - {*damage.ranked}
    unreached -= {*damage.forgotten}
    if unreached and not damage.lost:
        queues = sorted(unreached)
        fixes.append(f"add an instance of {queues[0]} that its senders reach another way")
    if damage.already:
        fixes.append(
            f"mend {_listed(damage.already)}, which no message reaches even without the loss"
        )
    return "; ".join(fixes) or None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}"


def _rank(row: Row) -> tuple[int, int, int, int, str, str]:
    lost, cut, waiting = row["queues_lost"], row["senders_cut"], row["messages_waiting"]
    return (
        _WORST_FIRST.index(str(row["severity"])),
        -len(lost) if isinstance(lost, tuple) else 0,
        -len(cut) if isinstance(cut, tuple) else 0,
        -int(str(waiting or 0)),
        str(row["loss"]),
        str(row["cluster"]),
    )
