"""The lifetimes of records as a picture: a Gantt chart in SVG, to look at or put in a ticket."""

from twin.questions.picture._draw import BACK, READS, draw

__all__ = ["BACK", "READS", "draw"]
