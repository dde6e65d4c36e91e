import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { ChangedFile } from "./changed-file";
import type { BelowLine, Side } from "./line-column";
import { LineCounts } from "./line-counts";
import type { ShownFile } from "./shown-diff";
import { useDiffKeys } from "./use-diff-keys";

/** The line a comment belongs to. */
export interface Spot {
  path: string;
  side: Side;
  line: number;
}

const nothing: BelowLine = new Map();

/** The files of a diff: a list of them, and their lines. */
export function DiffView({
  jobId,
  attempt,
  since = null,
  files,
  below,
  above,
  onSpot,
}: {
  jobId: string;
  attempt: number;
  /** Compare with this earlier attempt: its lines are the old side, which cannot be commented on here. */
  since?: number | null;
  files: readonly ShownFile[];
  /** Content below lines, by path. */
  below: ReadonlyMap<string, BelowLine>;
  /** Content before the lines of a file, by path. */
  above: ReadonlyMap<string, ReactNode>;
  /** Called when the user wants to comment on a line. */
  onSpot: (spot: Spot) => void;
}) {
  const [viewed, changeViewed] = useStoredList(`viewed:${jobId}`);
  const [[view = "split"], changeView] = useStoredList("diff-view");
  const list = useRef<HTMLDivElement>(null);
  useEarlierChoices(list);
  const commentOn = useCallback(
    (line: HTMLElement) => {
      const spot = spotOf(line);
      if (spot && (since === null || spot.side === "new")) onSpot(spot);
    },
    [onSpot, since],
  );
  useDiffKeys(commentOn);
  return (
    <div
      className="diff grid items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)]"
      data-view={view}
    >
      <FileList files={files} viewed={viewed}>
        <button
          type="button"
          className="mt-2 hidden px-2 text-xs text-accent underline lg:block"
          onClick={() => changeView(([now]) => [now === "unified" ? "split" : "unified"])}
        >
          {view === "split" ? "Unified" : "Split"}
        </button>
      </FileList>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the number of a line is a shortcut of the key r */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key is r */}
      <div
        ref={list}
        className="grid min-w-0 gap-4"
        onClick={(event) => {
          const line = numberAt(event.target, event.clientX);
          if (line) commentOn(line);
        }}
      >
        {files.map((file) => (
          <ChangedFile
            key={file.path}
            file={file}
            address={`/jobs/${jobId}/file?attempt=${attempt}&index=${file.index}${since === null ? "" : `&since=${since}`}`}
            isViewed={viewed.includes(file.key)}
            onViewed={(isViewed) =>
              changeViewed((before) => {
                const others = before.filter((key) => key !== file.key);
                return isViewed ? [...others.slice(-500), file.key] : others;
              })
            }
            below={below.get(file.path) ?? nothing}
            above={above.get(file.path) ?? null}
          />
        ))}
      </div>
    </div>
  );
}

/** Returns the line whose number was clicked. */
function numberAt(target: EventTarget, x: number): HTMLElement | null {
  if (!(target instanceof HTMLElement) || !target.matches(".l")) return null;
  return x - target.getBoundingClientRect().left <= 52 ? target : null;
}

function spotOf(line: HTMLElement): Spot | null {
  const path = line.closest<HTMLElement>("[data-path]")?.dataset.path;
  const { n, o } = line.dataset;
  if (path === undefined || (n === undefined && o === undefined)) return null;
  return n === undefined
    ? { path, side: "old", line: Number(o) }
    : { path, side: "new", line: Number(n) };
}

/** The changed files with their line counts. Viewed files are ticked. */
function FileList({
  files,
  viewed,
  children,
}: {
  files: readonly ShownFile[];
  viewed: readonly string[];
  children: ReactNode;
}) {
  return (
    <nav aria-label="Changed files" className="min-w-0 lg:sticky lg:top-4">
      <ol className="grid max-h-[40vh] gap-px overflow-y-auto text-xs lg:max-h-[80vh]">
        {files.map((file) => (
          <li key={file.path}>
            <a
              href={`#file-${file.index}`}
              className="flex items-baseline justify-between gap-2 rounded px-2 py-1 hover:bg-sunken pointer-coarse:py-3"
            >
              <span className="min-w-0 truncate font-mono" title={file.path}>
                {viewed.includes(file.key) ? "✓ " : ""}
                <bdi>{shortName(file.path)}</bdi>
              </span>
              <LineCounts additions={file.additions} deletions={file.deletions} />
            </a>
          </li>
        ))}
      </ol>
      {children}
    </nav>
  );
}

/** Shortens a path to its last two folders and name. */
function shortName(path: string): string {
  const parts = path.split("/");
  return parts.length > 3 ? `…/${parts.slice(-3).join("/")}` : path;
}

type List = readonly string[];

/** A list of strings kept in localStorage, and a function to change it. Empty on the server and without storage. */
function useStoredList(name: string): [List, (change: (list: List) => List) => void] {
  const [list, setList] = useState<List>([]);
  // Several changes may come before the next render.
  const latest = useRef(list);
  const show = useCallback((next: List) => {
    latest.current = next;
    setList(next);
  }, []);
  useEffect(() => show(read(name)), [name, show]);
  const store = useCallback(
    (change: (list: List) => List) => {
      show(change(latest.current));
      try {
        localStorage.setItem(name, JSON.stringify(latest.current));
      } catch {
        // Private windows cannot store: the list lasts as long as the page.
      }
    },
    [name, show],
  );
  return [list, store];
}

function read(name: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(name) ?? "[]");
    return Array.isArray(stored) ? stored.filter((entry) => typeof entry === "string") : [];
  } catch {
    return [];
  }
}
