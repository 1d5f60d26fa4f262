"""The version that reports and `--version` show (a constant: asking the package metadata takes 40 ms)."""

VERSION = "0.1.0"
