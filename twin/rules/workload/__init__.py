"""The workload choice: which instance of a queue a message goes to, and why.

`gathering` makes candidates of what one queue manager believes, `filters` are the rules and
`rules` their table and orders, `choosing` applies them and `counters` does the arithmetic of turns.
`trace` says why, `counterfactuals` what would have to be otherwise, and `exits` lets a workload
exit have its say.
"""
