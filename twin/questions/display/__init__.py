"""Every DISPLAY of MQSC, answered from one queue manager: its definitions, state and records.

Each DISPLAY is one entry in the table `VIEWS`: the message above each row, the first cells, the
columns, and the function that finds the rows. `_asking` reads a command against its entry,
`_display` filters the rows and chooses their columns.
"""

from twin.questions.display._definitions import object_dates
from twin.questions.display._depths import Depths
from twin.questions.display._display import Displayed, DisplayRecord, display
from twin.questions.display._queue_manager import own_values
from twin.questions.display._unobserved import Unobserved

__all__ = [
    "Depths",
    "DisplayRecord",
    "Displayed",
    "Unobserved",
    "display",
    "object_dates",
    "own_values",
]
