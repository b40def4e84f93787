"""The results of calls on `Twin`, for callers that read them."""

from twin.rules.channels.switching import Switching
from twin.rules.commands.dead_letters import Handled
from twin.rules.messages.getting import Got
from twin.rules.messages.opening import Opened
from twin.rules.messages.putting import Put

__all__ = ["Got", "Handled", "Opened", "Put", "Switching"]
