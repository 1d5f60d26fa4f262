"""LibCST: confirms candidates and rewrites. Imported only when something is scanned."""
