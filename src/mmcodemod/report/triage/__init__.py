"""What `mmcodemod triage` prints."""
