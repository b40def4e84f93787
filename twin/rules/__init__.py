"""How IBM MQ behaves: what follows from a command, an observation, or the passing of time.

A decision works on a private copy of an estate, the `Draft` (`draft.py`). A rule reads the draft's
estate and emits events. Each event is folded into the copy at once, so the next rule sees what was
decided before. The caller appends the draft's events to the log, or drops them. No rule reads a
clock, a file or the log: the instant is the draft's `at`.

There are two entry points. `deriving.derive` derives what follows from a primary fact.
`lifecycle.play` lets time pass.

The floors, lowest first. A module imports from lower floors only (`tests/test_floors.py`):

1. `draft`: a decision in progress, and the reply to a command. `membership`: who is in
   which cluster. `standing`: channels whose status stands as it was seen. `logged`: what error logs
   say of why a channel fails. `version`: that of the rules. `written`: what an event makes a queue
   manager write to its error log.
2. `queues`, `workload`: local and transmission queues; the cluster workload choice.
3. `path`: where a message goes on from an object.
4. `channels`: channels start, run, fail, retry and stop.
5. `repository`: what queue managers publish, ask for, pass on and remove.
6. `messages`: from MQOPEN and MQPUT to the queue that a message ends on, and MQGET.
   `reachability`: channels fail as a queue manager ends or a link is cut; and what is sent once it
   can be reached again.
7. `assumptions`: what an observed partial repository is assumed to know.
8. `due_timers`: which timer is due next. `consequences`: what channel changes mean for messages,
   and calls that wait for full repositories go on.
   `repository_manager`: it goes on after an error.
9. `lifecycle`: everything that falls due.
10. `commands`: MQSC and control commands, observed definitions, records and channels.
11. `observations`: what follows from observed states and dates.
12. `deriving`: each primary fact and its rule. `reactions`: which rule reacts to what.

A rule does not call a rule of a higher floor. It reports to the draft what happened, and the table
in `reactions.py` says which rule reacts.
"""
