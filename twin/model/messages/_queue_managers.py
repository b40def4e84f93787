"""Messages about queue managers: start and end, tasks, logs, security, transmission queues."""

from __future__ import annotations

from typing import Final

from twin.model.messages._row import DOC, LOG, MessageRow

_SWITCHING: Final = 'IBM MQ 9.4, "Monitoring transmission queue switching"'
_TASK_STARTED: Final = "A task of the queue manager started."
_PUBSUB: Final = "Publish/subscribe started or ended, with the queue manager."
_REPLAY: Final = "The recovery log is read at every start."
_SWITCH: Final = "DISPLAY CHSTATUS({channel}) XMITQ; runswchl -m QM -c {channel} -q shows the rest"
QUEUE_MANAGERS: Final = (
    MessageRow(
        "AMQ5008",
        means="A process of the queue manager is gone that must run: the queue manager ends.",
        do="dspmq; read the FFST files; strmqm",
    ),
    MessageRow(
        "AMQ5022", basis=LOG, means="The channel initiator started, with the queue manager."
    ),
    MessageRow("AMQ5023", basis=LOG, means="The channel initiator ended, with the queue manager."),
    MessageRow("AMQ5024", basis=LOG, means="The command server started, with the queue manager."),
    MessageRow("AMQ5025", basis=LOG, means="The command server ended, with the queue manager."),
    MessageRow("AMQ5026", basis=LOG, means="A listener started."),
    MessageRow(
        "AMQ5027",
        basis=LOG,
        means="A listener ended. Partners and clients cannot connect to its port until it runs.",
        do="If the queue manager did not end with it: DISPLAY LSSTATUS(*) ALL; START "
        "LISTENER(name)",
    ),
    MessageRow("AMQ5037", basis=LOG, means=_TASK_STARTED),
    MessageRow("AMQ5041", basis=LOG, means="A task of the queue manager ended, usually with it."),
    MessageRow("AMQ5051", basis=LOG, means=_TASK_STARTED),
    MessageRow("AMQ5052", basis=LOG, means=_TASK_STARTED),
    MessageRow(
        "AMQ5534",
        means="User or password of an application were wrong.",
        do="Correct them in the application; the user must exist on this host or in the LDAP "
        "server",
    ),
    MessageRow(
        "AMQ5540",
        basis=LOG,
        means="An application connected without user and password, and CONNAUTH asks for them.",
        do="Give the application a user and a password. DISPLAY QMGR CONNAUTH; DISPLAY AUTHINFO(*) "
        "CHCKCLNT CHCKLOCL",
    ),
    MessageRow(
        "AMQ5541",
        basis=LOG,
        means="It names the setting of CONNAUTH by which the connection before was refused.",
        do="DISPLAY QMGR CONNAUTH; DISPLAY AUTHINFO(*) CHCKCLNT CHCKLOCL. After ALTER AUTHINFO: "
        "REFRESH SECURITY TYPE(CONNAUTH)",
    ),
    MessageRow(
        "AMQ5542",
        means="It names the setting of CONNAUTH by which the local connection before was refused.",
        do="DISPLAY QMGR CONNAUTH; DISPLAY AUTHINFO(*) CHCKCLNT CHCKLOCL. After ALTER AUTHINFO: "
        "REFRESH SECURITY TYPE(CONNAUTH)",
    ),
    MessageRow(
        "AMQ5775", basis=LOG, means="The settings of automatic configuration (ini) were applied."
    ),
    MessageRow(
        "AMQ5782",
        basis=LOG,
        means="How full the file system of the queue manager or of its log is.",
    ),
    MessageRow("AMQ5806", basis=LOG, means=_PUBSUB),
    MessageRow("AMQ5807", basis=LOG, means=_PUBSUB),
    MessageRow("AMQ5975", basis=LOG, means=_PUBSUB),
    MessageRow("AMQ5976", basis=LOG, means=_PUBSUB),
    MessageRow(
        "AMQ6183",
        basis=LOG,
        means="MQ wrote an FFST: an internal error, with a probe id.",
        do="Look for the probe id in IBM's support pages, and open a case with the FDC file if it "
        "comes again",
    ),
    MessageRow(
        "AMQ6184",
        basis=LOG,
        means="An internal error occurred on the queue manager; an FFST was written.",
        do="Read the newest AMQ*.FDC in the errors folder; open a case if it comes again",
    ),
    MessageRow(
        "AMQ6206", basis=LOG, means="A control command was issued; the explanation has its text."
    ),
    MessageRow(
        "AMQ6209",
        basis=LOG,
        means="A process of MQ received a signal and ignored it. In containers on other processors "
        "it is usual.",
        do="Nothing, unless an AMQ6183 beside it names a probe that you do not know",
    ),
    MessageRow(
        "AMQ6287", basis=LOG, means="Version, host and installation: written when a log begins."
    ),
    MessageRow(
        "AMQ6776",
        basis=LOG,
        means="The disk of the recovery log has larger sectors than the log is set up for: slow "
        "writes.",
        do="Plan a recovery log with the disk's sector size (migmqlog, or a new queue manager)",
    ),
    MessageRow(
        "AMQ7017",
        means="The recovery log is not available: the queue manager does not start.",
        do="Restore the log files of the queue manager from the last good backup",
    ),
    MessageRow(
        "AMQ7125",
        basis=LOG,
        means="The trial licence ends; the message says in how many days.",
        do="Install the licence: setmqprd LICENCEFILE",
    ),
    MessageRow("AMQ7229", basis=LOG, means=_REPLAY),
    MessageRow("AMQ7230", basis=LOG, means=_REPLAY),
    MessageRow("AMQ7231", basis=LOG, means=_REPLAY),
    MessageRow("AMQ7232", basis=LOG, means=_REPLAY),
    MessageRow("AMQ7233", basis=LOG, means=_REPLAY),
    MessageRow(
        "AMQ7340I",
        "Channel {channel} is to switch from transmission queue {queue} to {to}.",
        means="A switch of a transmission queue is due at the next start of the channel.",
    ),
    MessageRow(
        "AMQ7341I",
        "The transmission queue for channel {channel} is {queue}.",
        seen=True,
        names="channel queue",
        basis=DOC,
        means="The channel switched to its new transmission queue.",
        page=_SWITCHING,
    ),
    MessageRow(
        "AMQ7342I",
        "{count} messages of channel {channel} moved to its transmission queue.",
        inserts="channel count",
        means="The messages of a switched channel were moved.",
        page=_SWITCHING,
    ),
    MessageRow(
        "AMQ7347E",
        "Switching the transmission queue of channel {channel} failed.",
        means="The switch of a channel to its new transmission queue failed: messages stay on the "
        "old queue.",
        do=f"{_SWITCH}. Make the new queue usable (PUT(ENABLED), room), then runswchl -m QM -c "
        "{channel}",
        page=_SWITCHING,
    ),
    MessageRow(
        "AMQ7463",
        means="The recovery log is getting full.",
        do="DISPLAY QMSTATUS LOG; find old transactions: DISPLAY CONN(*) UOWLOGDA UOWLOGTI",
    ),
    MessageRow("AMQ7467", means="It names the oldest log file that a restart needs."),
    MessageRow("AMQ7468", means="It names the oldest log file that media recovery needs."),
    MessageRow(
        "AMQ7469",
        means="Transactions were rolled back to free log space.",
        do="Find the application that keeps transactions open: DISPLAY CONN(*) UOWLOGDA UOWLOGTI",
    ),
    MessageRow(
        "AMQ8001",
        comments="- - qmgr",
        names="qmgr",
        basis=LOG,
        means="A queue manager was created.",
    ),
    MessageRow(
        "AMQ8003",
        comments="version - qmgr",
        names="qmgr",
        basis=LOG,
        means="The queue manager started.",
    ),
    MessageRow(
        "AMQ8004",
        comments="- - qmgr",
        names="qmgr",
        basis=LOG,
        means="The queue manager ended.",
        do="If it was not planned: read the messages before it; strmqm {qmgr}",
    ),
    MessageRow(
        "AMQ8024I",
        "IBM MQ channel initiator started.",
        seen=True,
        basis=LOG,
        means="The channel initiator started.",
    ),
    MessageRow(
        "AMQ8048",
        basis=LOG,
        means="Default objects were created or checked, after crtmqm or strmqm -c.",
    ),
    MessageRow(
        "AMQ8077",
        means="A user lacked an authority for an object.",
        do="Grant what the message names, if it should be allowed: SET AUTHREC PROFILE({object}) "
        "OBJTYPE(type) GROUP('group') AUTHADD(authority)",
        page="seen in a public error log (9.2)",
    ),
    MessageRow("AMQ8576", basis=LOG, means="An installation was made the primary one: setmqinst."),
    MessageRow(
        "AMQ8939",
        basis=LOG,
        means="The script of automatic configuration ran; the message counts its errors.",
    ),
    MessageRow("AMQ8942", basis=LOG, means="The script of automatic configuration began."),
)
"""Rows about queue managers."""
