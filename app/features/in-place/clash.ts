/** The text someone else saved while this person was editing. */
export interface Clash {
  text: string;
  version: number | undefined;
  by?: string | undefined;
}

/** Returns the newer text from an action refused with 412. */
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
