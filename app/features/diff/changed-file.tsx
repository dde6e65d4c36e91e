import { Link, useSearchParams } from "@remix-run/react";
import clsx from "clsx";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { sizeText } from "~/features/files/file-list";
import { visible } from "~/features/proof/visible";
import { isLockFile } from "~/wire/reviews/folded-files";
import { type BelowLine, LineColumn } from "./line-column";
import { LineCounts } from "./line-counts";
import type { Mark, ShownFile, ShownHunk, ShownLine } from "./shown-diff";

/** One file of a diff. Its lines load when it is open and near the viewport. */
export function ChangedFile(props: {
  file: ShownFile;
  id: string;
  /** No two parts of a page have the same. */
  label: string;
  /** The hunks of this chapter; null for the whole file. */
  only: readonly number[] | null;
  address: string;
  /** Null for a file that has changed back: nothing can be marked. */
  viewed: ViewedMark | null;
  flag: ReactNode;
  below: BelowLine;
  /** Shown before the lines: comments whose lines no longer exist. */
  above: ReactNode;
}) {
  const { file, id, label, only, address, viewed, flag, below, above } = props;
  const isViewed = viewed?.isViewed ?? false;
  const [isOpen, setOpen] = useState(!file.folded && !isViewed);
  useEffect(() => setOpen(!file.folded && !isViewed), [file.folded, isViewed]);
  const { read, problem, place: details } = useFileLines(file, address, isOpen);
  const note = noteOf(read ?? file);
  const hunks = read?.hunks;
  return (
    <section
      id={id}
      aria-label={label}
      data-path={file.path}
      data-index={file.index}
      data-half={hasOneSide(file) || undefined}
      className="file grid scroll-mt-14 grid-cols-1 rounded-lg border border-line bg-surface *:col-start-1 *:row-start-1"
    >
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} ref={details}>
        <summary className="file-name">
          <span className="min-w-0 font-mono text-xs wrap-anywhere">
            {file.old_path ? <span className="text-muted">{visible(file.old_path)} → </span> : null}
            {visible(file.path)}
          </span>
          <span className="text-xs text-muted">{file.status === "modified" ? "" : file.status.replace("_", " ")}</span>
          <LineCounts additions={file.additions} deletions={file.deletions} />
          {flag}
          {file.folded && !isOpen && !isViewed ? <span className="text-xs text-muted">{foldedText(file)}</span> : null}
        </summary>
        <div className="border-t border-line text-sm">
          {note ? <p className="px-3 py-2 text-muted">{note}</p> : null}
          {above}
          {read && read.pictures.length > 0 ? <ChangedPicture file={read} address={address} /> : null}
          {hunks ? (
            <ChangedLines file={file.index} hunks={hunks} only={only ?? [...hunks.keys()]} below={below} />
          ) : (
            <p className="px-3 py-2 text-muted">{problem ?? <Loading index={file.index} />}</p>
          )}
        </div>
      </details>
      {viewed === null ? null : <ViewedForm {...viewed} />}
    </section>
  );
}

/** Why nothing of a file is shown until someone opens it. */
function foldedText({ path, binary, left_out }: ShownFile): string {
  if (binary) return "Folded: binary";
  if (left_out) return "Folded: these changes are large";
  return isLockFile(path) ? "Folded: a lock file" : "Folded: generated";
}

/** Whether the person has looked at a file, and how to tell the service. */
export interface ViewedMark {
  isViewed: boolean;
  /** The attempts and paths that it is for. */
  marks: readonly Mark[];
  onChange: (() => void) | null;
}

/** Works without script as well: then the page returns. */
function ViewedForm({ isViewed, marks, onChange }: ViewedMark) {
  return (
    <form
      method="post"
      className="sticky top-13 z-1 self-start justify-self-end"
      onSubmit={(event) => {
        event.preventDefault();
        onChange?.();
      }}
    >
      <input type="hidden" name="intent" value="viewed" />
      <input type="hidden" name="viewed" value={String(!isViewed)} />
      {marks.map((mark) => (
        <input key={mark.job_id} type="hidden" name="mark" value={JSON.stringify(mark)} />
      ))}
      {/* biome-ignore lint/a11y/useSemanticElements: without script a checkbox sends nothing */}
      <button
        type="submit"
        role="checkbox"
        aria-checked={isViewed}
        disabled={onChange === null}
        className="h-9 px-3 text-xs text-muted hover:text-ink pointer-coarse:h-11"
      >
        <span aria-hidden>{isViewed ? "☑" : "☐"}</span> Viewed
      </button>
    </form>
  );
}

function Loading({ index }: { index: number }) {
  const [query] = useSearchParams();
  const address = new URLSearchParams(query);
  address.set("open", String(index));
  return (
    <>
      Loading …{" "}
      <Link to={`?${address}#file-${index}`} reloadDocument className="underline">
        Show the diff
      </Link>
    </>
  );
}

/** Whether one side has hardly any lines: the split view leaves no half empty. */
function hasOneSide({ additions, deletions }: ShownFile): boolean {
  const [less, more] = [Math.min(additions, deletions), Math.max(additions, deletions)];
  return less === 0 ? more > 0 : more >= 10 && more >= less * 6;
}

function noteOf(file: ShownFile): string | null {
  if (file.status === "submodule")
    return "The commit of this submodule changed. To see what is in it, open the submodule's own repository.";
  if (file.pictures.length > 0) return file.note ?? null;
  if (file.binary)
    return file.truncated ? "A binary file, too large to be kept here. The branch has it." : "A binary file.";
  if (file.truncated) {
    return "Only part of this file is shown: it is too large, or a secret was removed. The branch has the whole file.";
  }
  if (file.note) return file.note;
  return file.lineCount === 0 ? "No lines changed." : null;
}

/** A picture as it was and as it is, side by side where there is room. */
function ChangedPicture({ file: { path, pictures }, address }: { file: ShownFile; address: string }) {
  return (
    <div className="flex flex-wrap items-start gap-3 p-3">
      {pictures.map(({ side, bytes }) => {
        const when = side === "old" ? "Before" : "After";
        const size = bytes === null ? "not stored whole, so it is not drawn" : sizeText(bytes);
        const url = `${address}&picture=${side}`;
        return (
          <figure key={side} className="grid max-w-full gap-1">
            <figcaption className="text-xs text-muted">{`${when}, ${size}`}</figcaption>
            {bytes === null ? null : (
              <a href={url}>
                <img src={url} alt={`${visible(path)}, ${when.toLowerCase()}`} loading="lazy" className="checkered" />
              </a>
            )}
          </figure>
        );
      })}
    </div>
  );
}

/** The lines of a file. Unified and split view share the same markup; only CSS switches between them. */
function ChangedLines(props: { file: number; hunks: readonly ShownHunk[]; only: readonly number[]; below: BelowLine }) {
  const { file, hunks, only, below } = props;
  const shown = only.flatMap((place) => (hunks[place] ? [{ place, hunk: hunks[place] }] : []));
  return shown.map(({ place, hunk }) => (
    <div key={place} id={`hunk-${file}-${place}`} className="scroll-mt-24">
      {isFirst(hunk) || <p className="hunk-heading">{hunk.heading || "…"}</p>}
      {segmentsOf(hunk.lines).map(({ isChange, old, next }) => (
        <div
          key={`${startsOf(old)} ${startsOf(next)}`}
          className={clsx("seg", isChange && "change", Math.max(old.length, next.length) > 60 && "far")}
        >
          <LineColumn side="old" lines={old} below={below} isTwin={!isChange} />
          <LineColumn side="new" lines={next} below={below} />
        </div>
      ))}
    </div>
  ));
}

/** Whether the hunk starts at the first line of the file, so that nothing is left out above. */
function isFirst({ heading, lines }: ShownHunk): boolean {
  const [, old, next] = lines[0] ?? [];
  return heading === "" && (old === 1 || next === 1);
}

/** Start lines in the old and new file. Unique: no two parts of a patch start at the same line of both. */
function startsOf([first]: readonly ShownLine[]): string {
  const [, old, next] = first ?? [];
  return `${old ?? ""}:${next ?? ""}`;
}

/** Unchanged lines (the same on both sides), or a change with its old and new lines. */
interface Segment {
  isChange: boolean;
  old: readonly ShownLine[];
  next: readonly ShownLine[];
}

/** Lines per laid-out block. Browsers skip layout of blocks outside the viewport. */
const mostLines = 100;

function segmentsOf(lines: readonly ShownLine[]): Segment[] {
  const segments: Segment[] = [];
  for (let start = 0; start < lines.length; ) {
    const isChange = lines[start]?.[0] !== "s";
    let end = start;
    while (end < lines.length && (lines[end]?.[0] !== "s") === isChange) end += 1;
    segments.push(...piecesOf(lines.slice(start, end), isChange));
    start = end;
  }
  return segments;
}

function piecesOf(lines: readonly ShownLine[], isChange: boolean): Segment[] {
  const old = lines.filter(([kind]) => kind !== "a");
  const next = lines.filter(([kind]) => kind !== "d");
  // A change with both sides stays whole: if split, it would be read in the wrong order.
  if (isChange && old.length > 0 && next.length > 0) return [{ isChange, old, next }];
  const pieces: Segment[] = [];
  for (let start = 0; start < lines.length; start += mostLines) {
    const end = start + mostLines;
    pieces.push({ isChange, old: old.slice(start, end), next: next.slice(start, end) });
  }
  return pieces;
}

/** Returns a file's lines: from the page, or loaded once the file is open and near the viewport. */
function useFileLines(file: ShownFile, address: string, isOpen: boolean) {
  const details = useRef<HTMLDetailsElement>(null);
  const [loaded, setLoaded] = useState<{ key: string; file: ShownFile } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = file.hunks ? file : loaded?.key === file.key ? loaded.file : null;
  const isWanted = isOpen && read === null;
  useEffect(() => {
    const element = details.current;
    if (!isWanted || !element) return;
    const closing = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const answer = await fetch(address, { signal: closing.signal });
        if (!answer.ok) throw new Error(String(answer.status));
        const loadedFile: ShownFile = await answer.json();
        setLoaded({ key: file.key, file: loadedFile });
      } catch {
        if (!closing.signal.aborted) setProblem("The diff could not be loaded. Reload the page.");
      }
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        void load();
      },
      { rootMargin: "1500px" },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      closing.abort();
    };
  }, [isWanted, address, file.key]);
  return { read, problem, place: details };
}
