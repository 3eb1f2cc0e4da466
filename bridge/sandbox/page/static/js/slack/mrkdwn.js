// Slack's own markup (mrkdwn) and text objects as nodes.

import { h, link } from "../dom.js";
import { codeBlock } from "../text/code.js";
import { withEmoji } from "../text/emoji.js";
import { full, moment } from "../times.js";

const FENCED = /```\n?([^]*?)\n?```/g;
const TOKEN = /<([^<>\n]+)>|`([^`\n]+)`|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<![\w_])_([^_\n]+)_(?![\w_])|(?<![\w~])~([^~\n]+)~(?![\w~])/g;

/** The nodes of a text object (`plain_text` or `mrkdwn`), or of a string, which is mrkdwn. */
export function textNodes(text, people) {
  if (!text) return [];
  if (typeof text === "string") return mrkdwn(text, people);
  return text.type === "mrkdwn" ? mrkdwn(text.text, people) : [text.emoji === false ? text.text : withEmoji(text.text)];
}

/** The nodes of a piece of mrkdwn. `people` gives names: `user(id)`, `channel(id)`. */
export function mrkdwn(text, people) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(FENCED)) {
    nodes.push(...lines(text.slice(at, found.index), people), codeBlock(unescape(found[1])));
    at = found.index + found[0].length;
  }
  return [...nodes, ...lines(text.slice(at), people)];
}

/** A person, a channel, everybody: a word that stands out. */
export const mention = (words, mine = false) => h("span", { class: mine ? "mention mine" : "mention" }, words);

function lines(text, people) {
  const nodes = [];
  let quoted = [];
  const flush = () => {
    if (quoted.length) nodes.push(h("blockquote", {}, ...inline(quoted.join("\n"), people)));
    quoted = [];
  };
  const plain = [];
  const flushPlain = () => {
    if (plain.length) nodes.push(...inline(plain.splice(0).join("\n"), people));
  };
  for (const line of text.split("\n")) {
    const quote = /^(?:&gt;|>) ?(.*)$/.exec(line);
    if (quote) {
      flushPlain();
      quoted.push(quote[1]);
    } else {
      flush();
      plain.push(line);
    }
  }
  flush();
  flushPlain();
  return nodes;
}

function inline(text, people) {
  const nodes = [];
  let at = 0;
  const words = (piece) => piece && nodes.push(withEmoji(unescape(piece)));
  for (const found of text.matchAll(TOKEN)) {
    words(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [, token, code, bold, italic, struck] = found;
    if (token !== undefined) nodes.push(control(token, people));
    else if (code !== undefined) nodes.push(h("code", {}, unescape(code)));
    else if (bold !== undefined) nodes.push(h("strong", {}, ...inline(bold, people)));
    else if (italic !== undefined) nodes.push(h("em", {}, ...inline(italic, people)));
    else nodes.push(h("s", {}, ...inline(struck, people)));
  }
  words(text.slice(at));
  return nodes;
}

function control(token, people) {
  const [target, label] = token.split("|", 2);
  if (target.startsWith("@")) return mention(`@${label ?? people.user(target.slice(1))}`, people.isMe(target.slice(1)));
  if (target.startsWith("#")) return mention(`#${label ?? people.channel(target.slice(1))}`);
  const date = /^!date\^(\d+)\^/.exec(target);
  if (date) return h("time", { title: full(Number(date[1])) }, moment(Number(date[1])));
  if (target.startsWith("!")) return mention(`@${label ?? target.slice(1).split("^")[0]}`, true);
  return link(unescape(target), unescape(label ?? target));
}

/** The three characters that Slack escapes in texts. */
export const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
