"""Which channels cut a queue manager off from its full repositories, in words and as causes."""

from __future__ import annotations

from twin.model.objects import Subject
from twin.questions.doctor.finding import some
from twin.questions.doctor.index import Index, Site


def without_repositories(index: Index, site: Site, channel: str) -> str:
    """Return the sentence that a channel leaves no way to full repositories; '' if it does."""
    cut = index.cut_off.get((site.name, channel))
    if not cut:
        return ""
    ways = [name for name, _ in index.cut_off if name == site.name]
    how = "It is the only way" if len(ways) == 1 else "No channel that works leads"
    return (
        f" {how} to a full repository of {some(cut)}: names that {site.name} does not know end "
        "with 2189 now, and what it defines is not published."
    )


def cut_off_by(index: Index, site: Site) -> tuple[Subject, ...]:
    """Return the channels whose failure cuts a queue manager off from its full repositories."""
    cut = (channel for name, channel in index.cut_off if name == site.name)
    return tuple(site.about("CHANNEL", channel) for channel in sorted(cut))
