// What can go wrong, to be switched on.

import { post } from "../api.js";
import { h } from "../dom.js";
import { swap } from "../lists.js";
import { attempt } from "../toasts.js";

export class Faults {
  constructor(toasts) {
    this.toasts = toasts;
    this.list = h("ul", { class: "faults" });
    this.element = h("div", {}, h("p", { class: "panel-words" }, "Break it while it works: nothing may get lost, and nothing may come twice."), this.list);
    this.drawn = new Map();
  }

  draw(state) {
    const names = Object.keys(state.faults);
    for (const [name, { element }] of this.drawn) if (!names.includes(name)) element.remove();
    for (const name of names) {
      const wanted = JSON.stringify(state.faults[name]);
      const before = this.drawn.get(name);
      if (before?.wanted === wanted) continue;
      const element = this.row(name, state.faults[name]);
      if (before) swap(before.element, element);
      else this.list.append(element);
      this.drawn.set(name, { wanted, element });
    }
  }

  row(name, fault) {
    const set = () => attempt(this.toasts, () => post("/api/fault", { name, on: !fault.on }));
    const words = h("div", {}, h("strong", { id: `fault-${name}` }, fault.title ?? name), fault.words && h("p", {}, fault.words));
    const control = fault.once
      ? h("button", { type: "button", class: "button", "aria-label": `${fault.title ?? name}: do it now`, disabled: fault.on, data: { focus: name, fault: name }, on: { click: set } }, fault.on ? "Under way" : "Do it")
      : h("button", { type: "button", role: "switch", class: "switch", "aria-checked": String(fault.on), "aria-labelledby": `fault-${name}`, data: { focus: name, fault: name }, on: { click: set } }, h("i", { "aria-hidden": "true" }));
    return h("li", { class: fault.on ? "fault on" : "fault" }, words, control);
  }
}
