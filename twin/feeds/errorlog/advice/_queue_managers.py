"""Messages about queue managers: start and end, tasks, logs, security, transmission queues."""

from __future__ import annotations

from typing import Final

from twin.feeds.errorlog.advice._advice import SWITCHING, Advice, noise

_TASK_STARTED: Final = "A task of the queue manager started."
_TASK_ENDED: Final = "A task of the queue manager ended, usually with it."
_PUBSUB: Final = "Publish/subscribe started or ended, with the queue manager."
_REPLAY: Final = "The recovery log is read at every start."
_SWITCH: Final = "DISPLAY CHSTATUS({channel}) XMITQ; runswchl -m QM -c {channel} -q shows the rest"

QUEUE_MANAGERS: Final[dict[str, Advice]] = {
    "AMQ5008": Advice(
        "A process of the queue manager is gone that must run: the queue manager ends.",
        "dspmq; read the FFST files; strmqm",
    ),
    "AMQ5022": noise("The channel initiator started, with the queue manager."),
    "AMQ5023": noise("The channel initiator ended, with the queue manager."),
    "AMQ5024": noise("The command server started, with the queue manager."),
    "AMQ5025": noise("The command server ended, with the queue manager."),
    "AMQ5026": noise("A listener started."),
    "AMQ5027": Advice(
        "A listener ended. Partners and clients cannot connect to its port until it runs.",
        "If the queue manager did not end with it: DISPLAY LSSTATUS(*) ALL; START LISTENER(name)",
    ),
    "AMQ5037": noise(_TASK_STARTED),
    "AMQ5041": noise(_TASK_ENDED),
    "AMQ5051": noise(_TASK_STARTED),
    "AMQ5052": noise(_TASK_STARTED),
    "AMQ5540": Advice(
        "An application connected without user and password, and CONNAUTH asks for them.",
        "Give the application a user and a password. DISPLAY QMGR CONNAUTH; DISPLAY AUTHINFO(*) "
        "CHCKCLNT CHCKLOCL",
    ),
    "AMQ5541": Advice(
        "It names the setting of CONNAUTH by which the connection before was refused.",
        "DISPLAY QMGR CONNAUTH; DISPLAY AUTHINFO(*) CHCKCLNT CHCKLOCL. After ALTER AUTHINFO: "
        "REFRESH SECURITY TYPE(CONNAUTH)",
    ),
    "AMQ5534": Advice(
        "User or password of an application were wrong.",
        "Correct them in the application; the user must exist on this host or in the LDAP server",
    ),
    "AMQ5542": Advice(
        "It names the setting of CONNAUTH by which the local connection before was refused.",
        "DISPLAY QMGR CONNAUTH; DISPLAY AUTHINFO(*) CHCKCLNT CHCKLOCL. After ALTER AUTHINFO: "
        "REFRESH SECURITY TYPE(CONNAUTH)",
    ),
    "AMQ5775": noise("The settings of automatic configuration (ini) were applied."),
    "AMQ5782": noise("How full the file system of the queue manager or of its log is."),
    "AMQ5806": noise(_PUBSUB),
    "AMQ5807": noise(_PUBSUB),
    "AMQ5975": noise(_PUBSUB),
    "AMQ5976": noise(_PUBSUB),
    "AMQ6183": Advice(
        "MQ wrote an FFST: an internal error, with a probe id.",
        "Look for the probe id in IBM's support pages, and open a case with the FDC file if it "
        "comes again",
    ),
    "AMQ6184": Advice(
        "An internal error occurred on the queue manager; an FFST was written.",
        "Read the newest AMQ*.FDC in the errors folder; open a case if it comes again",
    ),
    "AMQ6206": noise("A control command was issued; the explanation has its text."),
    "AMQ6209": Advice(
        "A process of MQ received a signal and ignored it. In containers on other processors it "
        "is usual.",
        "Nothing, unless an AMQ6183 beside it names a probe that you do not know",
    ),
    "AMQ6287": noise("Version, host and installation: written when a log begins."),
    "AMQ6776": Advice(
        "The disk of the recovery log has larger sectors than the log is set up for: slow writes.",
        "Plan a recovery log with the disk's sector size (migmqlog, or a new queue manager)",
    ),
    "AMQ7017": Advice(
        "The recovery log is not available: the queue manager does not start.",
        "Restore the log files of the queue manager from the last good backup",
    ),
    "AMQ7125": Advice(
        "The trial licence ends; the message says in how many days.",
        "Install the licence: setmqprd LICENCEFILE",
    ),
    "AMQ7229": noise(_REPLAY),
    "AMQ7230": noise(_REPLAY),
    "AMQ7231": noise(_REPLAY),
    "AMQ7232": noise(_REPLAY),
    "AMQ7233": noise(_REPLAY),
    "AMQ7340": noise("A switch of a transmission queue is due at the next start of the channel."),
    "AMQ7341": noise("The channel switched to its new transmission queue.", SWITCHING),
    "AMQ7342": noise("The messages of a switched channel were moved.", SWITCHING),
    "AMQ7347": Advice(
        "The switch of a channel to its new transmission queue failed: messages stay on the old "
        "queue.",
        f"{_SWITCH}. Make the new queue usable (PUT(ENABLED), room), then runswchl -m QM -c "
        "{channel}",
        SWITCHING,
    ),
    "AMQ7463": Advice(
        "The recovery log is getting full.",
        "DISPLAY QMSTATUS LOG; find old transactions: DISPLAY CONN(*) UOWLOGDA UOWLOGTI",
    ),
    "AMQ7467": noise("It names the oldest log file that a restart needs."),
    "AMQ7468": noise("It names the oldest log file that media recovery needs."),
    "AMQ7469": Advice(
        "Transactions were rolled back to free log space.",
        "Find the application that keeps transactions open: DISPLAY CONN(*) UOWLOGDA UOWLOGTI",
    ),
    "AMQ8001": noise("A queue manager was created."),
    "AMQ8003": noise("The queue manager started."),
    "AMQ8004": Advice(
        "The queue manager ended.",
        "If it was not planned: read the messages before it; strmqm {qmgr}",
    ),
    "AMQ8024": noise("The channel initiator started."),
    "AMQ8048": noise("Default objects were created or checked, after crtmqm or strmqm -c."),
    "AMQ8077": Advice(
        "A user lacked an authority for an object.",
        "Grant what the message names, if it should be allowed: SET AUTHREC PROFILE({object}) "
        "OBJTYPE(type) GROUP('group') AUTHADD(authority)",
        "seen in a public error log (9.2)",
    ),
    "AMQ8576": noise("An installation was made the primary one: setmqinst."),
    "AMQ8939": noise("The script of automatic configuration ran; the message counts its errors."),
    "AMQ8942": noise("The script of automatic configuration began."),
}
"""Advice by id without severity letter."""
