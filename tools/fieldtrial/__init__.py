"""What tools/field_trial.py is made of."""
