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

/** The first line of whatever went wrong. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? text;
}
