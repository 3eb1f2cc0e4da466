// The page's server: its state, its events, and what the visitor does. Every failure becomes an Error in words.

/** The state of everything. */
export async function getState() {
  return ask("/api/state");
}

/** Something the visitor does; the answer's body. Raises an Error with the server's words. */
export async function post(path, body) {
  return ask(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Where a file's bytes are. */
export function fileAddress(platform, id) {
  return `/api/file/${platform}/${encodeURIComponent(id)}`;
}

/** Bytes as base64, the way the API takes files. */
export async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(text);
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The sandbox does not answer. Is it still running?");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error ?? `The sandbox answered ${answer.status}.`);
  return body;
}
