"""Replies of commands that could not be read or carried out, with their reason codes.

Ids that begin with TWN are this twin's own; no queue manager writes them.
"""

from typing import Final

from twin.model.messages._template import Template, templates

_SEEN = (
    ("AMQ8118E", "IBM MQ queue manager does not exist.", 2058),
    ("AMQ8135E", "Not authorized.", 2035),
    ("AMQ8143E", "IBM MQ queue not empty.", 2055),
    ("AMQ8146E", "IBM MQ queue manager not available.", 2059),
    ("AMQ8147E", "IBM MQ object {0} not found.", 2085),
    ("AMQ8148E", "IBM MQ object in use.", 4004),
    ("AMQ8149S", "IBM MQ object damaged.", 2101),
    ("AMQ8150E", "IBM MQ object already exists.", 4001),
    (
        "AMQ8214E",
        "CONNAME parameter required with channel types SDR, RQSTR, CLNTCONN, CLUSSDR and CLUSRCVR.",
        4061,
    ),
    ("AMQ8227E", "Channel {0} not found.", 4032),
    ("AMQ8242E", "SSLCIPH definition wrong.", 4092),
    (
        "AMQ8405I",
        "Syntax error detected at or near end of command segment below:-",
        3007,
    ),
    ("AMQ8420I", "Channel Status not found.", 3065),
    ("AMQ8424E", "Error detected in a name keyword.", 4008),
    ("AMQ8426I", "Valid MQSC commands are:", None),
    ("AMQ8427I", "Valid syntax for the MQSC command:", None),
    ("AMQ8521I", "Command completion and history unavailable.", None),
    ("AMQ8569E", "Error in filter specification", 3150),
    ("AMQ8884E", "Channel authentication record not found.", 3200),
    ("AMQ9202E", "Remote host '{0}' not available, retry later.", 4010),
    ("AMQ9514E", "Channel '{0}' is in use.", 4031),
    ("AMQ9531E", "Transmission queue specified in channel '{1}' is not one: {0}.", 4037),
    ("AMQ9533W", "Channel '{0}' is not currently active.", 4064),
)

_REMEMBERED = (
    ("AMQ8101S", "IBM MQ error ({0}) has occurred.", 2195),
    ("AMQ8145E", "Connection broken.", 2009),
    ("AMQ8151E", "IBM MQ object has different type.", 4002),
    ("AMQ8152E", "Source IBM MQ object has different type.", 4003),
    ("AMQ8156E", "IBM MQ queue manager quiescing.", 2161),
    ("AMQ8213E", "Channel {0} has a different type.", 4041),
    ("AMQ8215E", "CHLTYPE is required first behind the channel name.", 3035),
    ("AMQ8226E", "IBM MQ channel already exists.", 4042),
    ("AMQ8230E", "XMITQ is required with channel types SDR and SVR.", 4045),
    ("AMQ8243E", "SSLPEER definition wrong.", 4093),
    ("AMQ8410E", "Parser Error.", 3097),
    ("AMQ8411E", "Duplicate Keyword Error.", 3018),
    ("AMQ8412E", "Numeric Range Error.", 4005),
    ("AMQ8413E", "String Length Error.", 3011),
    ("AMQ8416E", "MQSC timed out waiting for a response from the command server.", 2033),
    ("AMQ8421E", "A required keyword was not specified.", 3019),
    ("AMQ8425E", "Error detected in a keyword value.", 4005),
    ("AMQ8431E", "Keywords {0} and {1} exclude each other.", 3095),
    ("AMQ8438E", "Only one of CLUSTER and CLUSNL may have a value.", 3088),
    ("AMQ8439E", "Only one of REPOS and REPOSNL may have a value.", 3089),
    ("AMQ8440E", "A cluster queue cannot be a transmission queue.", 3090),
    ("AMQ8442E", "Queue manager is not a full repository of cluster {0}.", 3089),
    ("AMQ8443E", "More than one queue manager is named {0}; QMID is needed.", 3091),
    ("AMQ8461E", "Connection identifier not found.", 3200),
    ("AMQ8549E", "Total string length exceeded the maximum value of 999 characters.", 3067),
    ("AMQ8554E", "String List String Count Error.", 3068),
    ("AMQ8555E", "String List String Length Error.", 3069),
    ("AMQ8565E", "Queue Status not found.", 4091),
    ("AMQ8730E", "Listener already active.", 4031),
    ("AMQ8731E", "Listener not active.", 4020),
    ("AMQ8737E", "Service already active.", 3251),
    ("AMQ8738E", "Service not active.", 3253),
    ("AMQ8882E", "Channel authentication record type not valid.", 4005),
    ("AMQ8883E", "Channel authentication record already exists.", 4001),
    ("AMQ8958E", "IBM MQ security policy {0} not found.", 2085),
)

_OWN = (
    ("TWN0001E", "{0} is not modelled by twin; nothing was changed.", 3008),
    ("TWN0002E", "This session shows another time; it runs only DISPLAY commands.", 3008),
    ("TWN0003E", "Automatic configuration, {0}: {1}", 3008),
    ("TWN0004E", "CLCHNAME needs USAGE(XMITQ); on z/OS INDXTYPE(CORRELID), not SHARED.", 3363),
    ("TWN0005E", "The cluster transmission queue cannot be the default transmission queue.", 3269),
)

ERRORS: Final[dict[str, Template]] = {
    **templates(_REMEMBERED, seen=False),
    **templates(_SEEN, seen=True),
    **templates(_OWN, seen=False),
}
"""Id without letter -> template."""
