"""Why the hub did not do something, in words a person can act on."""

from __future__ import annotations

from bridge.cards.words import brief
from bridge.hub.errors import BadRequest, Conflict, HubError, NotStarted
from bridge.language import tr


def hub_words(error: HubError) -> str:
    """Words for a chat: ours for what is known by its code, else the reason that the hub or the agent gave."""
    match error.code:
        case "session_inactive":
            return tr("This session has ended. Resume it first.")
        case "resume_unavailable":
            return tr("Its agent left nothing to go on from. /new starts another session in the same directory.")
        case "no_machine_online" | "machine_offline":
            return tr("The computer that runs it is off line.")
        case "control_mode_not_applicable":
            return tr("This session can be steered from everywhere at once: there is nothing to take over.")
        case "agent_unavailable":
            return tr("That agent is not installed on this computer.")
        case "outside_workspace_roots":
            return tr("That directory is not one that this computer allows.")
        case "runner_upgrade_required":
            return tr("HAPI on that computer is too old for this. Update it and start its runner again.")
    told = brief(error.detail, 300)
    if told and isinstance(error, (BadRequest, Conflict, NotStarted)):
        return tr("HAPI says: {words}", words=told)
    return error.spoken()
