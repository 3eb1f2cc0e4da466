"""The stage: a sandbox hub (or a hub of the visitor's own), both sandbox chats, the bridge as a process between them.

`stage.py` builds it, `child.py` keeps the bridge running, `actors.py` plays scenarios, `switches.py` breaks things. The
page (`bridge/sandbox/page`) shows it; `terminal.py` draws what one phone would show.
"""
