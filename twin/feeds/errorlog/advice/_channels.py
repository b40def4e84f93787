"""Messages about channels, their partners and their batches; and about TLS."""

from __future__ import annotations

from typing import Final

from twin.feeds.errorlog.advice._advice import RETRY, Advice, noise

_STATUS: Final = "DISPLAY CHSTATUS({channel}) ALL"
_PARTNER: Final = (
    f"{_STATUS}. From the sending end: PING CHANNEL({{channel}}). At the partner: is the listener "
    "up (DISPLAY LSSTATUS(*) ALL), and does CONNAME name its host and port? A sender retries by "
    "itself"
)
_REASON: Final = (
    "Look at the messages just before it with the same channel or process: they have the reason. "
    f"{_STATUS}"
)
_DEAD_LETTERS: Final = "DISPLAY QMGR DEADQ; DISPLAY QSTATUS(*) WHERE(CURDEPTH GT 0)"
_IN_DOUBT: Final = (
    "DISPLAY CHSTATUS({channel}) SAVED CURLUWID LSTLUWID INDOUBT at both ends. If the sender's "
    "CURLUWID equals the receiver's LSTLUWID: RESOLVE CHANNEL({channel}) ACTION(COMMIT), else "
    "ACTION(BACKOUT). Let a restart do it if the partner can still be reached"
)
_SEQUENCE: Final = (
    "Compare DISPLAY CHSTATUS({channel}) CURSEQNO at both ends. If nothing is in doubt: RESET "
    "CHANNEL({channel}) SEQNUM(1) at the sender"
)
_BLOCKED: Final = (
    "DISPLAY CHLAUTH({channel}) MATCH(RUNCHECK) ALL ADDRESS('address') CLNTUSER('user'). Permit "
    "with SET CHLAUTH, if it should connect"
)
_INSTANCES: Final = (
    "DISPLAY CHSTATUS({channel}) CONNAME shows who holds them. Mend the client that leaks "
    "connections, or ALTER CHANNEL({channel}) CHLTYPE(SVRCONN) MAXINST(n) MAXINSTC(n)"
)
_REMOTE_STOPPED: Final = (
    "At the partner: DISPLAY CHSTATUS({channel}) STATUS; START CHANNEL({channel}) if it is STOPPED"
)
_LIMIT: Final = "IBM MQ 9.4, DEFINE CHANNEL (MAXINST, MAXINSTC)"

CHANNELS: Final[dict[str, Advice]] = {
    "AMQ9001": noise("A channel ended in the usual way: stopped, disconnected, or client gone."),
    "AMQ9002": noise("A channel program started. It is logged at every retry: not yet RUNNING."),
    "AMQ9202": Advice(
        "The partner's host did not answer, or nobody listens on its port. The channel retries.",
        _PARTNER,
        RETRY,
    ),
    "AMQ9203": Advice("The host name of the partner's CONNAME cannot be resolved.", _PARTNER),
    "AMQ9206": Advice(
        "Sending to the partner failed: the network or the partner closed the connection.",
        _PARTNER,
    ),
    "AMQ9208": Advice(
        "Receiving from the partner failed: the network, a firewall or the partner closed the "
        "connection. Of a client connection it is seldom more than an application that ended.",
        _PARTNER,
    ),
    "AMQ9209": Advice(
        "The partner closed the connection. Of a client connection it is seldom more than an "
        "application that ended without MQDISC.",
        _PARTNER,
    ),
    "AMQ9213": Advice("A call of the network failed at this host.", _PARTNER),
    "AMQ9259": Advice(
        "The partner was silent for longer than the heartbeat allows: a hanging partner, or a "
        "firewall that drops idle connections.",
        f"{_PARTNER}. Set HBINT lower than the firewall's timeout",
    ),
    "AMQ9271": Advice("The channel ended: its partner did not answer in time.", _PARTNER),
    "AMQ9487": Advice("The limit of instances of a server-connection was reached.", _INSTANCES),
    "AMQ9488": Advice("The limit of instances of a server-connection was reached.", _INSTANCES),
    "AMQ9489": Advice(
        "The channel reached MAXINST, its limit of instances: further clients are refused.",
        _INSTANCES,
        _LIMIT,
    ),
    "AMQ9490": Advice(
        "The channel reached MAXINSTC, its limit of instances for one client: that client is "
        "refused.",
        _INSTANCES,
        _LIMIT,
    ),
    "AMQ9492": Advice(
        "The program that answers incoming connections failed.",
        "Look at the messages just before it; DISPLAY LSSTATUS(*) ALL",
    ),
    "AMQ9496": Advice("An exit of the partner ended the channel.", _REASON),
    "AMQ9503": Advice(
        "The two ends could not agree: the partner has another channel type of this name, or "
        "refuses it.",
        "DISPLAY CHANNEL({channel}) CHLTYPE at both ends. Read the partner's error log of that "
        "second",
    ),
    "AMQ9504": Advice(
        "The partner sent what no queue manager sends: often no MQ program at that port.",
        _PARTNER,
    ),
    "AMQ9506": Advice(
        "The partner did not confirm a batch: the batch is in doubt or is sent again.", _IN_DOUBT
    ),
    "AMQ9507": Advice("The channel is in doubt about its last batch.", _IN_DOUBT),
    "AMQ9508": Advice(
        "A channel program could not connect to the queue manager.",
        "DISPLAY QMSTATUS STATUS; the reason code is in the message",
    ),
    "AMQ9509": Advice(
        "A channel program could not open an object.",
        "Is {object} defined? DISPLAY QUEUE({object}) ALL. The reason code is in the message",
    ),
    "AMQ9510": Advice(
        "A channel program could not get from its transmission queue.",
        "DISPLAY QLOCAL({queue}) GET USAGE; ALTER QLOCAL({queue}) GET(ENABLED)",
    ),
    "AMQ9511": Advice(
        "A channel program could not put to a queue: full, put-inhibited, or wrong usage.",
        "DISPLAY QLOCAL({queue}) PUT CURDEPTH MAXDEPTH USAGE; make room or ALTER QLOCAL({queue}) "
        "PUT(ENABLED)",
    ),
    "AMQ9513": Advice(
        "MaxChannels is reached: no further channel starts.",
        "DISPLAY CHSTATUS(*) CONNAME shows who holds them. Raise MaxChannels in stanza Channels of "
        "qm.ini and restart",
        "IBM MQ, qm.ini, stanza Channels",
    ),
    "AMQ9514": Advice(
        "The partner started the channel while its old instance still looks alive here. It goes "
        "away when the old one times out.",
        "DISPLAY CHSTATUS({channel}) ALL; STOP CHANNEL({channel}) MODE(FORCE), START it. To avoid "
        "it: AdoptNewMCA in qm.ini, lower HBINT",
    ),
    "AMQ9519": Advice(
        "A channel was asked for that this queue manager does not define.",
        "DISPLAY CHANNEL({channel}*): a spelling mistake? Else DEFINE it, or correct the partner "
        "or client that asks",
    ),
    "AMQ9520": Advice(
        "The partner does not define the channel: each retry fails.",
        "At the partner: DISPLAY CHANNEL({channel}). For a cluster, the CLUSRCVR was deleted or "
        "renamed: DISPLAY CLUSQMGR(*) CHANNEL",
    ),
    "AMQ9524": Advice(
        "The partner's listener answers, but its queue manager does not run or refuses.",
        "At the partner: dspmq; DISPLAY QMSTATUS",
    ),
    "AMQ9525": Advice(
        "The partner's queue manager is ending. The channel retries.",
        "Was its end planned? The messages wait on the transmission queue until it is back",
    ),
    "AMQ9526": Advice(
        "The ends disagree about the next sequence number: the channel does not start.",
        _SEQUENCE,
    ),
    "AMQ9527": Advice("The channel could not send.", _REASON),
    "AMQ9528": Advice(
        "Somebody stopped the channel. It stays STOPPED until somebody starts it.",
        "If the work is done: START CHANNEL({channel})",
        'IBM MQ 9.1, "Stopping a channel"',
    ),
    "AMQ9533": Advice("A STOP or RESET met no running instance of the channel here.", _STATUS),
    "AMQ9540": Advice("A batch could not be committed.", _REASON),
    "AMQ9542": noise("A channel ended because its queue manager was ending."),
    "AMQ9544": Advice(
        "Arriving messages could not be put on their queue and went to the dead-letter queue.",
        f"{_DEAD_LETTERS}; browse it: each message has the reason in its header. Repair, then "
        "runmqdlq",
    ),
    "AMQ9545": noise("The channel was idle for its disconnect interval. It starts when needed."),
    "AMQ9549": Advice(
        "The transmission queue is get-inhibited: its channel stops.",
        "ALTER QLOCAL({queue}) GET(ENABLED); START CHANNEL({channel})",
    ),
    "AMQ9557": Advice(
        "The user id of a connection is not known to the queue manager's host, or not usable.",
        "Does the user exist on this host? DISPLAY CHANNEL({channel}) MCAUSER; DISPLAY AUTHREC "
        "OBJTYPE(QMGR) PRINCIPAL('user')",
    ),
    "AMQ9558": Advice(
        "The partner refuses the channel now: most often its end is STOPPED. The channel retries.",
        _REMOTE_STOPPED,
    ),
    "AMQ9703": Advice(
        "The sequence numbers of the ends differ; the channel ignores it and goes on. Usual after "
        "a switch to a copy or a redefined channel.",
        f"If it was not planned, see who talks to whom: {_STATUS}",
    ),
    "AMQ9722": Advice(
        "The queue manager permits channels without TLS.",
        "If that is not wanted: DISPLAY CHANNEL(*) WHERE(SSLCIPH EQ ' ') lists those without TLS; "
        "ALTER them with SSLCIPH",
    ),
    "AMQ9776": Advice("A user was blocked by BLOCKUSER.", _BLOCKED),
    "AMQ9777": Advice("A channel authentication rule blocked a connection.", _BLOCKED),
    "AMQ9780": Advice(
        "A channel to a remote machine ends because of an error: the reason stands beside it.",
        _REASON,
    ),
    "AMQ9788": Advice(
        "Resolving a host name was slow: starts of channels wait for it.",
        "Repair the name service of this host, or use addresses in CONNAME; REVDNS(DISABLED) if "
        "only names of clients are slow",
    ),
    "AMQ9999": Advice("A channel ended abnormally. It says so, not why.", _REASON),
}
"""Advice by id without severity letter."""

_CERTIFICATES: Final = (
    "DISPLAY CHANNEL({channel}) SSLCIPH SSLPEER CERTLABL at both ends; runmqakm -cert -list and "
    "-details show labels and dates. After a change: REFRESH SECURITY TYPE(SSL)"
)
_TLS_FAILED: Final = "TLS could not be set up for a channel: "

TLS: Final[dict[str, Advice]] = {
    **{
        f"AMQ{number}": Advice(
            f"{_TLS_FAILED}cipher, certificate or key repository. The explanation says which.",
            _CERTIFICATES,
        )
        for number in (*range(9630, 9650), 9653, 9660, 9661, 9665, 9671)
    },
    "AMQ9631": Advice(
        f"{_TLS_FAILED}the ends name different CipherSpecs.",
        "DISPLAY CHANNEL({channel}) SSLCIPH at both ends; ALTER one to match",
    ),
    "AMQ9633": Advice(f"{_TLS_FAILED}the partner's certificate is refused.", _CERTIFICATES),
    "AMQ9636": Advice(
        "The name in the partner's certificate does not match SSLPEER of the channel: refused.",
        "If the partner should connect: ALTER CHANNEL({channel}) SSLPEER('CN=...'), else find who "
        "it is. DISPLAY CHANNEL({channel}) SSLPEER CERTLABL",
    ),
    "AMQ9637": Advice(f"{_TLS_FAILED}the partner sent no certificate.", _CERTIFICATES),
    "AMQ9639": Advice(
        f"{_TLS_FAILED}the partner uses no CipherSpec.",
        "DISPLAY CHANNEL({channel}) SSLCIPH at both ends; set the same one",
    ),
    "AMQ9939": Advice(
        "A certificate will expire soon, or TLS is set up weakly.",
        _CERTIFICATES,
    ),
}
"""Advice about TLS, by id without severity letter."""
