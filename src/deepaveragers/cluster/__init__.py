"""Work on several machines: a connection to Ray, tasks with retries, files by rename."""
