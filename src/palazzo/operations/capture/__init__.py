"""What is done on the machine, and what work leaves behind."""
