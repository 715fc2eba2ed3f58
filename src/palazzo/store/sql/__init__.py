"""What both engines share: the tables, the statements that ask and change them, and their laws."""
