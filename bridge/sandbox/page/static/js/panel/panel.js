// Behind the stage: scenarios to start, faults to switch on, a box to try a page in, and the API calls as they happen.

import { fill, h } from "../dom.js";
import { tabList } from "../tabs.js";
import { Calls } from "./calls.js";
import { Faults } from "./faults.js";
import { Hub } from "./hub.js";
import { Scenarios } from "./scenarios.js";
import { Try } from "./try.js";

export class Panel {
  constructor(root, store) {
    this.chosen = null;
    this.toasts = h("div", { class: "toasts" });
    this.parts = {
      scenarios: { label: "Scenarios", part: new Scenarios(this.toasts) },
      faults: { label: "Faults", part: new Faults(this.toasts) },
      hub: { label: "Hub", part: new Hub() },
      try: { label: "Try", part: new Try(this.toasts, store) },
    };
    this.tabs = tabList("Behind the stage", (id) => this.choose(id));
    this.body = h("div", { class: "panel-body", role: "tabpanel", tabindex: "0" });
    this.calls = new Calls(store.presses);
    fill(root, h("h2", { class: "sr-only" }, "Backstage"), this.tabs.element, this.body, this.calls.element, this.toasts);
    store.on("change", (state) => this.draw(state));
    this.store = store;
  }

  choose(id) {
    this.chosen = id;
    this.draw(this.store.state);
  }

  draw(state) {
    const there = Object.entries(this.parts).filter(([id]) => id !== "scenarios" || state.scenarios.length);
    this.chosen ??= there[0][0];
    this.tabs.draw(there.map(([id, { label }]) => ({ id, label })), this.chosen);
    const { label, part } = this.parts[this.chosen];
    this.body.setAttribute("aria-label", label);
    if (this.body.firstChild !== part.element) fill(this.body, part.element);
    part.draw(state);
    this.calls.draw(state);
  }
}
