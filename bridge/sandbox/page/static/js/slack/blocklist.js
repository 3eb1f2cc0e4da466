// Blocks that change while somebody is among them (a modal's, the Home tab's): a block that says what it said before
// keeps its element, and with it what is being typed, the focus and an input method's half-made word.

import { h } from "../dom.js";
import { KeyedList } from "../lists.js";
import { blockNodes } from "./blocks.js";

/** Draws blocks into `container`; `at` is where they stand (see elements.js). */
export class BlockList {
  constructor(container) {
    this.items = new Map();
    this.at = null;
    this.keyed = new KeyedList(container, (item) => item.key, (item) => this.render(item));
  }

  draw(blocks, at) {
    this.at = at;
    const before = this.items;
    this.items = new Map();
    const general = at.errors?.[""];
    if (general) this.items.set("", { key: "", said: general, general });
    for (const [index, block] of blocks.entries()) {
      const key = block.block_id ?? `#${index}`;
      const item = { key, said: JSON.stringify([block, at.errors?.[block.block_id]]), block };
      this.items.set(key, before.get(key)?.said === item.said ? before.get(key) : item);
    }
    this.keyed.draw([...this.items.values()]);
  }

  render({ general, block }) {
    return general ? h("p", { class: "field-error", role: "alert" }, general) : blockNodes([block], this.at)[0];
  }
}
