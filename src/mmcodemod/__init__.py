"""Static analysis and codemods for multimodal training repositories. Imports nothing on purpose."""
