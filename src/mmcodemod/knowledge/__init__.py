"""Facts about libraries: data with a version range and a source, never code paths."""
