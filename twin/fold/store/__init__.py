"""The estate in pages: written as JSON, and read back part by part when a part is first used.

- A page is one part of one queue manager (`estate.PARTS`), named `part:QMID`. The page `estate`
  lists the queue managers, with everything that belongs to no part. Two parts have a second page
  for data that a renewal leaves unchanged: `held` (the records of a repository) and `contents` (the
  records that a queue manager published).
- An estate read from pages answers every query, and folds every event, exactly as the estate that
  was written. This includes the order of lists. It also holds for repository records that are still
  unread: queries about them are answered from their page.
- Nothing is decoded before it is used. A part is decoded when it is first read; the queue records
  of a repository when something needs them (records of other kinds are read with their page).
- Pages are a cache beside the log. Any page may be dropped at any time; it is then written again
  from the log. Pages of another `pages.VERSION` are not read: raise it when their form changes.
- Only pages of parts that changed since the last snapshot are written again.
"""
