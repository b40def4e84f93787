"""The picture of the golden file: `python -m tests.questions.picture_scene` writes it again."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.questions.telling import Tale
from twin import events
from twin.questions import picture

KEPT: Final = Path(__file__).parents[1] / "data" / "golden" / "lifetimes.svg"


def scene() -> Tale:
    """Record what FR1 received in 95 days from five queue managers.

    FR1 itself and QM3 are healthy, though a link of QM3 was cut when it republished; QM2 ended and
    was removed, QM4 ended later and is overdue, QM5 is down since day 40 and expired.
    """
    tale = Tale().create("FR1", "QM2", "QM3", "QM4", "QM5")
    tale.publish("FR1", "qmgr/CA.FR1")
    for name in ("QM2", "QM3", "QM4", "QM5"):
        tale.publish(name, f"qmgr/CA.{name}", "queue/ORDERS").receive("FR1", name)
    tale.at("+20d").tell(events.QueueManagerEnded(qmgr="QM2"))
    tale.at("+25d").tell(events.LinkChanged(qmgr="QM3", other="FR1", cut=True))
    tale.at("+27d")
    _send_again(tale, "FR1", 2)
    for name in ("QM4", "QM5"):
        _send_again(tale, name, 2)
        tale.receive("FR1", name, sequence=2)
    _send_again(tale, "QM3", 2)
    tale.at("+34d").tell(events.LinkChanged(qmgr="QM3", other="FR1", cut=False))
    tale.receive("FR1", "QM3", sequence=2)
    tale.at("+40d").tell(events.QueueManagerEnded(qmgr="QM5"))
    tale.at("+54d")
    _send_again(tale, "FR1", 3)
    _send_again(tale, "QM3", 3)
    tale.receive("FR1", "QM3", sequence=3)
    tale.at("+54d12h").tell(events.QueueManagerEnded(qmgr="QM4"))
    tale.at("+66d").tell(events.QueueManagerStarted(qmgr="QM4"))
    _send_again(tale, "QM4", 3)
    tale.receive("FR1", "QM4", sequence=3)
    tale.at("+81d")
    _send_again(tale, "FR1", 4)
    _send_again(tale, "QM3", 4)
    tale.receive("FR1", "QM3", sequence=4)
    tale.at("+82d").tell(events.QueueManagerEnded(qmgr="QM4"))
    tale.at("+90d").tell(
        events.InformationRemoved(
            qmgr="FR1", cluster="CA", items=(events.Item(owner="QM2_1", sequence=1),)
        )
    )
    return tale.at("+94d7h30m")


def _send_again(tale: Tale, owner: str, sequence: int) -> None:
    names = [("qmgr", f"CA.{owner}"), *([] if owner == "FR1" else [("queue", "ORDERS")])]
    tale.tell(
        events.InformationRepublished(
            qmgr=owner, qmid=f"{owner}_1", cluster="CA", sequence=sequence, names=tuple(names)
        )
    )


def drawn() -> str:
    """Draw the records that FR1 holds in the scene."""
    tale = scene()
    return picture.draw(tale.estate, tale.as_of, facts=tale.facts, on="FR1") + "\n"


if __name__ == "__main__":
    KEPT.write_text(drawn(), encoding="utf-8")
