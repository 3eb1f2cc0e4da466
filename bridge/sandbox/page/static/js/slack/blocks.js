// Block Kit: every block as an element. An unknown one is shown dull, never left out.

import { fileAddress } from "../api.js";
import { h } from "../dom.js";
import { details } from "../folds.js";
import { markdown } from "../text/markdown.js";
import { element } from "./elements.js";
import { textNodes } from "./mrkdwn.js";
import { dull, richText, table } from "./rich.js";

let count = 0;

/** The elements of some blocks. `at` is where they stand (see elements.js). */
export function blockNodes(blocks, at) {
  return (blocks ?? []).map((block) => (DRAWN[block.type] ?? unknown)(block, at));
}

function section(block, at) {
  const text = h(
    "div",
    { class: "section-text" },
    block.text && h("div", {}, ...textNodes(block.text, at.people)),
    block.fields && h("div", { class: "fields" }, ...block.fields.map((field) => h("div", {}, ...textNodes(field, at.people)))),
  );
  const beside = block.accessory && (block.accessory.type === "image" ? picture(block.accessory, "thumb") : element(block.accessory, block, at));
  return h("div", { class: "block section" }, text, beside);
}

function context(block, at) {
  const part = (each) => (each.type === "image" ? picture(each, "tiny") : h("span", {}, ...textNodes(each, at.people)));
  return h("div", { class: "block context" }, ...block.elements.map(part));
}

/** A picture, or where it is of another server its words: the page fetches nothing from outside. */
function picture(raw, className) {
  const own = raw.slack_file?.id;
  if (own) return h("img", { class: className, src: fileAddress("slack", own), alt: raw.alt_text });
  return h("span", { class: `picture-words ${className}`, title: raw.image_url ?? "" }, raw.alt_text);
}

function image(block, at) {
  return h("figure", { class: "block image" }, block.title && h("figcaption", {}, ...textNodes(block.title, at.people)), picture(block, "wide"));
}

function input(block, at) {
  const id = `field-${(count += 1)}`;
  const label = h("span", {}, ...textNodes(block.label, at.people), block.optional && h("small", {}, " (optional)"));
  const grouped = ["checkboxes", "radio_buttons"].includes(block.element.type);
  const control = element(block.element, block, at, label);
  const words = at.errors?.[block.block_id];
  const notes = [block.hint && h("small", { id: `${id}-hint` }, ...textNodes(block.hint, at.people)), words && h("p", { class: "field-error", id: `${id}-error`, role: "alert" }, words)];
  const described = [block.hint && `${id}-hint`, words && `${id}-error`].filter(Boolean).join(" ");
  if (described) control.setAttribute("aria-describedby", described);
  if (words) control.setAttribute("aria-invalid", "true");
  if (grouped) return h("div", { class: "block input" }, control, ...notes);
  control.id = id;
  if (!block.optional) control.required = true;
  return h("div", { class: "block input" }, h("label", { for: id }, label), control, ...notes);
}

function container(block, at) {
  const inner = blockNodes(block.child_blocks, at);
  const title = block.rich_text_title ? richText(block.rich_text_title, at.people) : textNodes(block.title, at.people);
  if (!block.is_collapsible) return h("div", { class: "block container" }, h("p", { class: "container-title" }, ...title), ...inner);
  const props = { class: "block container", open: !block.default_collapsed };
  return details(`${at.name}/${block.block_id}`, props, h("summary", { data: { focus: `summary:${block.block_id}` } }, ...title), ...inner);
}

function card(block, at) {
  return h(
    "div",
    { class: "block card" },
    block.hero_image && picture(block.hero_image, "wide"),
    block.title && h("p", { class: "container-title" }, ...textNodes(block.title, at.people)),
    block.subtitle && h("p", { class: "subtitle" }, ...textNodes(block.subtitle, at.people)),
    block.body && h("p", {}, ...textNodes(block.body, at.people)),
    block.actions && h("div", { class: "actions" }, ...block.actions.map((raw) => element(raw, block, at))),
  );
}

/** A task of a plan or a stream: title and status, its details and output folding below. */
export function task(raw, at) {
  const more = [raw.details, raw.output].filter(Boolean).map((each) => h("div", { class: "task-more" }, ...(typeof each === "string" ? markdown(each) : richText(each, at.people))));
  const head = [h("span", { class: `task-mark ${raw.status}`, "aria-hidden": "true" }), h("span", {}, raw.title), h("span", { class: "sr-only" }, TASK_WORDS[raw.status] ?? raw.status)];
  if (!more.length) return h("div", { class: "task" }, h("p", { class: "task-head" }, ...head));
  const id = raw.id ?? raw.task_id;
  return details(`${at.name}/task/${id}`, { class: "task" }, h("summary", { class: "task-head", data: { focus: `task:${id}` } }, ...head), ...more);
}

const TASK_WORDS = { pending: "waiting", in_progress: "running", complete: "done", error: "failed" };

/** A plan: its title, and its tasks. */
export function plan(block, at) {
  return h("div", { class: "block plan" }, block.title && h("p", { class: "container-title" }, block.title), ...(block.tasks ?? []).map((each) => task(each, at)));
}

const unknown = (block) => h("div", { class: "block" }, dull(block));

const DRAWN = {
  section,
  context,
  image,
  input,
  container,
  card,
  plan,
  task_card: task,
  header: (block, at) => h("p", { class: "block header" }, ...textNodes(block.text, at.people)),
  divider: () => h("hr", { class: "block" }),
  actions: (block, at) => h("div", { class: "block actions" }, ...block.elements.flatMap((raw) => element(raw, block, at))),
  context_actions: (block, at) => h("div", { class: "block actions" }, ...block.elements.flatMap((raw) => element(raw, block, at))),
  rich_text: (block, at) => h("div", { class: "block rich" }, ...richText(block, at.people)),
  markdown: (block) => h("div", { class: "block markdown" }, ...markdown(block.text)),
  table: (block, at) => h("div", { class: "block" }, table(block, at.people)),
  alert: (block, at) => h("p", { class: `block note ${block.level ?? "default"}` }, ...textNodes(block.text, at.people)),
  carousel: (block, at) => h("div", { class: "block carousel" }, ...block.elements.map((each) => card(each, at))),
};
