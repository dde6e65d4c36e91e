/** One line of the doctor: what was checked, whether it is ok, and if not, what to do. */
export type Check = { name: string; ok: boolean; message: string };

export const passed = (name: string, message: string): Check => ({ name, ok: true, message });

export const failed = (name: string, message: string): Check => ({ name, ok: false, message });

/** Returns the first line of an error, with the code and message of its cause. */
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
