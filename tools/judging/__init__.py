"""The library as the judge of the rules on DeepSpeed configurations: see tools/judge.py."""
