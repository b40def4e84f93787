"""The results of calls on `Twin`, for callers that read them."""

from twin.rules.channels.switching import Switching
from twin.rules.commands.dead_letters import Handled
from twin.rules.messages.getting import Got
from twin.rules.messages.opening import Opened
from twin.rules.messages.putting import Put
from twin.rules.workload.choosing import Trace
from twin.rules.workload.counterfactuals import Alternative
from twin.rules.workload.routes import Route

__all__ = ["Alternative", "Got", "Handled", "Opened", "Put", "Route", "Switching", "Trace"]
