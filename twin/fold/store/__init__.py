"""The estate in pages: written as JSON, and read back part by part when a part is first used.

- A page is one part of one queue manager (`estate.PARTS`), named `part:QMID`. The page `estate`
  lists the queue managers, with everything that is no part. Two parts have a second page, for what
  a renewal leaves unchanged: `held` (the records of a repository) and `contents` (what a queue
  manager published).
- An estate read from pages answers every query, and folds every event, exactly as the estate that
  was written. This includes the order of what it lists, and repository records that are still
  unread: they are answered from their page.
- Nothing is decoded before it is used: a part when it is first read; the queues of a repository
  when something needs queue records (records of other kinds are read with their page).
- Pages are a cache beside the log. Any of them may be dropped at any time, and are then written
  again from the log. Nobody reads pages of another `pages.VERSION`: raise it when their form
  changes.
- Only pages of parts that changed since the last snapshot are written again.
"""
