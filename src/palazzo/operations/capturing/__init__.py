"""What work leaves behind: tasks, flows, rounds, research, skills; and restarts that know when to stop."""
