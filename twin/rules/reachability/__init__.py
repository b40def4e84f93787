"""Queue managers lose each other, and reach each other again.

The modules, lowest first:

- `reachable_again`: channels to a queue manager that ends, or over a link that is cut, fail; and
  what a queue manager that can be reached sends, and others send to it.
- `links`: links are cut and healed; ends of channels notice a silent cut.
"""
