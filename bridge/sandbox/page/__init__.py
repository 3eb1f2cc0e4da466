"""The sandbox's page: both chats as they stand, drawn from the sandbox servers' state, and hands for the visitor.

This is the contract between the server (the modules here) and the page (``static/``). JSON everywhere.

**Coming in.** The printed address is ``http://127.0.0.1:PORT/?key=KEY``. It answers with the page and a cookie
(HttpOnly, SameSite=Strict) that every later call must bring; fetch and EventSource send it by themselves. The page then
takes the key out of its address (``history.replaceState``). Static files are at ``/static/…``, ``index.html`` is ``/``.
Scripts, styles and fetches come from the page's own origin alone; there are no inline scripts, no inline styles, no
``style=`` attributes in markup (setting ``element.style.x`` from a script is fine). Pictures may also be ``blob:`` or
``data:``. A POST has ``Content-Type: application/json``. Every refusal is 4xx with ``{"error": words}``; a POST that is
taken answers 200 with ``{"ok": true, …}``.

**``GET /api/state``**::

    {"seq": n, "mode": "demo" | "sandbox",
     "telegram": {"bot": User, "me": User, "chats": [Chat]},
     "slack": {"team": {"id","name"}, "bot": User, "me": User, "users": [User], "channels": [Channel],
               "views": [View], "home": View | null, "sessions": [Session], "commands": ["/hapi", …],
               "shortcuts": [{"name","type": "message" | "global","callback_id"}]},
     "calls": [Call], "limits": {"telegram": [Limit], "slack": [Limit]},
     "hub": {"url", "sessions": [{"id","title","active","thinking","flavor","pending": n}] | null,
             "trouble": words},
     "faults": {name: Fault}, "scenarios": [{"name","title","words","playing": bool}],
     "bridge": {"state": "starting" | "running" | "dead" | "outside", "pid": n | null, "restarts": n}}

``hub.sessions`` is null where nothing is known of them: the visitor runs the bridge, or the hub did not answer yet;
``hub.trouble`` says why one does not. ``bridge.state`` "outside": the visitor runs it.

- Telegram ``Chat``: ``{"id","title","type","has_topics","topics": [{"id","name","closed"}],"pinned": [ids],
  "typing": [{"thread","at"}],"commands": [{"command","description"}],"messages": [Message]}``. ``Message`` is the Bot
  API's JSON (topics in ``message_thread_id``, service messages included) with ``_deleted``, ``_silent`` (did not ring),
  ``_reactions {emoji: [names]}``, ``_edits n``, ``_from_bot``. Deleted messages are left out of the state. Files by
  their ``file_id``. ``typing`` has what is not older than 6 s; ``at`` is in seconds since the epoch.
- Slack ``Channel``: ``{"id","name","kind": "im"|"public"|"private","archived","topic","pinned": [ts],
  "status": {thread_ts: {"text","until"}},"messages": [Message]}``; ``until`` is when Slack takes the line away by
  itself (seconds since the epoch). ``Message`` is Slack's JSON (``blocks``, ``attachments``,
  ``files``, ``metadata``, ``thread_ts``, ``reply_count``, ``edited``, ``reactions``) with ``_ephemeral_to`` (user id or
  null), ``_streaming`` bool, ``_stream`` ("" | streaming | stopped | stopped_by_user | expired), ``_plan`` (title of a
  streamed plan), ``_tasks [{"id","title","status","details","output"}]``, ``_edits n``, ``_from_bot``, ``_deleted``.
  A streamed message's Markdown is its ``text`` while it has no blocks; once chat.update has replaced it, it is a
  message as any other. Replies stand in ``messages``, too; deleted
  messages do not.
- Slack ``View``: Slack's view JSON (``id``, ``type``, ``title``, ``submit``, ``close``, ``blocks``, ``state``) with
  ``_errors {block_id: words}``. ``views`` is the stack of open modals, the one on top last.
- Slack ``Session``: ``{"channel","thread_ts","status","title","stoppable": bool}``.
- ``Call``: ``{"seq","platform","at","method","code","description","fault","params"}``; ``code`` 0 is a dropped
  connection, ``fault`` names the ordered fault that hit it, ``params`` is shortened. The last 200.
- ``Limit``: ``{"name","used","of","window_s","at"}``: how full a rate is; it drains within ``window_s``.
- ``Fault``: ``{"on": bool,"title","words","once": bool}``; ``once`` ones act when switched on and end by themselves.
  Their names: ``flood``, ``lost-answers``, ``hub-restart``, ``duplicate-events``, ``slow-network``, ``deleted-topic``,
  ``expired-stream``, ``kill-bridge``. A fault that can't be had (the hub's, with a hub of the visitor's own) is absent.

**``GET /api/events?since=SEQ``**, server-sent events. ``id`` is the event's number; a ``Last-Event-ID`` wins over
``since``. Each ``data`` is ``{"kind", "seq", …}``; objects have the shape they have in the state:

    telegram.message, .edit, .delete    {"chat": id, "message": Message}     reactions come as .edit
    telegram.typing                     {"chat": id, "typing": {"thread","at"}}
    telegram.answer                     {"chat": id, "message": id, "button", "text", "alert": bool}
    telegram.topic                      {"chat": Chat without messages}      messages of a topic that is gone are gone
    slack.message, .edit, .delete, .reaction   {"channel": id, "message": Message}
    slack.channel                       {"channel": Channel without messages}
    slack.view                          {"views": [View]}
    slack.home                          {"home": View | null}
    slack.status                        {"channel": id, "thread_ts", "text", "until"}
    slack.session                       {"sessions": [Session]}
    slack.answer                        {"words"}   what Slack itself tells the person: the app did not respond
    call                                {"call": Call, "limits": [Limit of its platform]}
    hub, fault, scenario, bridge        {"hub": …} {"faults": …} {"scenarios": …} {"bridge": …}, whole
    reload                              {}  too much was missed: get the state again

**What the visitor does**, all POST; ``file`` is ``{"name","data": base64,"mime"?}``:

    /api/telegram/say           {chat, text, thread?, reply_to?, file?}     → {"message": Message}
    /api/telegram/press         {chat, message, data}                       the answer comes as telegram.answer
    /api/telegram/edit          {chat, message, text}
    /api/telegram/react         {chat, message, emoji}                      "" takes it back
    /api/telegram/topic/delete  {chat, topic}
    /api/slack/say              {channel, text, thread_ts?, file?}          → {"message": Message}
    /api/slack/press            {channel, message_ts, action_id, block_id, value?, selected_options?}
                                or {view_id, action_id, …}: a button (neither), or a choice: an option's value, a
                                date, a user's id as value; several options' values as selected_options
    /api/slack/edit             {channel, ts, text}
    /api/slack/delete           {channel, ts}
    /api/slack/react            {channel, ts, name, on?: bool}
    /api/slack/command          {command, text, channel}
    /api/slack/view/submit      {view_id, state: {block_id: {action_id: text | value | [values] | null}}}
    /api/slack/view/close       {view_id}
    /api/slack/home/open        {}
    /api/slack/shortcut         {callback_id, channel?, message_ts?}
    /api/slack/stop             {channel, thread_ts}                        Slack's own Stop of an agent session
    /api/fault                  {name, on}
    /api/scenario/play          {name}
    /api/render                 {text}   → {"telegram": [Message], "slack": [Message]}: Markdown, or the JSON of the
                                hub's messages endpoint, as both servers would hold what the bridge makes of it

**``GET /api/file/telegram/<file_id>``, ``/api/file/slack/<id>``**: the bytes. Pictures come as pictures, everything
else as an attachment, whatever it says it is.
"""
