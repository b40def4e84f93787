"""Pages for a browser: each view is one module, its URL can be pasted into a ticket."""
