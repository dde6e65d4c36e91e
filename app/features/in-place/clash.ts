/** What somebody else made of a text while this person edited it. */
export interface Clash {
  text: string;
  version: number | undefined;
  by?: string | undefined;
}

/** The newer text, as an action that was refused with 412 brings it. */
export function clashOf(answer: unknown, name: string): Clash | undefined {
  if (!isObject(answer) || !isObject(answer.clash) || !isObject(answer.clash.current))
    return undefined;
  const { current, changed_by: by } = answer.clash;
  const { version, [name]: text } = current;
  if (typeof version !== "number") return undefined;
  return {
    version,
    text: typeof text === "string" ? text : "",
    by: typeof by === "string" ? by : undefined,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
