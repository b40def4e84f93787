"""The soak: `twin` is killed, starved and tampered with for minutes or hours, and counted.

`python -m tests.soak --minutes 60 --seed 1` (or `make soak MINUTES=60`) runs trials in parallel
until the time is over. A trial prepares a folder, harms `twin` there in one way, and compares the
log with what it must be. Every trial follows from the seed and its number, and runs in a process of
its own, which was forked from one that has imported everything.
"""
