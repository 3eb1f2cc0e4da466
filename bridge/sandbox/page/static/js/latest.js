// Long chats: the newest messages are drawn, and earlier ones when they are asked for. Thousands of elements would make
// every redraw slow, and nobody scrolls that far.

import { h } from "./dom.js";

/** Messages that are drawn at first, and that one press adds. */
export const STEP = 100;

/** The end of a list that grows. `element` is the button above it; `changed()` is called when more are to be drawn. */
export class Latest {
  constructor(keyOf, follower, changed) {
    this.keyOf = keyOf;
    this.follower = follower;
    this.first = null;
    this.shown = 0;
    this.kept = null;
    this.words = h("span", {});
    this.element = h("button", { type: "button", class: "earlier", hidden: true, on: { click: () => this.more(changed) } }, "Earlier messages ", this.words);
  }

  /** Begin anew at the end, as for another chat. */
  reset() {
    this.first = null;
    this.shown = 0;
    this.kept = null;
  }

  /**
   * Those to draw. Where their reader is at the end there are never more than two steps; who reads earlier ones keeps
   * them, whatever comes.
   */
  of(items) {
    const from = this.shown ? items.findLastIndex((each) => this.keyOf(each) === this.first) : items.length - STEP;
    let start = Math.max(0, from < 0 && this.shown ? items.length - this.shown : from);
    if (this.follower.there && items.length - start > 2 * STEP) start = items.length - STEP;
    this.take(items, start);
    return items.slice(start);
  }

  /** Make sure that the one with this key is drawn at the next draw. Whether there is one, and it was not. */
  reach(items, key) {
    const at = items.findIndex((each) => this.keyOf(each) === key);
    if (at < 0 || items.length - at <= this.shown) return false;
    this.follower.there = false;
    this.take(items, Math.max(0, at - STEP / 2));
    return true;
  }

  /** To be called when they are drawn: what was in sight when earlier ones were asked for stays there. */
  drawn() {
    const { box } = this.follower;
    if (this.kept !== null) box.scrollTop = box.scrollHeight - this.kept;
    this.kept = null;
  }

  take(items, start) {
    this.all = items;
    this.first = start < items.length ? this.keyOf(items[start]) : null;
    this.shown = items.length - start;
    this.element.hidden = start === 0;
    this.words.textContent = `(${start})`;
  }

  more(changed) {
    const { box } = this.follower;
    this.follower.there = false;
    this.kept = box.scrollHeight - box.scrollTop;
    this.take(this.all, Math.max(0, this.all.length - this.shown - STEP));
    // The button goes with the last step; the focus must not go with it.
    if (this.element.hidden) box.focus({ preventScroll: true });
    changed();
  }
}
