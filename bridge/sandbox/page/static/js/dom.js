// Building DOM without markup: foreign text only ever becomes text nodes, so nothing in it can run.

/**
 * An element. `props`: `class`, `on` (listeners by event name), `data` (data-* by name), `style` (custom properties
 * and styles, set through the CSSOM since the page's policy forbids style attributes); other names are attributes,
 * where `false`, `null` and `undefined` leave the attribute out and `true` sets it empty. Children may be nodes,
 * texts, arrays of them, or nothing (`null`, `false`).
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(element, name, value);
  append(element, children);
  return element;
}

/** Children as `h` takes them, added to an element. */
export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** New children in the place of the old ones. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

function setProp(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
  } else if (name === "data") {
    for (const [key, each] of Object.entries(value)) if (each !== undefined && each !== null) element.dataset[key] = each;
  } else if (name === "style") {
    for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
  } else if (name === "value") {
    element.value = value;
  } else {
    element.setAttribute(name === "class" ? "class" : name, value === true ? "" : value);
  }
}

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  send: "M4 12h14M12 6l6 6-6 6",
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  clip: "M8 12.5l6-6a3 3 0 0 1 4.2 4.2l-8 8a5 5 0 0 1-7-7l7.6-7.6",
  down: "M6 9l6 6 6-6",
  sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M5.6 5.6L4.2 4.2M19.8 19.8l-1.4-1.4M5.6 18.4l-1.4 1.4M19.8 4.2l-1.4 1.4M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  panel: "M4 5h16v14H4zM15 5v14",
  copy: "M9 9h10v10H9zM5 15V5h10",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  hash: "M9 4L7 20M17 4l-2 16M4 9h16M3 15h16",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  muted: "M6 9a6 6 0 0 1 9.3-5M18 11c0 5 2 6 2 6H9M4 4l16 16M10.5 20.5a2 2 0 0 0 3 0",
  play: "M8 5l11 7-11 7z",
  reply: "M10 8L5 12l5 4M5 12h9a5 5 0 0 1 5 5v1",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  thread: "M5 6h14v9H11l-4 4v-4H5z",
  link: "M9 15l6-6M10 6l1-1a4 4 0 0 1 6 6l-1 1M14 18l-1 1a4 4 0 0 1-6-6l1-1",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  pencil: "M5 19l1-4L16 5l3 3L9 18z",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
};

/** A line icon by name; it says nothing to a screen reader, so its button needs a label. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button that shows an icon alone. */
export function iconButton(name, label, onClick, props = {}) {
  const all = { type: "button", class: "icon-button", "aria-label": label, title: label, on: { click: onClick } };
  return h("button", { ...all, ...props }, icon(name));
}

/** A link to the outside, or plain text where the address is none that a link may have. */
export function link(address, ...children) {
  return linkWith({}, address, ...children);
}

/** The same with properties of its own. */
export function linkWith(props, address, ...children) {
  if (!/^(https?:|mailto:)/i.test(address)) return h("span", props, ...children);
  return h("a", { ...props, href: address, target: "_blank", rel: "noopener noreferrer" }, ...children);
}
