import { harmless } from "./terminal";

export interface Journal {
  say(line: string): void;
  /** Skips a line equal to the last one, for states that last. */
  sayOnce(line: string): void;
}

export function openJournal(write: (text: string) => void): Journal {
  let last = "";
  const say = (line: string): void => {
    write(`${new Date().toISOString().slice(11, 19)}  ${harmless(line).replaceAll("\n", "\n          ")}\n`);
    last = line;
  };
  return {
    say,
    sayOnce: (line) => {
      if (line !== last) say(line);
    },
  };
}
