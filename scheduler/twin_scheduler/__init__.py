"""When to ask what is due: schedulers on the machine's clock and on a virtual one."""
