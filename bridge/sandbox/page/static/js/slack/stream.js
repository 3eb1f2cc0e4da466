// A scrolling list of messages: a channel's, or a thread's.

import { h, iconButton } from "../dom.js";
import { Follower, KeyedList } from "../lists.js";
import { authorOf, messageElement } from "./message.js";

const TOGETHER_S = 300;

/** `draw(messages, key)`: another `key` is another place, which begins at its end. */
export class MessageStream {
  constructor(label, hands, options = {}) {
    this.hands = hands;
    this.list = h("ol", { class: "sl-messages", "aria-label": label });
    this.status = h("p", { class: "sl-status", hidden: true, role: "status" });
    this.scroll = h("div", { class: "sl-scroll", tabindex: "0", role: "region", "aria-label": label }, this.list, this.status);
    const down = iconButton("down", "To the newest message", () => {}, { class: "icon-button to-end", hidden: true });
    this.element = h("div", { class: "sl-stream" }, this.scroll, down);
    this.follower = new Follower(this.scroll, down);
    this.follower.watch(this.list);
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
      this.follower.there = true;
    }
    this.continued = new Set(messages.filter((each, index) => index > 0 && this.follows(messages[index - 1], each)).map((each) => each.ts));
    this.keyed.draw(messages, key);
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
