"""A process that writes to a log beside others: `python -m tests.app.sharing_worker URL QM N`."""

from __future__ import annotations

import sys

from tests.patience import unhurried
from twin import Twin


def main(url: str, qmgr: str, count: int) -> int:
    """Define queues at a queue manager, each in a transaction of its own."""
    script = "".join(f"DEFINE QLOCAL(R{number})\n" for number in range(count))
    with Twin.open(url, synchronous="NORMAL") as twin:
        return twin.runmqsc(qmgr, script).exit_code


if __name__ == "__main__":
    with unhurried():
        sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
