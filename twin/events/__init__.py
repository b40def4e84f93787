"""What can happen, in the past tense: one module per family of events.

Each module's events are available from here, for example `twin.events.MessagesPut`.
"""

from twin.events.assumptions import *
from twin.events.base import *
from twin.events.channels import *
from twin.events.clusters import *
from twin.events.commands import *
from twin.events.messages import *
from twin.events.objects import *
from twin.events.observations import *
from twin.events.queue_managers import *
from twin.events.record import *
from twin.events.repeats import *
from twin.events.repository import *
from twin.events.restoring import *
from twin.events.subscriptions import *
