// Markdown inside a line, as nodes: emphasis, code, links, breaks. What is no markup stays text.

import { h, link } from "../dom.js";

const ESCAPED = /^\\([!-/:-@[-`{-~])/;
const CODE = /^(`+)([^]*?[^`])\1(?!`)/;
const LINK = /^!?\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]\(\s*<?([^\s<>]*?)>?(?:\s+"[^"]*")?\s*\)/;
const AUTO = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/;
const BARE = /^https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]]/;
const MARKS = [
  { open: /^(\*\*|__)(?=\S)/, tag: "strong" },
  { open: /^(~~)(?=\S)/, tag: "s" },
  { open: /^(\*|_)(?=\S)/, tag: "em" },
];
const SPECIAL = /[\\`*_~[!<h\n]/;

/** The nodes of a piece of Markdown that has no blocks in it. */
export function inline(text) {
  const nodes = [];
  let plain = "";
  let at = 0;
  const take = (node, length) => {
    if (plain) nodes.push(document.createTextNode(plain));
    plain = "";
    nodes.push(node);
    at += length;
  };
  while (at < text.length) {
    const rest = text.slice(at);
    if (!SPECIAL.test(rest[0])) {
      const next = rest.slice(1).search(SPECIAL);
      const length = next < 0 ? rest.length : next + 1;
      plain += rest.slice(0, length);
      at += length;
      continue;
    }
    const found = markup(rest, text[at - 1] ?? " ");
    if (!found) {
      plain += rest[0];
      at += 1;
    } else if (typeof found.node === "string") {
      plain += found.node;
      at += found.length;
    } else {
      take(found.node, found.length);
    }
  }
  if (plain) nodes.push(document.createTextNode(plain));
  return nodes;
}

function markup(rest, before) {
  let found;
  if ((found = ESCAPED.exec(rest))) return { node: found[1], length: 2 };
  if ((found = /^(?: {2,}|\\)?\n/.exec(rest))) return { node: h("br"), length: found[0].length };
  if ((found = CODE.exec(rest))) {
    return { node: h("code", {}, found[2].replace(/^ (.*) $/s, "$1").replaceAll("\n", " ")), length: found[0].length };
  }
  if ((found = LINK.exec(rest))) return { node: link(found[2], ...inline(found[1])), length: found[0].length };
  if ((found = AUTO.exec(rest))) return { node: link(found[1], found[1]), length: found[0].length };
  if (!/\w/.test(before) && (found = BARE.exec(rest))) return { node: link(found[0], found[0]), length: found[0].length };
  return emphasis(rest, before);
}

function emphasis(rest, before) {
  for (const { open, tag } of MARKS) {
    const mark = open.exec(rest)?.[1];
    if (!mark || (mark[0] === "_" && /\w/.test(before))) continue;
    const end = closing(rest, mark);
    if (end > 0) return { node: h(tag, {}, ...inline(rest.slice(mark.length, end))), length: end + mark.length };
  }
  return null;
}

/** Where the mark that closes this one stands, or -1; code and escapes in between are passed over. */
function closing(text, mark) {
  for (let at = mark.length; at <= text.length - mark.length; at += 1) {
    if (text[at] === "\\") {
      at += 1;
    } else if (text[at] === "`") {
      at += (CODE.exec(text.slice(at))?.[0].length ?? 1) - 1;
    } else if (text.startsWith(mark, at) && /\S/.test(text[at - 1]) && at > mark.length - 1) {
      if (mark.length === 1 && text[at + 1] === mark) {
        at += 1;
        continue;
      }
      if (mark[0] === "_" && /\w/.test(text[at + mark.length] ?? " ")) continue;
      return at;
    }
  }
  return -1;
}
