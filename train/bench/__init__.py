"""``nap bench``: our speed beside the machine's limit and the peers that are installed, in one run.

Read `measure` first: a `Case` is one thing that is measured, and all of them take turns in rounds, so that
a busy moment of the machine falls on everybody. `ours`, `peers` and `learning` list the cases, `claims`
says what is concluded from them, `report` shows it, `session` is the command.
"""
