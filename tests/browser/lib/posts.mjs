// The forms of a page that post, as a browser would send them: filled where they must be, one entry per button.
const unescape = (s) => s.replace(/&(amp|lt|gt|quot|#39|#x27|#x3D|#x2F|#x60);/gi, (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'", "#x3d": "=", "#x2f": "/", "#x60": "`" })[name.toLowerCase()]);
const attribute = (tag, name) => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s>/])`).exec(tag);
  return found ? unescape(found[1] ?? "") : null;
};
const SAMPLES = { email: "made@pages.example", password: "a password for it", number: "1", date: "2026-12-01", "datetime-local": "2026-12-01T10:00" };
const sample = (tag) => SAMPLES[attribute(tag, "type")] ?? (/slug|name|key|roles/.test(attribute(tag, "name")) ? "made" : "made by a test");

function value(tag) {
  const type = attribute(tag, "type");
  if (type === "checkbox" || type === "radio") return / checked[\s>]/.test(tag) ? attribute(tag, "value") ?? "on" : null;
  return attribute(tag, "value") || sample(tag);
}

function fields(form) {
  const list = [];
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) if (attribute(tag, "name") && attribute(tag, "type") !== "submit" && value(tag) !== null) list.push([attribute(tag, "name"), value(tag)]);
  for (const [, tag, inside] of form.matchAll(/(<textarea\b[^>]*>)([^]*?)<\/textarea>/g)) list.push([attribute(tag, "name"), unescape(inside) || sample(tag)]);
  for (const [, tag, inside] of form.matchAll(/(<select\b[^>]*>)([^]*?)<\/select>/g)) {
    const chosen = /<option[^>]* selected[\s>][^>]*/.exec(inside)?.[0] ?? /<option\b[^>]*>/.exec(inside)?.[0];
    if (chosen) list.push([attribute(`${chosen}>`, "name") ?? attribute(tag, "name"), attribute(`${chosen}>`, "value") ?? ""]);
  }
  return list.filter(([name]) => name !== "csrf_token");
}

/** [{action, fields: [[name, value]], says}]: of every button of every form that posts; without the CSRF token. */
export function posts(html) {
  const list = [];
  for (const [form, head] of html.matchAll(/(<form\b[^>]*method="post"[^>]*>)[^]*?<\/form>/g)) {
    const all = fields(form);
    for (const [button, tag] of form.matchAll(/(<button\b[^>]*>)[^]*?<\/button>/g)) {
      const name = attribute(tag, "name");
      list.push({ action: attribute(tag, "formaction") ?? attribute(head, "action"), fields: name ? [...all, [name, attribute(tag, "value") ?? ""]] : all,
        says: button.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim() });
    }
  }
  return list;
}
