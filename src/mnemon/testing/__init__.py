"""What Mnemon's own tests and those of plugin authors share: ports and palaces with known behaviour."""
