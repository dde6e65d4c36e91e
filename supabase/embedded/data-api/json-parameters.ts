/**
 * @supabase/lite hands json and jsonb parameters to its driver as text already, and the driver would
 * write that text as a JSON string once more, where PostgREST passes the document. Text that is an
 * object or an array is therefore sent as it is.
 */
export const jsonTypes = {
  json: { to: 114, from: [114], serialize: toJsonText, parse: parseJson },
  jsonb: { to: 3802, from: [3802], serialize: toJsonText, parse: parseJson },
};

function toJsonText(value: unknown): string {
  return typeof value === "string" && isDocument(value) ? value : JSON.stringify(value);
}

function isDocument(text: string): boolean {
  if (!text.startsWith("{") && !text.startsWith("[")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}
