"""Messages about channels, their partners and their batches; and about TLS."""

from __future__ import annotations

from typing import Final

from twin.model.messages._row import LOG, OLD_TEXTS, MessageRow

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
_REFUSED: Final = ("111", "79", "10061", "1128")
"""ECONNREFUSED on Linux, AIX, Windows and z/OS."""

_TIMED_OUT: Final = ("110", "78", "10060", "1127")
"""ETIMEDOUT on the same."""

_NOBODY_LISTENS: Final = (
    "The partner's host refused the connection: nobody listens on that port. The channel retries.",
    (
        "At the partner: DISPLAY LSSTATUS(*), and START LISTENER(name) if none runs on the port in "
        "CONNAME. Here: DISPLAY CHSTATUS({channel}) CONNAME"
    ),
)
_NO_ANSWER: Final = (
    (
        "The partner's host did not answer: it is down, or a firewall drops what is sent. The "
        "channel retries."
    ),
    (
        "See from here whether host and port in CONNAME can be reached: DISPLAY "
        "CHSTATUS({channel}) CONNAME"
    ),
)
_DEAD_LETTERS: Final = "DISPLAY QMGR DEADQ; DISPLAY QSTATUS(*) WHERE(CURDEPTH GT 0)"
_BROWSE: Final = "browse it: each message has the reason in its header. Repair, then runmqdlq"
_IN_DOUBT: Final = (
    "DISPLAY CHSTATUS({channel}) SAVED CURLUWID LSTLUWID INDOUBT at both ends. Let a restart do it "
    "if the partner can still be reached. Else, if the sender's CURLUWID equals the receiver's "
    "LSTLUWID: RESOLVE CHANNEL({channel}) ACTION(COMMIT); if LSTLUWID is equal at both ends: "
    "ACTION(BACKOUT)"
)
_SEQUENCE: Final = (
    "Compare DISPLAY CHSTATUS({channel}) CURSEQNO INDOUBT at both ends. If nothing is in doubt: "
    "RESET CHANNEL({channel}) SEQNUM(1) at the sender"
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
CHANNELS: Final = (
    MessageRow(
        "AMQ9001I",
        "Channel '{channel}' ended normally.",
        seen=True,
        comments="channel process host",
        names="channel host",
        basis=LOG,
        means="A channel ended in the usual way: stopped, disconnected, or client gone.",
    ),
    MessageRow(
        "AMQ9002I",
        "Channel '{channel}' is starting.",
        seen=True,
        comments="channel",
        basis=LOG,
        means="A channel program started. It is logged at every retry: not yet RUNNING.",
    ),
    # The partner closed the connection, or nobody listens: the retry follows.
    MessageRow(
        "AMQ9202E",
        "Remote host '{host}' not available, retry later.",
        4010,
        inserts="host channel",
        seen=True,
        comments="host protocol channel",
        arith="code",
        names="host",
        basis=LOG,
        means="The partner's host did not answer, or nobody listens on its port. The channel "
        "retries.",
        do=_PARTNER,
        page='IBM MQ 9.1, "Long retry interval"',
        cases=dict.fromkeys(_REFUSED, _NOBODY_LISTENS) | dict.fromkeys(_TIMED_OUT, _NO_ANSWER),
    ),
    MessageRow(
        "AMQ9203", means="The host name of the partner's CONNAME cannot be resolved.", do=_PARTNER
    ),
    MessageRow(
        "AMQ9206",
        comments="host protocol call",
        arith="code",
        names="",
        basis=LOG,
        means="Sending to the partner failed: the network or the partner closed the connection.",
        do=_PARTNER,
    ),
    MessageRow(
        "AMQ9208E",
        "Error on receive from host '{host}'.",
        inserts="host channel",
        comments="host protocol call",
        arith="code",
        names="",
        basis=LOG,
        means="Receiving from the partner failed: the network, a firewall or the partner closed "
        "the connection. Of a client connection it is seldom more than an application that ended.",
        do=_PARTNER,
    ),
    MessageRow(
        "AMQ9209E",
        "Connection to host '{host}' for channel '{channel}' closed.",
        seen=True,
        comments="host - channel",
        names="host channel",
        basis=LOG,
        means="The partner closed the connection. Of a client connection it is seldom more than an "
        "application that ended without MQDISC.",
        do=_PARTNER,
    ),
    MessageRow(
        "AMQ9213", comments="call", means="A call of the network failed at this host.", do=_PARTNER
    ),
    # 9.1 log: host, protocol, call; no channel. It stands before AMQ9999 of the same thread.
    MessageRow(
        "AMQ9259E",
        "Connection timed out from host '{host}'.",
        inserts="host channel",
        comments="host protocol call",
        names="host",
        basis=LOG,
        means="The partner was silent for longer than the heartbeat allows: a hanging partner, or "
        "a firewall that drops idle connections.",
        do=f"{_PARTNER}. Set HBINT lower than the firewall's timeout",
    ),
    # Only seen in 8.0, without inserts; the explanation has the address of the partner.
    MessageRow(
        "AMQ9271E",
        "Channel '{channel}' timed out.",
        names="channel",
        basis=LOG,
        means="The channel ended: its partner did not answer in time.",
        do=_PARTNER,
    ),
    MessageRow(
        "AMQ9487", means="The limit of instances of a server-connection was reached.", do=_INSTANCES
    ),
    MessageRow(
        "AMQ9488", means="The limit of instances of a server-connection was reached.", do=_INSTANCES
    ),
    MessageRow(
        "AMQ9489",
        means="The channel reached MAXINST, its limit of instances: further clients are refused.",
        do=_INSTANCES,
        page=_LIMIT,
    ),
    MessageRow(
        "AMQ9490",
        comments="channel address",
        names="channel",
        basis=LOG,
        means="The channel reached MAXINSTC, its limit of instances for one client: that client is "
        "refused.",
        do=_INSTANCES,
        page=_LIMIT,
    ),
    MessageRow(
        "AMQ9492E",
        "TCP/IP responder program error.",
        means="The program that answers incoming connections failed.",
        do="Look at the messages just before it; DISPLAY LSSTATUS(*) ALL",
    ),
    MessageRow(
        "AMQ9496W",
        "Channel '{channel}' ended by a remote exit.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="An exit of the partner ended the channel.",
        do=_REASON,
    ),
    MessageRow(
        "AMQ9503E",
        "Channel negotiation failed, channel '{channel}'.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The two ends could not agree: the partner has another channel type of this name, or "
        "refuses it.",
        do="DISPLAY CHANNEL({channel}) CHLTYPE at both ends. Read the partner's error log of that "
        "second",
    ),
    MessageRow(
        "AMQ9504E",
        "A protocol error was detected for channel '{channel}'.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The partner sent what no queue manager sends: often no MQ program at that port.",
        do=_PARTNER,
    ),
    MessageRow(
        "AMQ9506E",
        "Message receipt confirmation failed, channel '{channel}'.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The partner did not confirm a batch: the batch is in doubt or is sent again.",
        do=_IN_DOUBT,
    ),
    MessageRow(
        "AMQ9507E",
        "Channel '{channel}' is currently in-doubt.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The channel is in doubt about its last batch.",
        do=_IN_DOUBT,
    ),
    MessageRow(
        "AMQ9508E",
        "Cannot connect to queue manager '{qmgr}', reason {reason}.",
        seen=True,
        names="qmgr",
        basis=OLD_TEXTS,
        means="A channel program could not connect to the queue manager.",
        do="DISPLAY QMSTATUS STATUS; the reason code is in the message",
    ),
    MessageRow(
        "AMQ9509E",
        "Cannot open object '{object}' on queue manager '{qmgr}', reason {reason}.",
        seen=True,
        names="object qmgr",
        basis=OLD_TEXTS,
        means="A channel program could not open an object.",
        do="Is {object} defined? DISPLAY QUEUE({object}) ALL. The reason code is in the message",
    ),
    MessageRow(
        "AMQ9510E",
        "Cannot get messages from queue '{queue}', reason {reason}.",
        seen=True,
        names="queue qmgr",
        basis=OLD_TEXTS,
        means="A channel program could not get from its transmission queue.",
        do="DISPLAY QLOCAL({queue}) GET USAGE; ALTER QLOCAL({queue}) GET(ENABLED)",
    ),
    MessageRow(
        "AMQ9511E",
        "Cannot put messages to queue '{queue}', reason {reason}.",
        seen=True,
        names="queue qmgr",
        basis=OLD_TEXTS,
        means="A channel program could not put to a queue: full, put-inhibited, or wrong usage.",
        do="DISPLAY QLOCAL({queue}) PUT CURDEPTH MAXDEPTH USAGE; make room or ALTER "
        "QLOCAL({queue}) PUT(ENABLED)",
    ),
    MessageRow(
        "AMQ9513",
        means="MaxChannels is reached: no further channel starts.",
        do="DISPLAY CHSTATUS(*) CONNAME shows who holds them. Raise MaxChannels in stanza Channels "
        "of qm.ini and restart",
        page="IBM MQ, qm.ini, stanza Channels",
    ),
    MessageRow(
        "AMQ9514E",
        "Channel '{channel}' is in use.",
        4031,
        seen=True,
        comments="channel",
        basis=LOG,
        means="The partner started the channel while its old instance still looks alive here. It "
        "goes away when the old one times out.",
        do="DISPLAY CHSTATUS({channel}) ALL INDOUBT; if nothing is in doubt, STOP "
        "CHANNEL({channel}) MODE(FORCE), START it. To avoid it: AdoptNewMCA in qm.ini, lower HBINT",
    ),
    # Only seen in 9.0, without inserts.
    MessageRow(
        "AMQ9519E",
        "Channel '{channel}' not found.",
        seen=True,
        names="channel",
        basis=LOG,
        means="A channel was asked for that this queue manager does not define.",
        do="DISPLAY CHANNEL({channel}*): a spelling mistake? Else DEFINE it, or correct the "
        "partner or client that asks",
    ),
    MessageRow(
        "AMQ9520E",
        "Channel '{channel}' not defined remotely.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The partner does not define the channel: each retry fails.",
        do="At the partner: DISPLAY CHANNEL({channel}). For a cluster, the CLUSRCVR was deleted or "
        "renamed: DISPLAY CLUSQMGR(*) CHANNEL",
    ),
    MessageRow(
        "AMQ9524E",
        "Remote queue manager unavailable for channel '{channel}'.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The partner's listener answers, but its queue manager does not run or refuses.",
        do="At the partner: dspmq; DISPLAY QMSTATUS",
    ),
    MessageRow(
        "AMQ9525",
        comments="channel host qmgr",
        names="channel",
        basis=LOG,
        means="The partner's queue manager is ending. The channel retries.",
        do="Was its end planned? The messages wait on the transmission queue until it is back",
    ),
    MessageRow(
        "AMQ9526E",
        "Message sequence number error for channel '{channel}'.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The ends disagree about the next sequence number: the channel does not start.",
        do=_SEQUENCE,
    ),
    MessageRow(
        "AMQ9527E",
        "Cannot send message through channel '{channel}'.",
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="The channel could not send.",
        do=_REASON,
    ),
    # The letter is W in the 9.1 log.
    MessageRow(
        "AMQ9528I",
        "User requested channel '{channel}' to be stopped.",
        seen=True,
        comments="channel",
        basis=LOG,
        means="Somebody stopped the channel. It stays STOPPED until somebody starts it.",
        do="If the work is done: START CHANNEL({channel})",
        page='IBM MQ 9.1, "Stopping a channel"',
    ),
    MessageRow(
        "AMQ9531E",
        "Transmission queue specified in channel '{channel}' is not one: {queue}.",
        4037,
        inserts="queue channel",
        seen=True,
    ),
    MessageRow(
        "AMQ9533W",
        "Channel '{channel}' is not currently active.",
        4064,
        seen=True,
        names="channel",
        basis=OLD_TEXTS,
        means="A STOP or RESET met no running instance of the channel here.",
        do=_STATUS,
    ),
    MessageRow(
        "AMQ9540E",
        "Commit failed, reason {reason}.",
        basis=OLD_TEXTS,
        means="A batch could not be committed.",
        do=_REASON,
    ),
    MessageRow(
        "AMQ9542W",
        "Queue manager is ending.",
        seen=True,
        comments="channel",
        names="",
        basis=LOG,
        means="A channel ended because its queue manager was ending.",
    ),
    MessageRow(
        "AMQ9544W",
        "Messages not put to destination queue, channel '{channel}'.",
        seen=True,
        comments="channel process",
        arith="location",
        names="channel",
        basis=LOG,
        means="Arriving messages could not be put on their queue and went to the dead-letter "
        "queue, of this queue manager or of the partner.",
        do=f"At both ends of the channel: {_DEAD_LETTERS}; {_BROWSE}",
        cases={
            "1": (
                (
                    "Arriving messages could not be put on their queue and went to the dead-letter "
                    "queue of this queue manager."
                ),
                f"{_DEAD_LETTERS}; {_BROWSE}",
            ),
            "2": (
                (
                    "The partner could not put messages that this channel brought: they went to "
                    "the dead-letter queue there."
                ),
                f"At the partner of channel {{channel}}, not here: {_DEAD_LETTERS}; {_BROWSE}",
            ),
        },
    ),
    MessageRow(
        "AMQ9545I",
        "Disconnect interval expired, channel '{channel}'.",
        seen=True,
        comments="channel",
        names="",
        basis=LOG,
        means="The channel was idle for its disconnect interval. It starts when needed.",
    ),
    MessageRow(
        "AMQ9549E",
        "Transmission queue '{queue}' inhibited for MQGET.",
        seen=True,
        names="queue",
        basis=OLD_TEXTS,
        means="The transmission queue is get-inhibited: its channel stops.",
        do="ALTER QLOCAL({queue}) GET(ENABLED); START CHANNEL({channel})",
    ),
    MessageRow(
        "AMQ9557",
        basis=LOG,
        means="The user id of a connection is not known to the queue manager's host, or not "
        "usable.",
        do="Does the user exist on this host? DISPLAY CHANNEL({channel}) MCAUSER; DISPLAY AUTHREC "
        "OBJTYPE(QMGR) PRINCIPAL('user')",
    ),
    MessageRow(
        "AMQ9558E",
        "The remote channel '{channel}' is not currently available.",
        seen=True,
        comments="channel host",
        basis=LOG,
        means="The partner refuses the channel now: most often its end is STOPPED. The channel "
        "retries.",
        do=_REMOTE_STOPPED,
    ),
    MessageRow(
        "AMQ9703",
        comments="channel host",
        arith="sent expected",
        names="channel",
        basis=LOG,
        means="The sequence numbers of the ends differ; the channel ignores it and goes on. Usual "
        "after a switch to a copy or a redefined channel.",
        do=f"If it was not planned, see who talks to whom: {_STATUS}",
    ),
    MessageRow(
        "AMQ9722",
        basis=LOG,
        means="The queue manager permits channels without TLS.",
        do="If that is not wanted: DISPLAY CHANNEL(*) WHERE(SSLCIPH EQ ' ') lists those without "
        "TLS; ALTER them with SSLCIPH",
    ),
    MessageRow(
        "AMQ9776E",
        "Channel '{channel}' blocked by user id.",
        means="A user was blocked by BLOCKUSER.",
        do=_BLOCKED,
    ),
    MessageRow(
        "AMQ9777E",
        "Channel '{channel}' was blocked.",
        means="A channel authentication rule blocked a connection.",
        do=_BLOCKED,
    ),
    MessageRow(
        "AMQ9780E",
        "Channel '{channel}' to a remote machine is ending.",
        basis=LOG,
        means="A channel to a remote machine ends because of an error: the reason stands beside "
        "it.",
        do=_REASON,
    ),
    MessageRow(
        "AMQ9788",
        basis=LOG,
        means="Resolving a host name was slow: starts of channels wait for it.",
        do="Repair the name service of this host, or use addresses in CONNAME; REVDNS(DISABLED) if "
        "only names of clients are slow",
    ),
    MessageRow(
        "AMQ9999E",
        "Channel '{channel}' ended abnormally.",
        seen=True,
        comments="channel process host",
        names="channel host",
        basis=LOG,
        means="A channel ended abnormally. It says so, not why.",
        do=_REASON,
    ),
)
"""Rows about channels."""

_CERTIFICATES: Final = (
    "DISPLAY CHANNEL({channel}) SSLCIPH SSLPEER CERTLABL at both ends; runmqakm -cert -list and "
    "-details show labels and dates. After a change: REFRESH SECURITY TYPE(SSL)"
)
_TLS_FAILED: Final = "TLS could not be set up for a channel: "
TLS: Final = (
    *(
        MessageRow(
            f"AMQ{number}",
            means=f"{_TLS_FAILED}cipher, certificate or key repository. The explanation says "
            "which.",
            do=_CERTIFICATES,
        )
        for number in (*range(9630, 9650), 9653, 9660, 9661, 9665, 9671)
    ),
    MessageRow(
        "AMQ9631",
        means=f"{_TLS_FAILED}the ends name different CipherSpecs.",
        do="DISPLAY CHANNEL({channel}) SSLCIPH at both ends; ALTER one to match",
    ),
    MessageRow(
        "AMQ9633", means=f"{_TLS_FAILED}the partner's certificate is refused.", do=_CERTIFICATES
    ),
    MessageRow(
        "AMQ9636",
        comments="channel dn host",
        names="channel",
        basis=LOG,
        means="The name in the partner's certificate does not match SSLPEER of the channel: "
        "refused.",
        do="If the partner should connect: ALTER CHANNEL({channel}) SSLPEER('CN=...'), else find "
        "who it is. DISPLAY CHANNEL({channel}) SSLPEER CERTLABL",
    ),
    MessageRow("AMQ9637", means=f"{_TLS_FAILED}the partner sent no certificate.", do=_CERTIFICATES),
    MessageRow(
        "AMQ9639",
        means=f"{_TLS_FAILED}the partner uses no CipherSpec.",
        do="DISPLAY CHANNEL({channel}) SSLCIPH at both ends; set the same one",
    ),
    MessageRow(
        "AMQ9939",
        means="A certificate will expire soon, or TLS is set up weakly.",
        do=_CERTIFICATES,
    ),
)
"""Rows about TLS; a later row of an id replaces an earlier one."""
