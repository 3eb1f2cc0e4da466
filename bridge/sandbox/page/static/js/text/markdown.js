// A small Markdown, as Slack's markdown blocks show it: headings, lists, quotes, code, tables, rules. Every line of the
// source is shown: what is no markup is a paragraph.

import { h } from "../dom.js";
import { codeBlock } from "./code.js";
import { inline } from "./inline.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(\s+|$)(.*)$/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const TASK = /^\[([ xX])\]\s+/;

/** The nodes of a piece of Markdown. */
export function markdown(source) {
  return blocks(source.replaceAll("\t", "    ").split("\n"));
}

function blocks(lines) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const [node, next] = block(lines, at);
    if (node) nodes.push(node);
    at = next;
  }
  return nodes;
}

function block(lines, at) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  const heading = HEADING.exec(line);
  // A message is no document: its headings stand below the page's own.
  if (heading) return [h("p", { class: `md-heading md-h${heading[1].length}` }, ...inline(heading[2])), at + 1];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (FENCE.test(line)) return fence(lines, at);
  if (QUOTE.test(line)) return quote(lines, at);
  if (ITEM.test(line)) return list(lines, at);
  if (line.includes("|") && DELIMITER.test(lines[at + 1] ?? "") && lines[at + 1].includes("-")) return table(lines, at);
  return paragraph(lines, at);
}

function fence(lines, at) {
  const [, mark, language] = FENCE.exec(lines[at]);
  const end = lines.findIndex((line, index) => index > at && line.trim().startsWith(mark) && !line.trim().slice(mark.length).replaceAll(mark[0], ""));
  const last = end < 0 ? lines.length : end;
  return [codeBlock(lines.slice(at + 1, last).join("\n"), language.trim()), last + 1];
}

function quote(lines, at) {
  let end = at;
  while (end < lines.length && lines[end].trim() && (QUOTE.test(lines[end]) || !startsBlock(lines[end]))) end += 1;
  return [h("blockquote", {}, ...blocks(lines.slice(at, end).map((line) => line.replace(QUOTE, "")))), end];
}

function list(lines, at) {
  const [, indent, marker] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(marker);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const item = ITEM.exec(lines[end]);
    if (!item || item[1].length > indent.length + 1 || item[1].length < indent.length) break;
    if (/\d/.test(item[2]) !== ordered || RULE.test(lines[end])) break;
    const inner = item[1].length + item[2].length + Math.max(1, Math.min(item[3].length, 4));
    const own = [item[4]];
    end += 1;
    while (end < lines.length && belongs(lines, end, item[1].length)) {
      own.push(lines[end].slice(Math.min(inner, lines[end].length - lines[end].trimStart().length)));
      end += 1;
    }
    items.push(listItem(own));
  }
  const start = ordered ? Number.parseInt(marker, 10) : 1;
  return [ordered ? h("ol", { start: start === 1 ? null : start }, ...items) : h("ul", {}, ...items), end];
}

/** Whether a line goes on with the list item above it: deeper, or a blank line before such a one. */
function belongs(lines, at, indent) {
  const line = lines[at];
  if (!line.trim()) {
    const next = lines[at + 1] ?? "";
    return next.trim() !== "" && (next.length - next.trimStart().length > indent + 1 || ITEM.exec(next)?.[1].length === indent);
  }
  return line.length - line.trimStart().length > indent + 1 || (!startsBlock(line) && lines[at - 1].trim() !== "");
}

function listItem(lines) {
  const task = TASK.exec(lines[0]);
  if (task) lines[0] = lines[0].replace(TASK, task[1] === " " ? "☐ " : "☑ ");
  const nodes = blocks(lines);
  // One paragraph alone needs no space around it.
  const tight = nodes.flatMap((node) => (node.tagName === "P" && !node.className ? [...node.childNodes] : [node]));
  return h("li", {}, ...(nodes.filter((node) => node.tagName === "P").length > 1 ? nodes : tight));
}

function table(lines, at) {
  let end = at + 2;
  while (end < lines.length && lines[end].trim() && lines[end].includes("|")) end += 1;
  const sides = cells(lines[at + 1]).map((cell) => (/^:-+:$/.test(cell) ? "center" : /-:$/.test(cell) ? "right" : "left"));
  const row = (line, tag) => h("tr", {}, ...cells(line).map((cell, index) => h(tag, { data: { align: sides[index] } }, ...inline(cell))));
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  return [tableBox(h("thead", {}, row(lines[at], "th")), h("tbody", {}, ...body)), end];
}

/** A table in a box that scrolls sideways, by keys too. */
export function tableBox(...parts) {
  return h("div", { class: "table-box", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {}, ...parts));
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines[end])) end += 1;
  return [h("p", {}, ...inline(lines.slice(at, end).map((line) => line.trimStart()).join("\n"))), end];
}

function startsBlock(line) {
  return HEADING.test(line) || FENCE.test(line) || QUOTE.test(line) || ITEM.test(line) || RULE.test(line);
}
