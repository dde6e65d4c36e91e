import { expect } from "vitest";
import type { TestApp } from "./app";

/** A person at the pages without script: reads a page, changes fields of one of its forms and sends it. */
export function createVisitor(app: Pick<TestApp, "request" | "submit">, cookie: string) {
  const read = async (path: string): Promise<string> => {
    const page = await app.request(path, { headers: { cookie }, redirect: "follow" });
    expect(page.status, path).toBe(200);
    return page.text();
  };

  const send = (path: string, fields: Parameters<TestApp["submit"]>[1]) => app.submit(path, fields, { cookie });

  /** Sends the form with this intent (null: whose fields are these) as the page shows it; answers where that led. */
  const submit = async (path: string, intent: string | null, changes: Record<string, string> = {}) => {
    const wanted = Object.entries(intent === null ? changes : { intent, ...changes });
    const form = formsIn(await read(path), path).find(({ fields, buttons }) =>
      wanted.every(
        ([name, value]) => has(buttons, name, value) || has(fields, name, fixed.has(name) ? value : undefined),
      ),
    );
    expect(form, `a form ${intent} on ${path}`).toBeDefined();
    const { action, fields } = form ?? { action: path, fields: [] };
    const kept = fields.filter(([name]) => !wanted.some(([changed]) => changed === name));
    const answer = await send(action, [...kept, ...wanted]);
    expect(answer.status).toBe(303);
    return answer.headers.get("location");
  };

  return { read, send, submit };
}

export type Visitor = ReturnType<typeof createVisitor>;

type FormFields = [name: string, value: string][];

interface PageForm {
  action: string;
  fields: FormFields;
  /** Named buttons: only the one that is pressed is sent. */
  buttons: FormFields;
}

/** Fields that say what a form is about: a form is found by their value, and they are not changed. */
const fixed = new Set(["intent", "webhook_id"]);

function has(fields: FormFields, name: string, value: string | undefined): boolean {
  return fields.some(([known, at]) => known === name && (value === undefined || at === value));
}

/** The forms of a page with what a browser would send if nothing were touched. */
export function formsIn(html: string, path: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, tag = "", body = ""]) => ({
    action: attribute(tag, "action") ?? path,
    fields: fieldsIn(body),
    buttons: [...body.matchAll(/<button\b([^>]*)>/g)].flatMap(([, button = ""]) => {
      const name = attribute(button, "name");
      return name === undefined ? [] : [[name, attribute(button, "value") ?? ""]];
    }),
  }));
}

function fieldsIn(body: string): FormFields {
  const controls = /<(input)\b([^>]*)>|<(textarea|select)\b([^>]*)>(.*?)<\/(?:textarea|select)>/gs;
  return [...body.matchAll(controls)].flatMap(([, single, tag, , longTag, content = ""]) => {
    const name = attribute(tag ?? longTag ?? "", "name");
    if (name === undefined) return [];
    if (single === undefined) return [[name, chosenIn(content)]];
    const box = /\btype="(checkbox|radio)"/.test(tag ?? "");
    if (box && !/\bchecked\b/.test(tag ?? "")) return [];
    return [[name, attribute(tag ?? "", "value") ?? (box ? "on" : "")]];
  });
}

/** The text of a text area; of a list the selected choice, or the first one as browsers do. */
function chosenIn(content: string): string {
  const options = [...content.matchAll(/<option\b([^>]*)>/g)].map(([, tag = ""]) => tag);
  if (options.length === 0) return decoded(content);
  const chosen = options.find((tag) => /\bselected\b/.test(tag)) ?? options[0] ?? "";
  return attribute(chosen, "value") ?? "";
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\b${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? undefined : decoded(value);
}

function decoded(text: string): string {
  return text
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
