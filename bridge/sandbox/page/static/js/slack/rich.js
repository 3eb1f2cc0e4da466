// Rich text blocks and tables as nodes.

import { h, link } from "../dom.js";
import { codeBlock } from "../text/code.js";
import { emoji } from "../text/emoji.js";
import { tableBox } from "../text/markdown.js";
import { full, moment } from "../times.js";
import { mention } from "./mrkdwn.js";

const HEX = /^#[0-9a-f]{3,8}$/i;
const BULLETS = ["disc", "circle", "square"];

/** The nodes of a `rich_text` block. */
export function richText(block, people) {
  return block.elements.map((part) => richPart(part, people));
}

/** A `table` block. Its first row is its head. */
export function table(block, people) {
  const sides = (block.column_settings ?? []).map((each) => each?.align ?? "left");
  const cell = (raw, index, tag) =>
    h(tag, { data: { align: sides[index] } }, ...(raw.type === "rich_text" ? richText(raw, people) : [String(raw.text ?? "")]));
  const [head, ...rows] = block.rows;
  return tableBox(
    h("thead", {}, h("tr", {}, ...head.map((raw, index) => cell(raw, index, "th")))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((raw, index) => cell(raw, index, "td"))))),
  );
}

function richPart(part, people) {
  const inner = () => part.elements.map((each) => leaf(each, people));
  switch (part.type) {
    case "rich_text_section":
      return h("div", { class: "rich-section" }, ...inner());
    case "rich_text_quote":
      return h("blockquote", {}, ...inner());
    case "rich_text_preformatted":
      return codeBlock(part.elements.map((each) => each.text ?? each.url ?? "").join(""), part.language ?? "");
    case "rich_text_list":
      return richList(part, people);
    default:
      return dull(part);
  }
}

function richList(part, people) {
  const ordered = part.style === "ordered";
  const indent = part.indent ?? 0;
  return h(
    ordered ? "ol" : "ul",
    {
      class: "rich-list",
      start: ordered && part.offset ? part.offset + 1 : null,
      style: { "--indent": String(indent), ...(ordered ? {} : { "list-style-type": BULLETS[indent % 3] }) },
    },
    ...part.elements.map((section) => h("li", {}, ...section.elements.map((each) => leaf(each, people)))),
  );
}

function leaf(part, people) {
  return styled(leafNode(part, people), part.style ?? {});
}

function leafNode(part, people) {
  switch (part.type) {
    case "text":
      return document.createTextNode(part.text);
    case "link":
      return link(part.url, part.text || part.url);
    case "emoji":
      return document.createTextNode(part.unicode ? fromCodes(part.unicode) : emoji(part.name));
    case "user":
      return mention(`@${people.user(part.user_id)}`, people.isMe(part.user_id));
    case "channel":
      return mention(`#${people.channel(part.channel_id)}`);
    case "usergroup":
      return mention("@group");
    case "broadcast":
      return mention(`@${part.range}`, true);
    case "date":
      return h("time", { datetime: new Date(part.timestamp * 1000).toISOString(), title: full(part.timestamp) }, moment(part.timestamp));
    case "color":
      return h("span", { class: "swatch", style: HEX.test(part.value) ? { "--swatch": part.value } : {} }, part.value);
    default:
      return document.createTextNode(part.text ?? part.fallback ?? `[${part.type}]`);
  }
}

function styled(node, style) {
  let out = node;
  const tags = [["code", "code"], ["strike", "s"], ["underline", "u"], ["italic", "em"], ["bold", "strong"]];
  for (const [name, tag] of tags) if (style[name]) out = h(tag, {}, out);
  return out;
}

const fromCodes = (codes) => String.fromCodePoint(...codes.split("-").map((code) => Number.parseInt(code, 16)));

/** What this page does not know, visible and dull. */
export const dull = (part) => h("p", { class: "dull" }, `[${part.type ?? "unknown"}] ${part.text?.text ?? part.fallback ?? ""}`.trim());
