// A press is two events, and what is pressed has to be there for both: a browser makes no click of a press that began
// on an element which is gone, or elsewhere, when it ends. So nothing is drawn between them.

const LONGEST_MS = 10_000; // a press whose end is never told (a list that opened over the page) holds up no longer
const CLICK_MS = 100; // from a finger's end to its click
const PRESSED_BY_SPACE = "button, summary, input[type=checkbox], input[type=radio]";

/** Knows whether something is being pressed, and lets others wait until it is not. */
export class Presses {
  constructor(target = window) {
    this.held = false;
    this.waiting = new Set();
    this.timer = 0;
    const on = (names, listener) => {
      for (const name of names.split(" ")) target.addEventListener(name, listener, { capture: true, passive: true });
    };
    on("pointerdown", (event) => event.isPrimary && event.button === 0 && this.begin());
    on("keydown", (event) => event.key === " " && event.target.matches?.(PRESSED_BY_SPACE) && this.begin());
    on("pointerup keyup", () => this.held && this.endIn(CLICK_MS));
    on("click pointercancel", () => this.held && this.endIn(0)); // by a timer: after those who listen for the click
    on("change", (event) => this.held && event.target.tagName === "SELECT" && this.endIn(0));
    on("blur", (event) => this.held && event.target === target && this.endIn(0));
  }

  /** Do it now, or when what is pressed is let go; the same function once only. */
  after(doing) {
    if (this.held) this.waiting.add(doing);
    else doing();
  }

  begin() {
    this.held = true;
    this.endIn(LONGEST_MS);
  }

  endIn(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), ms);
  }

  end() {
    this.held = false;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const doing of waiting) doing();
  }
}
