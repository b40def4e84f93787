"""Messages of z/OS that have no AMQ form, or whose AMQ form does not fit; and those of the twin."""

from __future__ import annotations

from typing import Final

from twin.model.messages._replies import FAILED, REPLY
from twin.model.messages._repository import ERRORS_OF_REPOSITORY
from twin.model.messages._row import DOC, MessageRow

_SWITCH: Final = (
    "DISPLAY CHSTATUS({channel}) XMITQ; messages of the channel wait on the old queue until the "
    "switch is done: START CHANNEL({channel})"
)
_PARTNER: Final = (
    "DISPLAY CHSTATUS({channel}) ALL; PING CHANNEL({channel}). Is the partner's listener up, and "
    "does CONNAME name its host and port?"
)
ZOS: Final = (
    MessageRow("CSQ9022", means="Reply to a command: it ended normally.", page=REPLY),
    MessageRow("CSQ9023", means="Reply to a command: it ended abnormally.", do=FAILED, page=REPLY),
    MessageRow("CSQM201", means="Reply to a DISPLAY command: attributes follow.", page=REPLY),
    MessageRow(
        "CSQM293", means="Reply to a DISPLAY command: how many objects were found.", page=REPLY
    ),
    # The texts of the switch are in APAR PH00544.
    MessageRow(
        "CSQM550I",
        "Switch of channel {channel} from transmission queue {queue} to {to} began.",
        names="channel",
        basis=DOC,
        means="The switch of a channel to another transmission queue began.",
    ),
    MessageRow(
        "CSQM551I",
        "Switch of channel {channel} to transmission queue {queue} is complete.",
        names="channel",
        means="The switch of a channel to another transmission queue is complete.",
    ),
    MessageRow(
        "CSQM553I",
        "Messages of channel {channel} to move from transmission queue {queue} to {to}: {count}.",
        inserts="channel count queue to",
        names="channel",
        basis=DOC,
        means="Messages of a switched channel are to be moved.",
    ),
    MessageRow(
        "CSQM554I",
        "Messages of channel {channel} moved to transmission queue {queue}: {count}.",
        inserts="channel count queue",
        names="channel",
        means="Messages of a switched channel were moved.",
    ),
    MessageRow(
        "CSQM555E",
        "Moving messages of channel {channel} failed, queue {queue}, MQRC={reason}.",
        names="channel",
        basis=DOC,
        means="Moving the messages of a switched channel failed, with a reason code.",
        do=_SWITCH,
        page="APAR PH00544",
    ),
    MessageRow(
        "CSQM556E",
        "Cannot open transmission queue {queue} of channel {channel}, MQRC={reason}.",
        inserts="channel queue reason",
        basis=DOC,
        means="A transmission queue of a switched channel cannot be opened.",
        do=_SWITCH,
        page="APAR PH00544",
    ),
    MessageRow(
        "CSQN205", means="Reply to a command: how many messages it has, and its codes.", page=REPLY
    ),
    MessageRow("CSQX022", basis=DOC, means="The channel initiator started."),
    MessageRow(
        "CSQX202",
        names="channel",
        means="The partner's host did not answer. The channel retries.",
        do=_PARTNER,
    ),
    MessageRow("CSQX208", names="channel", means="Receiving from the partner failed.", do=_PARTNER),
    MessageRow(
        "CSQX293I",
        "Switch of channel {channel} from transmission queue {queue} to {to} began.",
        names="channel",
        basis=DOC,
        means="The switch of a channel to another transmission queue began.",
    ),
    MessageRow(
        "CSQX448E",
        "Repository manager stopping because of errors, restart in {seconds} seconds.",
        means="The repository manager stopped because of errors and is started again in 600 "
        "seconds. Here the queue manager does not end after 5 days.",
        do="Repair what the message before names; then ALTER QLOCAL(SYSTEM.CLUSTER.COMMAND.QUEUE) "
        "GET(ENABLED)",
        page=ERRORS_OF_REPOSITORY,
    ),
    MessageRow(
        "CSQX888E",
        basis=DOC,
        means="A record was not renewed for at least 30 days while another instance of its owner "
        "lives: it expires because the definitions do not match, often after a backup was put back "
        "without REFRESH CLUSTER.",
        do="At the owner: DISPLAY CLUSQMGR(*) QMID and the definition of the object. `twin runbook "
        "refresh QM` says whether REFRESH CLUSTER is needed there",
        page="APAR PH58212",
    ),
    MessageRow(
        "CSQX889E",
        basis=DOC,
        means="A record expires because of an error of administration; no public source shows the "
        "whole text.",
        do="Read the text, and compare the definition at the owner with the record: DISPLAY "
        "CLUSQMGR(*) QMID",
        page="APAR PH58212",
    ),
    MessageRow("CSQX500", names="channel", means="A channel started. It is logged at every retry."),
    MessageRow("CSQX501", names="channel", means="A channel is no longer active."),
    MessageRow(
        "CSQX599E",
        "Channel {channel} ended abnormally.",
        names="channel",
        means="A channel ended abnormally. It says so, not why.",
        do="Look at the messages just before it with the same channel: they have the reason. "
        "DISPLAY CHSTATUS({channel}) ALL",
    ),
)
"""Rows of z/OS."""

OWN: Final = (
    MessageRow("TWN0001E", "{command} is not modelled by twin; nothing was changed.", 3008),
    MessageRow("TWN0002E", "This session shows another time; it runs only DISPLAY commands.", 3008),
    MessageRow("TWN0003E", "Automatic configuration, {place}: {problem}", 3008),
    MessageRow(
        "TWN0004E", "CLCHNAME needs USAGE(XMITQ); on z/OS INDXTYPE(CORRELID), not SHARED.", 3363
    ),
    MessageRow(
        "TWN0005E", "The cluster transmission queue cannot be the default transmission queue.", 3269
    ),
    MessageRow(
        "TWN0006I", "Switch of channel {channel} from transmission queue {queue} to {to} began."
    ),
    MessageRow(
        "TWN0007I",
        "Messages of channel {channel} to move from transmission queue {queue} to {to}: {count}.",
        inserts="channel count queue to",
    ),
    MessageRow(
        "TWN0008I",
        "Messages of channel {channel} left on transmission queue {queue}: {count}.",
        inserts="channel count queue",
    ),
    MessageRow(
        "TWN0009I",
        "Messages of channel {channel} moved to transmission queue {queue}: {count}.",
        inserts="channel count queue",
    ),
    MessageRow(
        "TWN0010E", "Switch of channel {channel} stopped at queue {queue}, reason {reason}."
    ),
    MessageRow("TWN0011E", "Repository out of storage: no room for a record or a subscription."),
    MessageRow(
        "TWN0012E", "Queue manager {qmgr} was not imported: its definitions are not known.", 2058
    ),
)
"""Rows of the twin itself: no queue manager writes ids that begin with TWN."""
