"""The forges: what each of them calls a comment, and the requests that write one."""
