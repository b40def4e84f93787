"""What is accepted of what the doctor finds: files of suppressions, and earlier runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from twin.cli.files import read_text
from twin.errors import TwinError

if TYPE_CHECKING:
    from twin.review.doctor.examination import Examination
    from twin.review.doctor.suppressions import Suppression


class Accepted(NamedTuple):
    """What is accepted: the suppressions of a file, and the findings of an earlier run.

    They are read before anything is examined, so that a mistake in them is said at once.
    """

    suppressions: tuple[Suppression, ...]
    known: dict[str, str] | None

    @classmethod
    def read(cls, folder: str | None, suppressions: str | None, baseline: str | None) -> Accepted:
        """Read the files that are named, or the file of suppressions in the folder.

        Raises:
            UnreadableFile, BadSuppression, BadBaseline: if one of them cannot be used.
        """
        from twin.review.doctor.baseline import read_baseline
        from twin.review.doctor.suppressions import FILE, read_suppressions

        usual = Path(folder or ".") / FILE
        name = suppressions or (str(usual) if usual.is_file() else None)
        return cls(
            read_suppressions(read_text(name), name) if name else (),
            None if baseline is None else read_baseline(read_text(baseline), baseline),
        )

    def judge(self, review: Examination) -> Examination:
        """Mark the findings that are accepted."""
        from twin.review.doctor.baseline import compared
        from twin.review.doctor.suppressions import suppress

        judged = suppress(review, self.suppressions, _lines_of)
        return judged if self.known is None else compared(judged, self.known)


def _lines_of(file: str) -> list[str]:
    """Return the lines of a file that a definition came from; none if it cannot be read."""
    try:
        return read_text(file).splitlines() if Path(file).is_file() else []
    except TwinError:
        return []
