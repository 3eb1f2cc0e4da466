// Interactive elements: buttons, menus, boxes to tick, dates, and the fields of a form.

import { confirmed } from "../dialog.js";
import { h, icon } from "../dom.js";
import { openMenu } from "../menu.js";
import { textNodes } from "./mrkdwn.js";

/**
 * Draws an element. `at` is where it stands: `act(action)` sends `{action_id, block_id, value?, selected_options?}`;
 * `values` are those chosen so far, by block and action (see `valueOf`); `people` gives names and lists;
 * `box` is the element menus open in; `inForm` tells that nothing is sent before the form is.
 */
export function element(raw, block, at, label = null) {
  const draw = DRAWN[raw.type];
  if (!draw) return h("span", { class: "dull" }, `[${raw.type}]`);
  return draw(raw, block, at, label);
}

/** What was chosen, as a form's state and a press carry it: a text, an option's value, several, or null. */
export function valueOf(control) {
  const kind = control.dataset.kind;
  const ticked = [...control.querySelectorAll("input:checked")].map((each) => each.value);
  if (kind === "checkboxes") return ticked;
  if (kind === "radio_buttons") return ticked[0] ?? null;
  if (kind === "multi_static_select") return [...control.selectedOptions].map((each) => each.value);
  return control.value === "" ? null : control.value;
}

/** Puts a value back into a control of the same place, drawn anew. */
export function setValue(control, value) {
  const several = Array.isArray(value) ? value : [value];
  const boxes = control.querySelectorAll("input");
  if (boxes.length) for (const each of boxes) each.checked = several.includes(each.value);
  else if (control.multiple) for (const each of control.options) each.selected = several.includes(each.value);
  else control.value = value ?? "";
}

const place = (raw, block) => ({ action_id: raw.action_id ?? "", block_id: block.block_id ?? "" });
const focusKey = (raw, block) => `${block.block_id}/${raw.action_id}`;
const optionValue = (option) => option.value ?? option.text.text;
const plain = (text) => text?.text ?? "";

async function agreed(raw, at) {
  const ask = raw.confirm;
  if (!ask) return true;
  return confirmed({
    title: plain(ask.title) || "Are you sure?",
    text: h("p", {}, ...textNodes(ask.text, at.people)),
    confirm: plain(ask.confirm) || "Yes",
    deny: plain(ask.deny) || "Cancel",
    danger: ask.style === "danger",
  });
}

async function send(raw, block, at, more = {}) {
  if (await agreed(raw, at)) await at.act({ ...place(raw, block), ...more });
}

function button(raw, block, at) {
  const filler = plain(raw.text).trim() === "·";
  const props = { class: `button ${raw.style ?? ""} ${filler ? "filler" : ""}`, data: { focus: focusKey(raw, block), action: raw.action_id } };
  // A button that only keeps the height says "·": nothing to read out, nothing to reach by keys.
  if (filler) return h("span", { ...props, "aria-hidden": "true" }, plain(raw.text));
  const click = () => {
    if (raw.url && /^https?:/i.test(raw.url)) window.open(raw.url, "_blank", "noopener,noreferrer");
    return send(raw, block, at);
  };
  const named = raw.accessibility_label ? { "aria-label": raw.accessibility_label } : {};
  return h("button", { ...props, ...named, type: "button", on: { click } }, ...textNodes(raw.text, at.people), raw.url && icon("link"));
}

function overflow(raw, block, at) {
  const entries = raw.options.map((option) => ({ label: plain(option.text), choose: () => send(raw, block, at, { value: optionValue(option) }) }));
  const click = (event) => openMenu(at.box(), event.currentTarget, entries);
  return h("button", { type: "button", class: "button", "aria-label": "More actions", "aria-haspopup": "menu", data: { focus: focusKey(raw, block) }, on: { click } }, icon("more"));
}

function choices(raw, block, at, label) {
  const kind = raw.type === "checkboxes" ? "checkbox" : "radio";
  const name = `${at.name}/${focusKey(raw, block)}`;
  const chosen = at.chosen(raw, block) ?? (raw.initial_options ?? [raw.initial_option]).filter(Boolean).map(optionValue);
  const group = h("fieldset", control(raw, block, "choices"), h("legend", { class: label ? "" : "sr-only" }, label ?? "Choose"));
  for (const option of raw.options) {
    const value = optionValue(option);
    const input = h("input", { type: kind, name, value, checked: chosen.includes(value), data: { focus: `${focusKey(raw, block)}/${value}` } });
    const words = h("span", {}, ...textNodes(option.text, at.people), option.description && h("small", {}, ...textNodes(option.description, at.people)));
    group.append(h("label", { class: "choice" }, input, words));
  }
  group.addEventListener("change", () => changed(raw, block, at, group));
  return group;
}

function select(raw, block, at, label) {
  const several = raw.type === "multi_static_select";
  const grouped = raw.option_groups ?? [{ options: optionsOf(raw, at) }];
  const initial = [raw.initial_option, ...(raw.initial_options ?? [])].filter(Boolean).map(optionValue);
  const start = raw.initial_user ?? raw.initial_conversation ?? raw.initial_channel;
  const chosen = at.chosen(raw, block) ?? (start ? [start] : initial);
  const option = (each) => h("option", { value: optionValue(each), selected: chosen.includes(optionValue(each)) }, plain(each.text));
  const hint = plain(raw.placeholder) || "Choose…";
  const list = h(
    "select",
    { ...control(raw, block, "field"), multiple: several, size: several ? "4" : null, "aria-label": label ? null : hint },
    !several && h("option", { value: "" }, hint),
    ...grouped.map((group) => (group.label ? h("optgroup", { label: plain(group.label) }, ...group.options.map(option)) : group.options.map(option))),
  );
  list.addEventListener("change", () => changed(raw, block, at, list));
  return list;
}

function optionsOf(raw, at) {
  if (raw.type === "users_select") return at.people.users().map((user) => named(user.id, user.real_name));
  if (raw.type === "channels_select" || raw.type === "conversations_select") return at.people.channels().map((each) => named(each.id, `#${each.name}`));
  return raw.options ?? [];
}

const named = (value, text) => ({ value, text: { type: "plain_text", text } });

const INPUTS = { datepicker: ["date", "initial_date"], timepicker: ["time", "initial_time"], number_input: ["number", "initial_value"] };

function input(raw, block, at, label) {
  const [type, first] = INPUTS[raw.type] ?? ["text", "initial_value"];
  const start = at.chosen(raw, block)?.[0] ?? raw[first] ?? "";
  const props = {
    ...control(raw, block, "field"),
    placeholder: plain(raw.placeholder) || null,
    "aria-label": label ? null : plain(raw.placeholder) || raw.type,
    maxlength: raw.max_length ?? null,
    minlength: raw.min_length ?? null,
    autofocus: raw.focus_on_load === true,
  };
  const field = raw.multiline ? h("textarea", { ...props, rows: "5", value: start }) : h("input", { ...props, type, value: start, step: raw.is_decimal_allowed ? "any" : null });
  const entered = raw.dispatch_action_config?.trigger_actions_on ?? [];
  if (type !== "text" || entered.length) field.addEventListener("change", () => changed(raw, block, at, field));
  return field;
}

/** What every control has: where `valueOf` finds it, and what keeps its focus. */
const control = (raw, block, kind) => ({
  class: kind,
  data: { kind: raw.type, block: block.block_id, action: raw.action_id, focus: kind === "choices" ? null : focusKey(raw, block) },
});

async function changed(raw, block, at, where) {
  const value = valueOf(where);
  at.choose?.(raw, block, value);
  if (at.inForm(block)) return;
  await send(raw, block, at, Array.isArray(value) ? { selected_options: value } : { value });
}

function feedback(raw, block, at) {
  const one = (each) => h("button", { type: "button", class: "button", on: { click: () => at.act({ ...place(raw, block), value: each.value }) } }, plain(each.text));
  return [one(raw.positive_button), one(raw.negative_button)];
}

const iconic = (raw, block, at) =>
  h("button", { type: "button", class: "button", "aria-label": plain(raw.text), data: { focus: focusKey(raw, block) }, on: { click: () => send(raw, block, at) } }, icon("trash"));

const DRAWN = {
  button,
  overflow,
  checkboxes: choices,
  radio_buttons: choices,
  static_select: select,
  external_select: select,
  users_select: select,
  conversations_select: select,
  channels_select: select,
  multi_static_select: select,
  datepicker: input,
  timepicker: input,
  plain_text_input: input,
  number_input: input,
  feedback_buttons: feedback,
  icon_button: iconic,
};
