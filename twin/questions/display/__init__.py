"""Every DISPLAY of MQSC, answered from what a queue manager has, knows and believes.

What is displayed is data: `_views` has one table entry per DISPLAY, with the message above each
row, the cells it begins with, its columns and the function that looks for its rows. `_asking` reads
a command against such a table, `_display` filters the rows and chooses their columns.
"""

from twin.questions.display._display import Displayed, DisplayRecord, display

__all__ = ["DisplayRecord", "Displayed", "display"]
