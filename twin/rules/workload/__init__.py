"""The workload choice: which instance of a queue a message goes to, and why.

`routes` makes the candidates from the repository of one queue manager. `filters` has one
function for each rule, and `choosing` has their table and orders, and applies them;
`counters` computes whose turn it is. `trace` explains a choice, `counterfactuals` finds changes
that would alter it, and `exits` lets a workload exit decide.
"""
