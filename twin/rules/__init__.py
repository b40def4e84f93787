"""How IBM MQ behaves: what follows from a command, an observation, or the passing of time.

A decision works on a private copy of an estate, the `Draft` (`draft.py`). A rule reads the draft's
estate and emits events. Each event is folded into the copy at once, so the next rule sees what was
decided before. The caller appends the draft's events to the log, or drops them. No rule reads a
clock, a file or the log: the instant is the draft's `at`.

There are two entry points. `deriving.derive` derives what follows from a primary fact.
`lifecycle.play` lets time pass.

The floors, lowest first. A module imports from lower floors only (`tests/test_floors.py`):

1. `draft`, `replies`, `membership`, `version`: a decision in progress, answers, who is in which
   cluster, the version of the rules.
2. `queues`, `workload`: local and transmission queues; the cluster workload choice.
3. `channels`: channels start, run, fail, retry and stop.
4. `repository`: what queue managers publish, ask for, pass on and remove.
5. `messages`: from MQOPEN and MQPUT to the queue that a message ends on, and MQGET.
   `failing`: the channels to a queue manager that ends fail.
6. `reactions`, `consequences`, `due_timers`: which rule reacts to what; what channel changes mean
   for messages; which timer is due next.
7. `lifecycle`: everything that falls due.
8. `commands`: MQSC and control commands, observations.
9. `deriving`: each primary fact and its rule.

A rule does not call a rule of a higher floor. It reports to the draft what happened, and the table
in `reactions.py` says which rule reacts.
"""
