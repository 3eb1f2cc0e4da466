"""The hub side: sign-in, REST calls, the event stream, session patches and the message window.

Facts about the hub come from HAPI's public client contract; everything that needs no network (``patches``, ``window``,
``rows``, ``tail``, ``flavors``) is pure and can be read and tested alone.
"""
