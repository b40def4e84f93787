"""Replies of runmqsc: they stand in the output of commands, not in error logs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from twin.model.messages._row import MessageRow

REPLY: Final = "IBM MQ, replies to MQSC commands"
FAILED: Final = "Correct the command and run it again; nothing was done"


def _explained(row: MessageRow) -> MessageRow:
    """Return a reply with what it says: its text, unless more is known."""
    if row.means:
        return row
    said = "..." if row.roles else row.text.rstrip(".")
    return replace(
        row,
        means=f"Reply to an MQSC command: {said}.",
        do=FAILED if row.failed else "",
        page=REPLY if row.seen else "",
    )


REPLIES: Final = tuple(
    map(
        _explained,
        (
            MessageRow("AMQ8005I", "IBM MQ queue manager changed.", seen=True),
            MessageRow("AMQ8006I", "IBM MQ queue created.", seen=True),
            MessageRow("AMQ8007I", "IBM MQ queue deleted.", seen=True),
            MessageRow("AMQ8008I", "IBM MQ queue changed.", seen=True),
            MessageRow("AMQ8010I", "IBM MQ process created."),
            MessageRow("AMQ8011I", "IBM MQ process deleted."),
            MessageRow("AMQ8012I", "IBM MQ process changed."),
            MessageRow("AMQ8014I", "IBM MQ channel created.", seen=True),
            MessageRow("AMQ8015I", "IBM MQ channel deleted."),
            MessageRow("AMQ8016I", "IBM MQ channel changed.", seen=True),
            MessageRow("AMQ8018I", "Start IBM MQ channel accepted.", seen=True),
            MessageRow("AMQ8019I", "Stop IBM MQ channel accepted."),
            MessageRow("AMQ8020I", "Ping IBM MQ channel complete."),
            MessageRow("AMQ8021I", "Request to start IBM MQ listener accepted.", seen=True),
            MessageRow("AMQ8022I", "IBM MQ queue cleared.", seen=True),
            MessageRow("AMQ8023I", "IBM MQ channel reset."),
            MessageRow("AMQ8025I", "IBM MQ channel resolved."),
            MessageRow("AMQ8091I", "IBM MQ subscription deleted."),
            MessageRow("AMQ8092I", "IBM MQ subscription changed."),
            MessageRow("AMQ8094I", "IBM MQ subscription created."),
            MessageRow("AMQ8096I", "IBM MQ subscription inquired.", seen=True, of="SUB"),
            MessageRow("AMQ8099I", "IBM MQ subscription status inquired.", of="SBSTATUS"),
            MessageRow("AMQ8101S", "IBM MQ error ({code}) has occurred.", 2195),
            MessageRow("AMQ8118E", "IBM MQ queue manager does not exist.", 2058, seen=True),
            MessageRow("AMQ8135E", "Not authorized.", 2035, seen=True),
            MessageRow("AMQ8143E", "IBM MQ queue not empty.", 2055, seen=True),
            MessageRow("AMQ8145E", "Connection broken.", 2009),
            MessageRow("AMQ8146E", "IBM MQ queue manager not available.", 2059, seen=True),
            MessageRow(
                "AMQ8147E",
                "IBM MQ object {name} not found.",
                2085,
                seen=True,
                of="",
                means="Reply to an MQSC command: the object was not found.",
                do="DISPLAY it with a generic name: NAME*",
                page=REPLY,
            ),
            MessageRow("AMQ8148E", "IBM MQ object in use.", 4004, seen=True),
            MessageRow(
                "AMQ8149S",
                "IBM MQ object damaged.",
                2101,
                seen=True,
                means="Reply to an MQSC command: the object is damaged.",
                do="With linear logging: rcrmqobj restores it",
                page=REPLY,
            ),
            MessageRow("AMQ8150E", "IBM MQ object already exists.", 4001, seen=True),
            MessageRow("AMQ8151E", "IBM MQ object has different type.", 4002),
            MessageRow("AMQ8152E", "Source IBM MQ object has different type.", 4003),
            MessageRow("AMQ8156E", "IBM MQ queue manager quiescing.", 2161),
            MessageRow("AMQ8213E", "Channel {channel} has a different type.", 4041),
            MessageRow(
                "AMQ8214E",
                "CONNAME parameter required with channel types SDR, RQSTR, CLNTCONN, CLUSSDR and "
                "CLUSRCVR.",
                4061,
                seen=True,
            ),
            MessageRow("AMQ8215E", "CHLTYPE is required right after the channel name.", 3035),
            MessageRow("AMQ8226E", "IBM MQ channel already exists.", 4042),
            MessageRow("AMQ8227E", "Channel {channel} not found.", 4032, seen=True),
            MessageRow("AMQ8230E", "XMITQ is required with channel types SDR and SVR.", 4045),
            MessageRow("AMQ8242E", "SSLCIPH definition wrong.", 4092, seen=True),
            MessageRow("AMQ8243E", "SSLPEER definition wrong.", 4093),
            MessageRow("AMQ8276I", "Display Connection details.", seen=True, of="CONN"),
            MessageRow(
                "AMQ8405I",
                "Syntax error detected at or near end of command segment below:-",
                3007,
                seen=True,
            ),
            MessageRow("AMQ8407I", "Display Process details.", of="PROCESS"),
            MessageRow("AMQ8408I", "Display Queue Manager details.", seen=True, of="QMGR"),
            MessageRow("AMQ8409I", "Display Queue details.", seen=True, of="QUEUE"),
            MessageRow("AMQ8410E", "Parser Error.", 3097),
            MessageRow("AMQ8411E", "Duplicate Keyword Error.", 3018),
            MessageRow("AMQ8412E", "Numeric Range Error.", 4005),
            MessageRow("AMQ8413E", "String Length Error.", 3011),
            MessageRow("AMQ8414I", "Display Channel details.", seen=True, of="CHANNEL"),
            MessageRow("AMQ8415I", "Ping IBM MQ Queue Manager command complete."),
            MessageRow(
                "AMQ8416E", "MQSC timed out waiting for a response from the command server.", 2033
            ),
            MessageRow("AMQ8417I", "Display Channel Status details.", seen=True, of="CHSTATUS"),
            MessageRow(
                "AMQ8420I",
                "Channel Status not found.",
                3065,
                seen=True,
                of="CHSTATUS",
                means="Reply to DISPLAY CHSTATUS: none, so the channel is inactive.",
                page=REPLY,
            ),
            MessageRow("AMQ8421E", "A required keyword was not specified.", 3019),
            MessageRow("AMQ8424E", "Error detected in a name keyword.", 4008, seen=True),
            MessageRow("AMQ8425E", "Error detected in a keyword value.", 4005),
            MessageRow("AMQ8426I", "Valid MQSC commands are:", seen=True),
            MessageRow("AMQ8427I", "Valid syntax for the MQSC command:", seen=True),
            MessageRow("AMQ8431E", "Keywords {one} and {other} exclude each other.", 3095),
            MessageRow("AMQ8438E", "Only one of CLUSTER and CLUSNL may have a value.", 3088),
            MessageRow("AMQ8439E", "Only one of REPOS and REPOSNL may have a value.", 3089),
            MessageRow("AMQ8440E", "A cluster queue cannot be a transmission queue.", 3090),
            MessageRow(
                "AMQ8441I", "Display Cluster Queue Manager details.", seen=True, of="CLUSQMGR"
            ),
            MessageRow(
                "AMQ8442E", "Queue manager is not a full repository of cluster {cluster}.", 3089
            ),
            MessageRow(
                "AMQ8443E", "More than one queue manager is named {qmgr}; QMID is needed.", 3091
            ),
            MessageRow("AMQ8450I", "Display queue status details.", seen=True, of="QSTATUS"),
            MessageRow("AMQ8457I", "IBM MQ connection stopped."),
            MessageRow("AMQ8461E", "Connection identifier not found.", 3200, of="CONN"),
            MessageRow("AMQ8521I", "Command completion and history unavailable.", seen=True),
            MessageRow(
                "AMQ8549E",
                "Total string length exceeded the maximum value of 999 characters.",
                3067,
            ),
            MessageRow("AMQ8550I", "Display namelist details.", seen=True, of="NAMELIST"),
            MessageRow("AMQ8551I", "IBM MQ namelist changed.", seen=True),
            MessageRow("AMQ8552I", "IBM MQ namelist created."),
            MessageRow("AMQ8553I", "IBM MQ namelist deleted."),
            MessageRow("AMQ8554E", "String List String Count Error.", 3068),
            MessageRow("AMQ8555E", "String List String Length Error.", 3069),
            MessageRow("AMQ8556I", "RESUME QUEUE MANAGER accepted."),
            MessageRow("AMQ8557I", "SUSPEND QUEUE MANAGER accepted."),
            MessageRow("AMQ8558I", "REFRESH CLUSTER accepted."),
            MessageRow("AMQ8559I", "RESET CLUSTER accepted."),
            MessageRow("AMQ8560I", "IBM MQ security cache refreshed.", seen=True),
            MessageRow("AMQ8563I", "IBM MQ authentication information object created.", seen=True),
            MessageRow("AMQ8564I", "IBM MQ authentication information object deleted."),
            MessageRow("AMQ8565E", "Queue Status not found.", 4091),
            MessageRow("AMQ8566I", "Display authentication information details.", of="AUTHINFO"),
            MessageRow("AMQ8567I", "IBM MQ authentication information object changed."),
            MessageRow("AMQ8569E", "Error in filter specification", 3150, seen=True),
            MessageRow("AMQ8622I", "IBM MQ service changed."),
            MessageRow("AMQ8623I", "IBM MQ listener changed.", seen=True),
            MessageRow("AMQ8624I", "IBM MQ service deleted."),
            MessageRow("AMQ8625I", "IBM MQ service created.", seen=True),
            MessageRow("AMQ8626I", "IBM MQ listener created.", seen=True),
            MessageRow("AMQ8627I", "IBM MQ listener deleted."),
            MessageRow("AMQ8629I", "Display service information details.", of="SERVICE"),
            MessageRow(
                "AMQ8630I", "Display listener information details.", seen=True, of="LISTENER"
            ),
            MessageRow("AMQ8631I", "Display listener status details.", seen=True, of="LSSTATUS"),
            MessageRow("AMQ8632I", "Display service status details.", of="SVSTATUS"),
            MessageRow("AMQ8633I", "Display topic details.", of="TOPIC"),
            MessageRow("AMQ8690I", "IBM MQ topic created.", seen=True),
            MessageRow("AMQ8691I", "IBM MQ topic changed.", seen=True),
            MessageRow("AMQ8692I", "IBM MQ topic deleted."),
            MessageRow(
                "AMQ8705I", "Display Queue Manager Status Details.", seen=True, of="QMSTATUS"
            ),
            MessageRow("AMQ8706I", "Request to stop IBM MQ Listener accepted.", seen=True),
            MessageRow("AMQ8723I", "Display pub/sub status details.", of="PUBSUB"),
            MessageRow("AMQ8724I", "Refresh IBM MQ Queue Manager accepted.", seen=True),
            MessageRow("AMQ8726I", "IBM MQ topic string cleared."),
            MessageRow("AMQ8727I", "IBM MQ channel purge accepted."),
            MessageRow("AMQ8728I", "IBM MQ log set."),
            MessageRow("AMQ8729I", "Reset IBM MQ Queue Manager accepted."),
            MessageRow("AMQ8730E", "Listener already active.", 4031),
            MessageRow("AMQ8731E", "Listener not active.", 4020),
            MessageRow("AMQ8732I", "Request to stop Service accepted.", seen=True),
            MessageRow("AMQ8733I", "Request to start Service accepted.", seen=True),
            MessageRow("AMQ8737E", "Service already active.", 3251),
            MessageRow("AMQ8738E", "Service not active.", 3253),
            MessageRow("AMQ8754I", "Display topic status details.", of="TPSTATUS"),
            MessageRow("AMQ8858I", "IBM MQ comminfo created.", seen=True),
            MessageRow("AMQ8859I", "IBM MQ comminfo changed."),
            MessageRow("AMQ8860I", "IBM MQ comminfo deleted."),
            MessageRow("AMQ8861I", "Display comminfo details.", of="COMMINFO"),
            MessageRow("AMQ8862I", "IBM MQ authority record set.", seen=True),
            MessageRow("AMQ8863I", "IBM MQ authority record deleted."),
            MessageRow("AMQ8864I", "Display authority record details.", seen=True, of="AUTHREC"),
            MessageRow("AMQ8865I", "Display authority service details."),
            MessageRow("AMQ8866I", "Display entity authority details.", of="ENTAUTH"),
            MessageRow("AMQ8877I", "IBM MQ channel authentication record set.", seen=True),
            MessageRow(
                "AMQ8878I",
                "Display channel authentication record details.",
                seen=True,
                of="CHLAUTH",
            ),
            MessageRow("AMQ8882E", "Channel authentication record type not valid.", 4005),
            MessageRow("AMQ8883E", "Channel authentication record already exists.", 4001),
            MessageRow(
                "AMQ8884E",
                "Channel authentication record not found.",
                3200,
                seen=True,
                of="CHLAUTH",
            ),
            MessageRow("AMQ8932I", "Display application status details.", seen=True, of="APSTATUS"),
            MessageRow("AMQ8958E", "IBM MQ security policy {name} not found.", 2085, of="POLICY"),
            MessageRow("AMQ9086I", "Display IBM MQ security policy details.", of="POLICY"),
            MessageRow("AMQ9087I", "IBM MQ security policy deleted."),
            MessageRow("AMQ9088I", "IBM MQ security policy set."),
        ),
    )
)
"""Rows of replies."""
