"""Where files come from: disk, memory, an overlay of edits. Never follows a link out of the root."""
