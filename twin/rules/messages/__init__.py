"""Messages: MQOPEN, MQPUT and MQGET, and the way of messages over channels to their last queue.

A put goes through these modules, in this order: `putting` carries it out; `destinations` finds
where the name leads, by the rule of `twin.rules.path`, and has the candidate routes; `opening`
opens the queue and binds; `put_plan` divides the messages among the chosen routes
(`workload_exits`: if an exit chooses), and says why a put would fail; `capacity` finds how many fit
on their queues; `outbound` sends them; `arrival` finds what the receiver does with them, and
`inbound` does it.

`getting` takes messages off a queue. `best_routes` and `reallocation` reroute waiting messages.
"""
