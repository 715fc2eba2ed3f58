"""The engine on a PostgreSQL server: any number of palaces in one schema, any number of processes on each."""
