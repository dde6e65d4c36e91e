/** What the worker tells the person who watches it, one line at a time. */
export interface Journal {
  say(line: string): void;
  /** Says a line only when it is another one than before, for states that last. */
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

/** Titles and addresses are other people's words: none of them moves the cursor, hides what follows or reads like a line of ours. */
function harmless(line: string): string {
  return line
    .replaceAll("\n", "\n          ")
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
