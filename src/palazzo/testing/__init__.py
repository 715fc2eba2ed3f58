"""What Palazzo's own tests and those of plugin authors share: ports and palaces with known behaviour."""
