"""The reading agent: pagination, gists, look-up and answers. Logic only: no files, database, threads or clock."""
