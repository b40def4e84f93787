"""The lifetimes of records as a Gantt chart in SVG."""

from twin.questions.picture._draw import draw

__all__ = ["draw"]
