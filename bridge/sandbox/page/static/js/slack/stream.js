// A scrolling list of messages: a channel's, or a thread's.

import { append, h, iconButton } from "../dom.js";
import { Latest } from "../latest.js";
import { Follower, KeyedList } from "../lists.js";
import { authorOf, messageElement } from "./message.js";

const TOGETHER_S = 300;

/** `draw(messages, key)`: another `key` is another place, which begins at its end. `changed()` asks for a redraw. */
export class MessageStream {
  constructor(label, hands, changed, options = {}) {
    this.hands = hands;
    this.list = h("ol", { class: "sl-messages", "aria-label": label });
    this.status = h("p", { class: "sl-status", hidden: true, role: "status" });
    this.scroll = h("div", { class: "sl-scroll", tabindex: "0", role: "region", "aria-label": label });
    const down = iconButton("down", "To the newest message", () => {}, { class: "icon-button to-end", hidden: true });
    this.element = h("div", { class: "sl-stream" }, this.scroll, down);
    this.follower = new Follower(this.scroll, down);
    this.follower.watch(this.list);
    this.latest = new Latest((message) => message.ts, this.follower, changed);
    append(this.scroll, [this.latest.element, this.list, this.status]);
    this.continued = new Set();
    this.keyed = new KeyedList(this.list, (message) => message.ts, (message) =>
      messageElement(message, hands, { ...options, continued: this.continued.has(message.ts) }),
    );
    this.key = null;
  }

  draw(messages, key) {
    if (key !== this.key) {
      this.key = key;
      this.keyed.forget();
      this.latest.reset();
      this.follower.there = true;
    }
    const shown = this.latest.of(messages);
    this.continued = new Set(shown.filter((each, index) => index > 0 && this.follows(shown[index - 1], each)).map((each) => each.ts));
    this.keyed.draw(shown, (message) => this.continued.has(message.ts));
    this.latest.drawn();
    this.follower.keep();
  }

  follows(before, message) {
    if (message._ephemeral_to || before._ephemeral_to || message.reply_count || before.reply_count) return false;
    return authorOf(before, this.hands.people).name === authorOf(message, this.hands.people).name && Number(message.ts) - Number(before.ts) < TOGETHER_S;
  }

  showStatus(words) {
    if (this.status.textContent === words) return;
    this.status.textContent = words;
    this.status.hidden = !words;
    this.follower.keep();
  }
}
