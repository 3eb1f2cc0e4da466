// A box for a page of messages or a piece of Markdown, and how both chats would show it.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { messageElement as slackMessage } from "../slack/message.js";
import { People } from "../slack/people.js";
import { messageElement as telegramMessage } from "../telegram/message.js";
import { attempt } from "../toasts.js";

const EXAMPLE = "## Done\n\nThe total rounds **half up** now:\n\n| discount | before | now |\n|---|---|---|\n| 5 % | 978 | 979 |\n\n```python\nreturn round_half_up(total)\n```\n";

export class Try {
  constructor(toasts, store) {
    this.toasts = toasts;
    this.people = new People(store);
    this.field = h("textarea", { rows: "7", id: "try-field", spellcheck: "false", value: EXAMPLE });
    this.telegram = h("ol", { class: "tg-messages try-shown", "aria-label": "On Telegram" });
    this.slack = h("ol", { class: "sl-messages try-shown", "aria-label": "In Slack" });
    this.shown = h("div", { class: "try-results", hidden: true }, h("h3", {}, "On Telegram"), this.telegram, h("h3", {}, "In Slack"), this.slack);
    const form = h(
      "form",
      { class: "try" },
      h("label", { for: "try-field" }, "Markdown, or a page of messages as HAPI's hub answers it"),
      this.field,
      h("button", { type: "submit", class: "button primary" }, "Show on both"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.render();
    });
    this.element = h("div", {}, form, this.shown);
  }

  draw() {}

  async render() {
    const answer = await attempt(this.toasts, () => post("/api/render", { text: this.field.value }));
    if (!answer) return;
    const nothing = () => {};
    const tg = { press: nothing, menu: nothing, show: nothing };
    const sl = { people: this.people, box: () => this.element, act: nothing, react: nothing, thread: nothing, menu: nothing, chosen: () => undefined, choose: nothing };
    fill(this.telegram, ...answer.telegram.map((message) => still(telegramMessage(message, tg))));
    fill(this.slack, ...answer.slack.map((message) => still(slackMessage(message, sl, { inThread: true }))));
    this.shown.hidden = false;
  }
}

/** A picture of a message: its buttons show, and do nothing. */
function still(element) {
  element.removeAttribute("id");
  for (const menu of element.querySelectorAll(".tg-menu-button, .sl-menu-button")) menu.remove();
  for (const button of element.querySelectorAll(".tg-keyboard button, .actions button")) button.disabled = true;
  return element;
}
