"""The lifetimes of records as a Gantt chart in SVG."""

from twin.questions.picture._draw import BACK, READS, draw

__all__ = ["BACK", "READS", "draw"]
