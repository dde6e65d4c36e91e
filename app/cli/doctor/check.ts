/** One line of the doctor: what was looked at, whether it is right, and if not what to do. */
export interface Check {
  name: string;
  ok: boolean;
  message: string;
}

export function passed(name: string, message: string): Check {
  return { name, ok: true, message };
}

export function failed(name: string, message: string): Check {
  return { name, ok: false, message };
}

/** The first line of whatever went wrong, with the code and words of whoever refused underneath. */
export function reasonOf(error: unknown): string {
  const own = firstLine(error);
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return own;
  const code = "code" in error.cause ? error.cause.code : undefined;
  return `${own} (${typeof code === "string" ? `${code}: ` : ""}${firstLine(error.cause)})`;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? text;
}
