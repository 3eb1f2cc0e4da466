// The state as the server told it, kept up to date by its events. Changed objects are replaced, never changed inside,
// so that whoever draws them sees at once which ones are new.

import { getState } from "./api.js";
import { Presses } from "./presses.js";

const CALLS = 200;
const RETRY_MS = 1500;

/**
 * `changes` is an EventTarget: "change" after each batch (at most one a frame, and none while something is pressed),
 * and each server event by its kind.
 */
export class Store {
  constructor() {
    this.state = null;
    this.connected = false;
    this.changes = new EventTarget();
    this.drawing = false;
    this.presses = new Presses();
    this.draw = () => {
      this.drawing = false;
      this.changes.dispatchEvent(new CustomEvent("change", { detail: this.state }));
    };
  }

  /** Get the state and follow the events from there on. Raises an Error where there is no server. */
  async start() {
    this.state = await getState();
    this.changed();
    this.follow();
  }

  on(kind, listener) {
    this.changes.addEventListener(kind, (event) => listener(event.detail));
  }

  follow() {
    const source = new EventSource(`/api/events?since=${this.state.seq}`);
    source.onopen = () => this.setConnected(true);
    source.onmessage = (event) => this.take(JSON.parse(event.data));
    source.onerror = () => {
      this.setConnected(false);
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(() => this.reload(source), RETRY_MS);
    };
    this.source = source;
  }

  /** Too much was missed: everything anew. */
  async reload(source) {
    source.close();
    try {
      this.state = await getState();
      this.changed();
      this.follow();
    } catch {
      setTimeout(() => this.reload(source), RETRY_MS);
    }
  }

  take(event) {
    if (event.kind === "reload") {
      this.reload(this.source);
      return;
    }
    APPLY[event.kind]?.(this.state, event);
    this.changes.dispatchEvent(new CustomEvent(event.kind, { detail: event }));
    this.changed();
  }

  setConnected(connected) {
    this.connected = connected;
    this.changed();
  }

  changed() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => this.presses.after(this.draw));
  }
}

const byId = (list, id) => list.find((each) => each.id === id);

/** The list with this object in it: in the place of the one with its key, else at the end. */
function put(list, fresh, key) {
  const index = list.findLastIndex((each) => each[key] === fresh[key]);
  return index < 0 ? [...list, fresh] : list.with(index, fresh);
}

const without = (list, gone, key) => list.filter((each) => each[key] !== gone[key]);

function merge(list, fresh) {
  const old = byId(list, fresh.id);
  return put(list, { messages: [], ...old, ...fresh }, "id");
}

function telegramMessage(state, { chat, message }) {
  const found = byId(state.telegram.chats, chat);
  if (found) found.messages = put(found.messages, message, "message_id");
}

function slackMessage(state, { channel, message }) {
  const found = byId(state.slack.channels, channel);
  if (found) found.messages = put(found.messages, message, "ts");
}

const APPLY = {
  "telegram.message": telegramMessage,
  "telegram.edit": telegramMessage,
  "telegram.delete": (state, { chat, message }) => {
    const found = byId(state.telegram.chats, chat);
    if (found) found.messages = without(found.messages, message, "message_id");
  },
  "telegram.typing": (state, { chat, typing }) => {
    const found = byId(state.telegram.chats, chat);
    if (found) found.typing = [...found.typing.filter((each) => each.thread !== typing.thread), typing];
  },
  "telegram.topic": (state, { chat }) => {
    state.telegram.chats = merge(state.telegram.chats, chat);
    const found = byId(state.telegram.chats, chat.id);
    const there = new Set(found.topics.map((each) => each.id));
    found.messages = found.messages.filter(
      (each) => each.message_thread_id === undefined || there.has(each.message_thread_id),
    );
  },
  "slack.message": slackMessage,
  "slack.edit": slackMessage,
  "slack.reaction": slackMessage,
  "slack.delete": (state, { channel, message }) => {
    const found = byId(state.slack.channels, channel);
    if (found) found.messages = without(found.messages, message, "ts");
  },
  "slack.channel": (state, { channel }) => {
    state.slack.channels = merge(state.slack.channels, channel);
  },
  "slack.view": (state, { views }) => {
    state.slack.views = views;
  },
  "slack.home": (state, { home }) => {
    state.slack.home = home;
  },
  "slack.status": (state, { channel, thread_ts, text, until }) => {
    const found = byId(state.slack.channels, channel);
    if (found) found.status = { ...found.status, [thread_ts]: { text, until } };
  },
  "slack.session": (state, { sessions }) => {
    state.slack.sessions = sessions;
  },
  call: (state, { call, limits }) => {
    state.calls = [...state.calls, call].slice(-CALLS);
    state.limits = { ...state.limits, [call.platform]: limits };
  },
  hub: (state, { hub }) => {
    state.hub = hub;
  },
  fault: (state, { faults }) => {
    state.faults = faults;
  },
  scenario: (state, { scenarios }) => {
    state.scenarios = scenarios;
  },
  bridge: (state, { bridge }) => {
    state.bridge = bridge;
  },
};
