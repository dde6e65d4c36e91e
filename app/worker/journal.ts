/** What the worker tells the person who watches it, one line at a time. */
export interface Journal {
  say(line: string): void;
  /** Says a line only when it is another one than before, for states that last. */
  sayOnce(line: string): void;
}

export function openJournal(write: (text: string) => void): Journal {
  let last = "";
  const say = (line: string): void => {
    write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
    last = line;
  };
  return {
    say,
    sayOnce: (line) => {
      if (line !== last) say(line);
    },
  };
}
