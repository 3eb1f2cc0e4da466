// Lists that change while they are looked at: what stayed the same keeps its element, scroll position and focus.

/** Draws `items` into `container`: one element per key, made anew only where the item is another object than before. */
export class KeyedList {
  constructor(container, keyOf, render) {
    this.container = container;
    this.keyOf = keyOf;
    this.render = render;
    this.drawn = new Map();
  }

  /** `contextOf(item)` is anything else its drawing depends on: where that changes it is drawn anew. */
  draw(items, contextOf = () => null) {
    const before = this.drawn;
    const keys = new Set(items.map((item) => String(this.keyOf(item))));
    // First, so that nobody has to move up: an element that moves loses its focus and the press it is under.
    for (const [key, { element }] of before) if (!keys.has(key)) element.remove();
    this.drawn = new Map();
    let place = null;
    for (const item of items) {
      const key = String(this.keyOf(item));
      const context = contextOf(item);
      let entry = before.get(key);
      if (!entry || entry.item !== item || entry.context !== context) {
        const element = this.render(item);
        element.dataset.key = key;
        if (entry) swap(entry.element, element);
        entry = { item, context, element };
      }
      this.drawn.set(key, entry);
      const next = place ? place.nextSibling : this.container.firstChild;
      if (next !== entry.element) this.container.insertBefore(entry.element, next);
      place = entry.element;
    }
  }

  /** Draw everything anew at the next draw. */
  forget() {
    this.drawn = new Map();
    this.container.replaceChildren();
  }
}

/**
 * Replaces an element. The focus stays on what carries the same `data-focus` (buttons and fields have one), with what is
 * being typed there and where.
 */
export function swap(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const { selectionStart: start, selectionEnd: end, value } = focused ?? {};
  old.replaceWith(fresh);
  if (focused?.dataset.focus === undefined) return;
  const again = [...fresh.querySelectorAll("[data-focus]")].find((each) => each.dataset.focus === focused.dataset.focus);
  (again ?? fresh.querySelector("button, input, textarea, select, a"))?.focus({ preventScroll: true });
  if (!again?.matches("textarea, input[type=text]")) return;
  again.value = value;
  again.setSelectionRange(start, end);
}

const NEAR_PX = 80;

/** Keeps a scrolling box at its end while its reader is there, and shows a button to get back there otherwise. */
export class Follower {
  constructor(box, button) {
    this.box = box;
    this.button = button;
    this.there = true;
    box.addEventListener("scroll", () => this.look(), { passive: true });
    button.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.keep()).observe(box);
    this.inner = new ResizeObserver(() => this.keep());
  }

  /** Follow the growth of this content, too. */
  watch(content) {
    this.inner.observe(content);
  }

  look() {
    this.there = this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight < NEAR_PX;
    this.button.hidden = this.there;
  }

  keep() {
    if (this.there) this.box.scrollTop = this.box.scrollHeight;
    else this.look();
  }

  toEnd() {
    this.there = true;
    this.keep();
    this.button.hidden = true;
  }
}
