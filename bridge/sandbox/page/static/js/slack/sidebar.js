// The workspace's list of places: the app with its Home, and the channels.

import { fill, h, icon } from "../dom.js";

export const HOME = "home";

/** `choose(id)` is called with a channel's id, or HOME. */
export class Sidebar {
  constructor(choose) {
    this.choose = choose;
    this.drawn = "";
    this.element = h("nav", { class: "sl-sidebar", "aria-label": "Places in Slack" });
  }

  /** `unread` maps a channel's id to how many messages are new there. */
  draw(slack, chosen, unread) {
    const wanted = JSON.stringify([slack.channels.map((each) => [each.id, each.name, each.archived]), chosen, [...unread]]);
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    const dms = slack.channels.filter((each) => each.kind === "im");
    const rooms = slack.channels.filter((each) => each.kind !== "im");
    fill(
      this.element,
      h("p", { class: "sl-team" }, slack.team.name ?? "Workspace"),
      h("h3", {}, "App"),
      h(
        "ul",
        {},
        ...dms.map((each) => this.place(each.id, "thread", slack.bot.real_name, chosen, unread.get(each.id))),
        this.place(HOME, "home", "Home", chosen),
      ),
      rooms.length > 0 && h("h3", {}, "Channels"),
      rooms.length > 0 && h("ul", {}, ...rooms.map((each) => this.place(each.id, "hash", each.archived ? `${each.name} (archived)` : each.name, chosen, unread.get(each.id)))),
    );
    if (focused) this.element.querySelector(`[data-place="${focused}"]`)?.focus();
  }

  place(id, sign, name, chosen, count = 0) {
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "sl-place", "aria-current": id === chosen ? "page" : null, data: { place: id }, on: { click: () => this.choose(id) } },
        icon(sign),
        h("span", { class: "sl-place-name" }, name),
        count > 0 && h("span", { class: "count", "aria-label": `${count} new` }, String(count)),
      ),
    );
  }
}
