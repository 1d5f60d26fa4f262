"""What drives the rules: registry, configuration, suppressions, writing of fixes."""
