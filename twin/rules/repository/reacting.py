"""What a queue manager does about records that it has accepted.

Sources: IBM MQ, "Selecting queue managers to hold full repositories"; "Cluster concepts".
"""

from __future__ import annotations

from twin.rules.draft import Draft
from twin.rules.repository import distribution, publication, requests
from twin.rules.repository.delivery import RecordsAccepted
from twin.rules.repository.distribution import NewsToPassOn


def act_on_records(draft: Draft, accepted: RecordsAccepted) -> None:
    """Let a full repository welcome a new member and pass records on.

    Any other queue manager has heard of a full repository, and introduces itself there.
    """
    target, sender, cluster = accepted.target, accepted.sender, accepted.cluster
    if not accepted.full:
        chosen = publication.introduce(draft, target, cluster)
        requests.renew(draft, target, cluster, chosen)
        return
    news = NewsToPassOn(target, cluster, accepted.items, sender.name)
    if accepted.first and (cluster, sender.qmid) in target.repository.routes:
        distribution.welcome(draft, target, sender, cluster)
        draft.react_later(news)  # the new member introduces itself before others speak of it
    else:
        distribution.pass_on(draft, news)
