"""The only room with SQL. One SQLite file holds the truth; text and vector indexes are derived tables in it."""
