import { useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import type { OutputEntry as Entry, JobOutput } from "~/nouns/agent-jobs/job-output";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { OutputEntry } from "./output-entry";
import { useJobOutput } from "./use-job-output";

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

function textOf({ title, path, text }: Entry): string {
  return [title, path, text].filter(Boolean).join("\n");
}
