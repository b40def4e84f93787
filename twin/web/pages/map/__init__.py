"""The map: queue managers as boxes, channels as lines, as they are or as one of them believes.

`content` makes nodes and edges from answers, `choosing` decides what is drawn and what is counted,
`rings` places boxes, `lines` leads lines around boxes, `picture` puts the four together. All five
are pure: the same answers give the same picture.
"""
