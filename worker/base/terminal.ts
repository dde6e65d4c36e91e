import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** The only writer to the user's terminal: what agents, tasks and other people wrote cannot steer it. */
export function print(text: string): void {
  process.stdout.write(harmless(text));
}

export function complain(text: string): void {
  process.stderr.write(harmless(text));
}

/** Titles come from others: control characters could move the cursor, hide text or fake a line. */
export function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

/** Ctrl-C reaches the worker, not the question. The end of the input is a no. */
export async function askInTerminal(question: string, stop: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  print(question);
  try {
    const [answer] = await Promise.race([
      once(lines, "line", { signal: stop }),
      once(lines, "close", { signal: stop }),
    ]);
    return String(answer ?? "");
  } finally {
    lines.close();
  }
}
