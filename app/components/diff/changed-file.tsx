import { Link } from "@remix-run/react";
import { type ReactNode, useEffect, useState } from "react";
import { visible } from "../proof/visible";
import { ChangedLines } from "./changed-lines";
import type { BelowLine } from "./line-column";
import { LineCounts } from "./line-counts";
import type { ShownFile } from "./shown-diff";
import { useFileLines } from "./use-file-lines";

const statusWords: Record<ShownFile["status"], string> = {
  added: "added",
  modified: "",
  deleted: "deleted",
  renamed: "renamed",
  copied: "copied",
  type_changed: "became something else",
  submodule: "submodule",
};

/** One file of a diff. Its lines are loaded when somebody opens it, or scrolls near it. */
export function ChangedFile({
  file,
  address,
  isViewed,
  onViewed,
  below,
  above,
}: {
  file: ShownFile;
  /** Where its lines are. */
  address: string;
  isViewed: boolean;
  onViewed: (isViewed: boolean) => void;
  below: BelowLine;
  /** What stands before the lines: comments whose lines are gone. */
  above: ReactNode;
}) {
  const [isOpen, setOpen] = useState(!file.folded && !isViewed);
  // What was viewed before is known only once the page runs.
  useEffect(() => {
    if (isViewed) setOpen(false);
  }, [isViewed]);
  const note = noteOf(file);
  const { hunks, problem, place } = useFileLines(file, address, isOpen);
  return (
    <section
      id={`file-${file.index}`}
      aria-label={file.path}
      data-path={file.path}
      className="file scroll-mt-14 rounded-lg border border-line bg-surface"
    >
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} ref={place}>
        <summary className="file-name">
          <span className="min-w-0 font-mono text-xs break-all">
            {file.old_path ? <span className="text-muted">{visible(file.old_path)} → </span> : null}
            {visible(file.path)}
          </span>
          <span className="text-xs text-muted">{statusWords[file.status]}</span>
          <LineCounts additions={file.additions} deletions={file.deletions} />
        </summary>
        <div className="border-t border-line text-sm">
          {note ? <p className="px-3 py-2 text-muted">{note}</p> : null}
          {above}
          {hunks ? (
            <ChangedLines hunks={hunks} below={below} />
          ) : (
            <p className="px-3 py-2 text-muted">{problem ?? <Loading index={file.index} />}</p>
          )}
        </div>
      </details>
      <label className="flex items-center gap-1.5 border-t border-line px-3 py-1.5 text-xs text-muted pointer-coarse:py-3">
        <input
          type="checkbox"
          autoComplete="off"
          checked={isViewed}
          onChange={(event) => {
            onViewed(event.target.checked);
            setOpen(!event.target.checked);
          }}
        />
        Viewed
      </label>
    </section>
  );
}

function Loading({ index }: { index: number }) {
  return (
    <>
      Loading …{" "}
      <Link to={`?open=${index}#file-${index}`} reloadDocument className="underline">
        Show the lines
      </Link>
    </>
  );
}

function noteOf(file: ShownFile): string | null {
  if (file.status === "submodule")
    return "A submodule: its commit changed. Look at it in its own repository.";
  if (file.binary) return "A binary file.";
  if (file.truncated) {
    return "Not all of it is here: it is too large, or a secret was taken out. The branch has the whole file.";
  }
  if (file.note) return file.note;
  return file.lineCount === 0 ? "No line changed." : null;
}
