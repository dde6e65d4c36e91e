import type { outputKinds } from "~/wire/agent-jobs/job-output";
import type { Redactor } from "./redact";

export type EntryKind = (typeof outputKinds)[number];

/** Something an agent said or did. A call has two entries: its start and its end. */
export interface Entry {
  kind: EntryKind;
  text: string;
  title?: string | undefined;
  path?: string | undefined;
  status?: "running" | "done" | "failed" | undefined;
}

/** Records what an agent says and does: in order, without secrets, in entries of limited size. */
export interface Transcript {
  /** Adds streamed text. Consecutive pieces of the same kind are joined into few entries. */
  say(kind: "text" | "thought", piece: string): void;
  /** The agent starts another message. */
  endMessage(): void;
  add(entry: Entry): void;
  lastWords(): string;
  /** Writes text that was held back for the rest of a word or secret. */
  flush(): void;
}

/** Longer texts lose their middle. */
const longestEntry = 16_000;
/** Delay before streamed text is written, for people who watch. */
const pauseMilliseconds = 400;
const longestWords = 64_000;

export function openTranscript(redactor: Redactor, write: (entry: Entry) => void): Transcript {
  let pending: { kind: "text" | "thought"; text: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let words = "";
  let wordsAreOver = true;

  const emit = (entry: Entry): void => write(cleaned(redactor, entry));

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const rest = pending;
    pending = undefined;
    if (rest !== undefined && rest.text !== "") emitPieces(rest.kind, rest.text);
  };

  const emitPieces = (kind: "text" | "thought", text: string): void => {
    // Redacted before it is split, so that no secret spans two pieces.
    const clean = redactor.clean(text);
    for (let from = 0; from < clean.length; from += longestEntry) {
      emit({ kind, text: clean.slice(from, from + longestEntry) });
    }
  };

  /** Writes complete text; an unfinished word, key or secret stays until it is complete. */
  const flushWhole = (): void => {
    timer = undefined;
    if (pending === undefined) return;
    const length = redactor.wholeLength(pending.text);
    const { kind, text } = pending;
    pending.text = text.slice(length);
    if (length > 0) emitPieces(kind, text.slice(0, length));
  };

  return {
    say(kind, piece) {
      if (piece === "") return;
      if (kind === "text") {
        words = ((wordsAreOver ? "" : words) + piece).slice(-longestWords);
        wordsAreOver = false;
      }
      if (pending !== undefined && pending.kind !== kind) flush();
      pending = { kind, text: (pending?.text ?? "") + piece };
      timer ??= setTimeout(flushWhole, pauseMilliseconds);
    },
    endMessage() {
      flush();
      wordsAreOver = true;
    },
    add(entry) {
      flush();
      wordsAreOver = true;
      emit(entry);
    },
    lastWords: () => redactor.clean(words).trim(),
    flush,
  };
}

function cleaned(redactor: Redactor, entry: Entry): Entry {
  const { title, path } = entry;
  return {
    ...entry,
    text: withoutMiddle(redactor.clean(entry.text)),
    ...(title === undefined ? {} : { title: redactor.clean(title).slice(0, 500) }),
    ...(path === undefined ? {} : { path: redactor.clean(path).slice(0, 500) }),
  };
}

/** Keeps both ends of a text that is too long, and says how much was cut. */
export function withoutMiddle(text: string): string {
  if (text.length <= longestEntry) return text;
  const half = Math.floor(longestEntry / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n… ${left} characters left out …\n${text.slice(-half)}`;
}
