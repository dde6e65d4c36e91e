import clsx from "clsx";
import { useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import type { OutputEntry as Entry, JobOutput, OutputKind } from "~/wire/agent-jobs/job-output";
import { useJobOutput } from "./use-job-stream";

/** An agent's output, oldest first, updated live. */
export function OutputLog({ output, onChange }: { output: JobOutput; onChange: () => void }) {
  const { entries, earlier, loadEarlier, problem } = useJobOutput(output, onChange);
  const hydrated = useHydrated();
  const [wanted, setWanted] = useState("");
  const [follows, setFollows] = useState(!output.complete);
  const end = useRef<HTMLDivElement>(null);
  const tools = useRef<HTMLDivElement>(null);
  useEarlierChoices(tools);
  const shown = wanted ? entries.filter((entry) => holds(entry, wanted)) : entries;

  const count = entries.length;
  useEffect(() => {
    if (follows && count > 0) end.current?.scrollIntoView({ block: "nearest" });
  }, [count, follows]);

  return (
    <div className="grid gap-3">
      {count > 0 || !output.complete ? (
        <div ref={tools} className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          <input
            type="search"
            aria-label="Search in the output"
            placeholder="Search in the output"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
            className="h-9 min-w-40 flex-1 rounded border border-line bg-surface px-2.5 text-sm pointer-coarse:h-11"
          />
          {output.complete ? null : (
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                autoComplete="off"
                checked={follows}
                onChange={(event) => setFollows(event.target.checked)}
              />
              Follow
            </label>
          )}
          <CopyButton text={entries.map(textOf).join("\n")} label="Copy all" />
        </div>
      ) : null}
      {earlier > 0 ? (
        <Button size="sm" disabled={!hydrated} onClick={() => void loadEarlier()}>
          Show {earlier} earlier
        </Button>
      ) : null}
      {problem ? (
        <p role="alert" className="text-sm text-failed">
          {problem}
        </p>
      ) : null}
      {output.dropped ? (
        <p className="text-sm text-muted">
          Entries {output.dropped.from} to {output.dropped.to} were dropped: an attempt keeps 5 MiB.
        </p>
      ) : null}
      {shown.length === 0 ? <Nothing output={output} wanted={wanted} /> : null}
      <ol aria-label="Output" className="divide-y divide-line">
        {shown.map((entry) => (
          <OutputEntry key={entry.seq} entry={entry} />
        ))}
      </ol>
      <div ref={end} />
    </div>
  );
}

function Nothing({ output, wanted }: { output: JobOutput; wanted: string }) {
  if (wanted) return <p className="text-sm text-muted">No matches for "{wanted}".</p>;
  return (
    <p className="text-sm text-muted">
      {output.attempt === null
        ? "No worker has taken this job yet."
        : output.complete
          ? "This worker does not send agent output. Start it with --agent to see output here."
          : "No output yet."}
    </p>
  );
}

function holds(entry: Entry, wanted: string): boolean {
  return textOf(entry).toLowerCase().includes(wanted.toLowerCase());
}

const textOf = ({ title, path, text }: Entry): string => [title, path, text].filter(Boolean).join("\n");

const labels: Record<OutputKind, string> = {
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
  (entry.kind === "command" || entry.kind === "tool" || entry.kind === "edit") && entry.text.length > 0;

/** One entry of an agent's output, always rendered as plain text: it is untrusted. */
function OutputEntry({ entry }: { entry: Entry }) {
  const heading = [entry.title ?? "", entry.path ?? ""].filter(Boolean).join(" · ");
  return (
    <li className="grid gap-1 py-2 [contain-intrinsic-size:auto_3rem] [content-visibility:auto]" data-kind={entry.kind}>
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
        <div className={clsx(heading || entry.status ? "grid gap-1" : "sm:flex sm:items-baseline sm:gap-x-2")}>
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
    <span className={clsx("w-16 shrink-0 text-xs", entry.kind === "error" ? "text-failed" : "text-muted")}>
      {labels[entry.kind]}
    </span>
  );
}

function Heading({ text }: { text: string }) {
  return <code className="min-w-0 flex-1 font-mono text-xs break-words">{text}</code>;
}

function Status({ entry }: { entry: Entry }) {
  if (!entry.status) return null;
  const failed = /^exit (?!0$)/.test(entry.status);
  return <span className={clsx("text-xs", failed ? "text-failed" : "text-muted")}>{entry.status}</span>;
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

/** Browsers take ten seconds and more to shape 64 KiB without a break (base64), but are fast with many short pieces. */
function piecesOf(text: string): { from: number; piece: string }[] {
  const isEndless = text.split(/\s/).some((word) => word.length > 500);
  const pieces = isEndless ? (text.match(/.{1,500}/gsu) ?? []) : [text];
  let end = 0;
  return pieces.map((piece) => {
    end += piece.length;
    return { from: end - piece.length, piece };
  });
}
