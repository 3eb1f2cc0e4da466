// What can be played: a session from beginning to end.

import { post } from "../api.js";
import { h, icon } from "../dom.js";
import { KeyedList } from "../lists.js";
import { attempt } from "../toasts.js";

export class Scenarios {
  constructor(toasts) {
    this.list = h("ul", { class: "scenarios" });
    this.element = h("div", {}, h("p", { class: "panel-words" }, "Each one is a session with a coding agent. It appears in both chats; answer it in either."), this.list);
    this.keyed = new KeyedList(this.list, (each) => each.name, (each) => row(each, toasts));
  }

  draw(state) {
    this.keyed.draw(state.scenarios);
  }
}

function row(scenario, toasts) {
  const play = () => attempt(toasts, () => post("/api/scenario/play", { name: scenario.name }));
  return h(
    "li",
    { class: scenario.playing ? "scenario playing" : "scenario", data: { scenario: scenario.name } },
    h("div", {}, h("strong", {}, scenario.title), scenario.words && h("p", {}, scenario.words)),
    h(
      "button",
      { type: "button", class: "button", "aria-label": `Play: ${scenario.title}`, disabled: scenario.playing, data: { focus: "play" }, on: { click: play } },
      scenario.playing ? "Playing" : [icon("play"), "Play"],
    ),
  );
}
