// The hub's own list of its sessions, to be held against what the chats show.

import { fill, h } from "../dom.js";
import { KeyedList } from "../lists.js";

export class Hub {
  constructor() {
    this.words = h("p", { class: "panel-words" });
    this.trouble = h("p", { class: "hub-trouble", role: "status" });
    this.list = h("ul", { class: "hub-sessions", "aria-label": "Sessions of the hub" });
    this.element = h("div", {}, this.words, this.trouble, this.list);
    this.keyed = new KeyedList(this.list, (each) => each.id, row);
  }

  draw({ hub }) {
    fill(this.words, told(hub.sessions), h("code", {}, hub.url || "a hub of yours, which your bridge knows"));
    fill(this.trouble, hub.trouble ?? "");
    this.keyed.draw(hub.sessions ?? []);
  }
}

function told(sessions) {
  if (!sessions) return "Nothing is known of the sessions of ";
  const active = sessions.filter((each) => each.active).length;
  return `${active} of ${sessions.length} sessions active on `;
}

function row(session) {
  const state = session.pending ? `waits for ${session.pending === 1 ? "a decision" : `${session.pending} decisions`}` : session.thinking ? "works" : session.active ? "ready" : "ended";
  return h("li", { class: session.active ? "hub-session" : "hub-session over" }, h("strong", {}, session.title), h("span", {}, [session.flavor, state].filter(Boolean).join(" · ")));
}
