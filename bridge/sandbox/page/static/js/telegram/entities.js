// A text with Telegram's entities as nodes. Offsets are in UTF-16 units, which is how JavaScript counts, too.

import { h, link } from "../dom.js";
import { folding } from "../folds.js";
import { codeBlock } from "../text/code.js";
import { full, moment } from "../times.js";

const BOXES = new Set(["pre", "blockquote", "expandable_blockquote"]);

/** The nodes of a text. `key` names the message, so that a quote that was unfolded stays so, wherever it moves. */
export function entityNodes(text, entities = [], key = "") {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length || boxFirst(a, b));
  let quotes = 0;
  return nodesOf(text, 0, text.length, sorted, () => `${key}/${(quotes += 1)}`);
}

const boxFirst = (a, b) => Number(BOXES.has(b.type)) - Number(BOXES.has(a.type));

function nodesOf(text, start, end, entities, nextKey) {
  const nodes = [];
  let at = start;
  let index = 0;
  while (index < entities.length) {
    const entity = entities[index];
    const from = Math.max(entity.offset, at);
    const to = Math.min(entity.offset + entity.length, end);
    let next = index + 1;
    while (next < entities.length && entities[next].offset < to) next += 1;
    if (to > from) {
      const box = BOXES.has(entity.type);
      if (from > at) nodes.push(plain(text.slice(at, from), { after: nodes.length > 0, before: box }));
      nodes.push(wrap(entity, text.slice(from, to), nodesOf(text, from, to, entities.slice(index + 1, next), nextKey), nextKey));
      at = to;
      // A box stands on lines of its own: the line break after it is not shown again.
      if (box && text[at] === "\n") at += 1;
    }
    index = next;
  }
  if (at < end) nodes.push(document.createTextNode(text.slice(at, end)));
  return nodes;
}

function plain(text, { before }) {
  return document.createTextNode(before ? text.replace(/\n$/, "") : text);
}

function wrap(entity, text, inner, nextKey) {
  switch (entity.type) {
    case "bold":
      return h("strong", {}, ...inner);
    case "italic":
      return h("em", {}, ...inner);
    case "underline":
      return h("u", {}, ...inner);
    case "strikethrough":
      return h("s", {}, ...inner);
    case "code":
      return h("code", {}, ...inner);
    case "pre":
      return codeBlock(text, entity.language ?? "", entity.language === "diff" ? null : inner);
    case "spoiler":
      return spoiler(inner);
    case "blockquote":
      return h("blockquote", {}, ...inner);
    case "expandable_blockquote":
      return folding(nextKey(), inner, { tag: "blockquote", class: "quote-fold", more: "Unfold", less: "Fold" });
    case "text_link":
      return link(entity.url, ...inner);
    case "url":
      return link(/^[a-z]+:/i.test(text) ? text : `https://${text}`, ...inner);
    case "email":
      return link(`mailto:${text}`, ...inner);
    case "date_time":
      return h("time", { datetime: new Date(entity.unix_time * 1000).toISOString(), title: full(entity.unix_time) }, moment(entity.unix_time));
    default: // mentions, hashtags, commands: words that stand out
      return h("span", { class: "tg-word" }, ...inner);
  }
}

function spoiler(inner) {
  const button = h("button", { type: "button", class: "spoiler", "aria-label": "Show hidden text" }, ...inner);
  button.addEventListener("click", () => button.replaceWith(h("span", { class: "spoiler-open" }, ...button.childNodes)));
  return button;
}
