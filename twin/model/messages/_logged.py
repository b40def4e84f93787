"""Error log messages about repositories, channels and switches of transmission queues.

Source of the numbers and meanings: domain facts on repository and channel messages, from public
error logs, a public catalogue of log patterns and IBM's pages on PH34265 and switching. Texts
marked unseen are our own words for the known meaning.
"""

from typing import Final

from twin.model.messages._template import Template, templates

_NOT_REPUBLISHED = (
    "Update not received for CLUSRCVR channel {0} of queue manager {1}, cluster {2}:"
    " expected {3} days ago, {4} days remaining."
)

_NOT_RENEWED = (
    "Update not received for {0} of queue manager {1}, used in the last 30 days, cluster {2}:"
    " expected {3} days ago, {4} days remaining."
)

_SEEN = (
    ("AMQ7341I", "The transmission queue for channel {0} is {1}."),
    ("AMQ9001I", "Channel '{0}' ended normally."),
    ("AMQ9002I", "Channel '{0}' is starting."),
    ("AMQ9209E", "Connection to host '{0}' for channel '{1}' closed."),
    ("AMQ9409E", "Repository manager ended abnormally."),
    ("AMQ9410I", "Repository manager started."),
    ("AMQ9411I", "Repository manager ended normally."),
    ("AMQ9418W", "Only one repository for cluster {0}."),
    ("AMQ9420W", "No repositories for cluster {0}."),
    ("AMQ9422E", "Repository manager error, RC={0}."),
    ("AMQ9431I", "Remote queue manager {0} no longer a repository for cluster {1}, channel {2}."),
    ("AMQ9437E", "Unable to commit repository changes."),
    ("AMQ9442I", "Refresh Cluster command processed, {0} objects refreshed, {1} republished."),
    ("AMQ9447E", "Unable to back out repository changes."),
    ("AMQ9457I", "Repository available, cluster {0}, channel {1}, sender {2}."),
    ("AMQ9496W", "Channel '{0}' ended by a remote exit."),
    ("AMQ9503E", "Channel negotiation failed, channel '{0}'."),
    ("AMQ9504E", "A protocol error was detected for channel '{0}'."),
    ("AMQ9506E", "Message receipt confirmation failed, channel '{0}'."),
    ("AMQ9507E", "Channel '{0}' is currently in-doubt."),
    ("AMQ9508E", "Cannot connect to queue manager '{0}', reason {1}."),
    ("AMQ9509E", "Cannot open object '{0}' on queue manager '{1}', reason {2}."),
    ("AMQ9510E", "Cannot get messages from queue '{0}', reason {1}."),
    ("AMQ9511E", "Cannot put messages to queue '{0}', reason {1}."),
    ("AMQ9519E", "Channel '{0}' not found."),
    ("AMQ9520E", "Channel '{0}' not defined remotely."),
    ("AMQ9524E", "Remote queue manager unavailable for channel '{0}'."),
    ("AMQ9526E", "Message sequence number error for channel '{0}'."),
    ("AMQ9527E", "Cannot send message through channel '{0}'."),
    ("AMQ9528I", "User requested channel '{0}' to be stopped."),
    ("AMQ9542W", "Queue manager is ending."),
    ("AMQ9544W", "Messages not put to destination queue, channel '{0}'."),
    ("AMQ9545I", "Disconnect interval expired, channel '{0}'."),
    ("AMQ9549E", "Transmission queue '{0}' inhibited for MQGET."),
    ("AMQ9558E", "The remote channel '{0}' is not currently available."),
    ("AMQ9999E", "Channel '{0}' ended abnormally."),
)

_REMEMBERED = (
    ("AMQ7340I", "Channel {0} is to switch from transmission queue {1} to {2}."),
    ("AMQ7342I", "{1} messages of channel {0} moved to its transmission queue."),
    ("AMQ7347E", "Switching the transmission queue of channel {0} failed."),
    ("AMQ9208E", "Error on receive from host '{0}'."),
    ("AMQ9259E", "Connection timed out from host '{0}'."),
    ("AMQ9271E", "Channel '{0}' timed out."),
    ("CSQM550I", "Switch of channel {0} from transmission queue {1} to {2} began."),
    ("CSQM551I", "Switch of channel {0} to transmission queue {1} is complete."),
    ("CSQM553I", "Messages of channel {0} to move from transmission queue {2} to {3}: {1}."),
    ("CSQM554I", "Messages of channel {0} moved to transmission queue {2}: {1}."),
    ("CSQM555E", "Moving messages of channel {0} failed, queue {1}, MQRC={2}."),
    ("CSQM556E", "Cannot open transmission queue {1} of channel {0}, MQRC={2}."),
    ("CSQX293I", "Switch of channel {0} from transmission queue {1} to {2} began."),
    ("AMQ9405I", "FORCEREMOVE QUEUES(YES) processed for {0}, cluster {1}."),
    ("AMQ9406E", "REFRESH CLUSTER REPOS(YES) failed: {0} is a full repository of cluster {1}."),
    ("AMQ9407W", "Cluster queue {0} is defined inconsistently."),
    ("AMQ9408W", "Messages for channel '{0}' moved to the dead-letter queue."),
    ("AMQ9412W", "Repository command received for queue manager {0}."),
    ("AMQ9413E", "Repository command format error, command code {0}."),
    ("AMQ9415E", "Unexpected repository command received."),
    ("AMQ9416E", "Repository command processing error, RC={0}."),
    ("AMQ9417I", "Manually defined CLUSSDR channels have been forced to stop."),
    ("AMQ9419W", "No CLUSRCVR channel for cluster {0}."),
    ("AMQ9427E", "CLUSSDR channel '{0}' does not lead to a repository queue manager."),
    ("AMQ9428E", "Unexpected publication of a cluster queue received."),
    ("AMQ9429E", "Unexpected deletion of a cluster queue received."),
    ("AMQ9430E", "Unexpected queue manager publication received."),
    ("AMQ9432E", "Repository query received at a queue manager that is no repository."),
    ("AMQ9433E", "CLUSRCVR and CLUSSDR channels are in different clusters."),
    ("AMQ9434E", "Unrecognised message on the repository command queue."),
    ("AMQ9435E", "Unable to put repository message, reason {0}."),
    ("AMQ9436E", "Unable to send repository message, reason {0}."),
    ("AMQ9440E", "RESET CLUSTER failed for cluster {0}."),
    ("AMQ9441I", "RESET CLUSTER processed, cluster {0}, queue manager {1}."),
    ("AMQ9443I", "SUSPEND QMGR processed for cluster {0}."),
    ("AMQ9444I", "RESUME QMGR processed for cluster {0}."),
    (
        "AMQ9448E",
        "Repository manager failed, retry in {0} minutes, queue manager ends in {1} minutes.",
    ),
    ("CSQX448E", "Repository manager stopping because of errors, restart in {0} seconds."),
    ("AMQ9449I", "Repository manager restarting."),
    ("AMQ9453E", "FORCEREMOVE refused: {0} is ambiguous in cluster {1}."),
    ("AMQ9454E", "FORCEREMOVE refused: not a full repository of cluster {0}."),
    ("AMQ9455E", "FORCEREMOVE refused: {0} is unknown in cluster {1}."),
    ("AMQ9456W", _NOT_RENEWED),
    ("AMQ9465W", "New definition of clustered topic {0} is inconsistent."),
    ("AMQ9466W", "Existing definition of clustered topic {0} is inconsistent."),
    ("AMQ9468W", "Queue manager {0} replaced another of the same channel name, {1}."),
    ("AMQ9469W", _NOT_REPUBLISHED),
    ("AMQ9491W", "Transmission queue {0} set to NOSHARE."),
    ("AMQ9492E", "TCP/IP responder program error."),
    ("AMQ9540E", "Commit failed, reason {0}."),
    ("AMQ9776E", "Channel '{0}' blocked by user id."),
    ("AMQ9777E", "Channel '{0}' was blocked."),
    ("AMQ9780E", "Channel '{0}' to a remote machine is ending."),
)

_OWN = (
    ("TWN0006I", "Switch of channel {0} from transmission queue {1} to {2} began."),
    ("TWN0007I", "Messages of channel {0} to move from transmission queue {2} to {3}: {1}."),
    ("TWN0008I", "Messages of channel {0} left on transmission queue {2}: {1}."),
    ("TWN0009I", "Messages of channel {0} moved to transmission queue {2}: {1}."),
    ("TWN0010E", "Switch of channel {0} stopped at queue {1}, reason {2}."),
    ("TWN0011E", "Repository out of storage: no room for a record or a subscription."),
)

LOGGED: Final[dict[str, Template]] = {
    **templates(((number, text, None) for number, text in _REMEMBERED), seen=False),
    **templates(((number, text, None) for number, text in _SEEN), seen=True),
    **templates(((number, text, None) for number, text in _OWN), seen=False),
}
"""Id without letter -> template."""
