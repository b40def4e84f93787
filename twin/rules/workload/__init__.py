"""The workload choice: the instance of a queue that a message goes to, and why.

`gathering` makes the candidates from the repository of one queue manager. `filters` has one
function for each rule, and `rules` their table and orders. `choosing` applies the rules, and
`counters` does the arithmetic of turns. `trace` explains a choice, `counterfactuals` finds what
would change it, and `exits` lets a workload exit decide.
"""
