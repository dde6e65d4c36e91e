import clsx from "clsx";
import type { OutputEntry as Entry, OutputKind } from "~/nouns/agent-jobs/job-output";

const words: Record<OutputKind, string> = {
  text: "said",
  thought: "thought",
  plan: "plan",
  command: "ran",
  tool: "used",
  edit: "changed",
  test: "tested",
  note: "note",
  error: "error",
};

/** Results of commands, tools and edits are folded; what the agent says is open. */
const isFolded = (entry: Entry) =>
  (entry.kind === "command" || entry.kind === "tool" || entry.kind === "edit") &&
  entry.text.length > 0;

/** One entry of an agent's output, always rendered as plain text: it is untrusted. */
export function OutputEntry({ entry }: { entry: Entry }) {
  const heading = [entry.title ?? "", entry.path ?? ""].filter(Boolean).join(" · ");
  return (
    <li
      className="grid gap-1 py-2 [contain-intrinsic-size:auto_3rem] [content-visibility:auto]"
      data-kind={entry.kind}
    >
      {isFolded(entry) ? (
        <details>
          <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-2 text-sm">
            <Kind entry={entry} />
            <Heading text={heading || (entry.text.split("\n")[0] ?? "")} />
            <Status entry={entry} />
          </summary>
          <Text entry={entry} />
        </details>
      ) : (
        <div
          className={clsx(
            heading || entry.status ? "grid gap-1" : "sm:flex sm:items-baseline sm:gap-x-2",
          )}
        >
          <p className="flex flex-wrap items-baseline gap-x-2 text-sm">
            <Kind entry={entry} />
            {heading ? <Heading text={heading} /> : null}
            <Status entry={entry} />
          </p>
          {entry.text ? <Text entry={entry} isAlone={!heading && !entry.status} /> : null}
        </div>
      )}
    </li>
  );
}

function Kind({ entry }: { entry: Entry }) {
  return (
    <span
      className={clsx(
        "w-16 shrink-0 text-xs",
        entry.kind === "error" ? "text-failed" : "text-muted",
      )}
    >
      {words[entry.kind]}
    </span>
  );
}

function Heading({ text }: { text: string }) {
  return <code className="min-w-0 flex-1 font-mono text-xs break-words">{text}</code>;
}

function Status({ entry }: { entry: Entry }) {
  if (!entry.status) return null;
  const failed = /^exit (?!0$)/.test(entry.status);
  return (
    <span className={clsx("text-xs", failed ? "text-failed" : "text-muted")}>{entry.status}</span>
  );
}

/** The text, below its heading or next to its kind if there is no heading. */
function Text({ entry, isAlone = false }: { entry: Entry; isAlone?: boolean }) {
  const isProse = entry.kind === "text" || entry.kind === "note" || entry.kind === "plan";
  return (
    <pre
      className={clsx(
        "max-w-full min-w-0 break-words whitespace-pre-wrap",
        !isAlone && "sm:pl-18",
        isProse ? "font-sans text-sm" : "font-mono text-xs text-muted",
        entry.kind === "error" && "text-failed",
      )}
    >
      {piecesOf(entry.text).map(({ from, piece }) => (
        <span key={from}>{piece}</span>
      ))}
    </pre>
  );
}

/**
 * Splits texts with very long words (minified files, base64). Browsers take ten seconds and more to shape 64 KiB
 * without a break, but are fast with many short pieces.
 */
function piecesOf(text: string): { from: number; piece: string }[] {
  const isEndless = text.split(/\s/).some((word) => word.length > 500);
  const pieces = isEndless ? (text.match(/.{1,500}/gsu) ?? []) : [text];
  let end = 0;
  return pieces.map((piece) => {
    end += piece.length;
    return { from: end - piece.length, piece };
  });
}
