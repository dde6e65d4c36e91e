/** The worker's terminal output, one line at a time. */
export interface Journal {
  say(line: string): void;
  /** Skips a line equal to the last one, for states that last. */
  sayOnce(line: string): void;
}

export function openJournal(write: (text: string) => void): Journal {
  let last = "";
  const say = (line: string): void => {
    write(`${new Date().toISOString().slice(11, 19)}  ${harmless(line)}\n`);
    last = line;
  };
  return {
    say,
    sayOnce: (line) => {
      if (line !== last) say(line);
    },
  };
}

/**
 * Titles and addresses come from others. Replaces control characters, so that they cannot move the cursor, hide text or
 * fake a line.
 */
function harmless(line: string): string {
  return line
    .replaceAll("\n", "\n          ")
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
