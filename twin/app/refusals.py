"""The errors by which MQ refuses a call on `Twin`, for callers that catch them."""

from twin.fold.estate import NoSuchQueueManager
from twin.rules.commands.control import ControlRefused

__all__ = ["ControlRefused", "NoSuchQueueManager"]
