import { Link, useSearchParams } from "@remix-run/react";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { visible } from "~/features/proof/visible";
import { OneLine } from "~/ui/fold";
import { countText, numberText } from "~/ui/numbers";
import { useWriteAccess } from "~/ui/write-access";
import { ChangedFile } from "./changed-file";
import { ChapterList } from "./chapter-list";
import type { BelowLine, Side } from "./line-column";
import type { FilePage, ShownChapter, ShownFile } from "./shown-diff";
import { useDiffKeys } from "./use-diff-keys";
import type { Viewed } from "./use-viewed";

export interface Spot {
  index: number;
  path: string;
  side: Side;
  line: number;
}

const nothing: BelowLine = new Map();

/** The files of a diff in their chapters: a list of them, and their lines. */
export function DiffView(props: {
  addressOf: (file: ShownFile) => string;
  /** Compare with this earlier attempt: its lines are the old side, which cannot be commented on here. */
  since?: number | null;
  files: readonly ShownFile[];
  chapters: readonly ShownChapter[];
  page: FilePage;
  /** What a chapter says before its files. */
  aside: (chapter: ShownChapter) => ReactNode;
  viewed: Viewed;
  flagOf: (path: string) => ReactNode;
  /** Content below lines, by the file's index. */
  below: ReadonlyMap<number, BelowLine>;
  /** Content before the lines of a file, by its index. */
  above: ReadonlyMap<number, ReactNode>;
  onSpot: (spot: Spot) => void;
}) {
  const { addressOf, since = null, files, chapters, page, aside, viewed, flagOf, below, above, onSpot } = props;
  const { isViewed, change, marksOf } = viewed;
  const { canWrite } = useWriteAccess();
  const [view, changeView] = useDiffLook();
  const commentOn = useCallback(
    (line: HTMLElement) => {
      const spot = spotOf(line);
      if (spot && (since === null || spot.side === "new")) onSpot(spot);
    },
    [onSpot, since],
  );
  useDiffKeys(commentOn);
  const byIndex = new Map(files.map((file) => [file.index, file]));
  const names = namesOf(chapters, byIndex);
  const fileIds = names.map((ofChapter) => ofChapter.map(({ id }) => id));
  return (
    <div className="diff grid items-start gap-4 lg:grid-cols-[14rem_minmax(0,1fr)]" data-view={view}>
      <ChapterList chapters={chapters} files={byIndex} fileIds={fileIds} isViewed={isViewed} flagOf={flagOf}>
        <button
          type="button"
          className="mt-2 hidden px-2 text-xs text-accent underline lg:block"
          onClick={() => changeView(view === "unified" ? "split" : "unified")}
        >
          {view === "split" ? "Unified" : "Split"}
        </button>
      </ChapterList>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the number of a line is a shortcut of the key r */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key is r */}
      <div
        className="grid min-w-0 gap-5"
        onClick={(event) => {
          const line = numberAt(event.target, event.clientX);
          if (line) commentOn(line);
        }}
      >
        <FilePageLinks {...page} />
        {chapters.map((chapter, chapterIndex) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: chapters have no other name and keep their order
          <section key={chapterIndex} id={`chapter-${chapterIndex}`} className="grid min-w-0 scroll-mt-14 gap-3">
            <ChapterHead chapter={chapter}>{aside(chapter)}</ChapterHead>
            {chapter.parts.map(({ index, hunks }, part) => {
              const file = byIndex.get(index);
              const marks = file ? marksOf(file) : [];
              if (!file) return null;
              return (
                <ChangedFile
                  key={index}
                  {...(names[chapterIndex]?.[part] ?? { id: "", label: file.path })}
                  file={file}
                  only={hunks}
                  address={addressOf(file)}
                  viewed={
                    marks.length === 0
                      ? null
                      : { isViewed: isViewed(index), marks, onChange: canWrite ? () => void change(file) : null }
                  }
                  flag={flagOf(file.path)}
                  below={below.get(index) ?? nothing}
                  above={above.get(index) ?? null}
                />
              );
            })}
          </section>
        ))}
        <FilePageLinks {...page} />
      </div>
    </div>
  );
}

function ChapterHead({ chapter, children }: { chapter: ShownChapter; children: ReactNode }) {
  const { title, why, note } = chapter;
  return (
    <div className="grid gap-1 text-sm">
      <div className="grid items-baseline gap-x-3 sm:grid-cols-[auto_minmax(8rem,1fr)]">
        <h2 className="text-base font-semibold break-words">
          <bdi>{visible(title)}</bdi>
        </h2>
        {why ? <OneLine>{visible(why)}</OneLine> : null}
      </div>
      {note ? <p className="break-words text-muted">{visible(note)}</p> : null}
      {children}
    </div>
  );
}

/** Of the files of each chapter an id and a label that no other part of the page has. */
function namesOf(chapters: readonly ShownChapter[], files: ReadonlyMap<number, ShownFile>) {
  const seen = new Set<number | string>();
  const isNew = (name: number | string) => !seen.has(name) && seen.add(name).size > 0;
  return chapters.map(({ parts, title }, chapter) =>
    parts.map(({ index }) => {
      const path = files.get(index)?.path ?? "";
      const id = isNew(index) ? `file-${index}` : `file-${index}-${chapter}`;
      return { id, label: isNew(path) ? path : `${path}, ${visible(title)}` };
    }),
  );
}

function numberAt(target: EventTarget, x: number): HTMLElement | null {
  if (!(target instanceof HTMLElement) || !target.matches(".l")) return null;
  return x - target.getBoundingClientRect().left <= 52 ? target : null;
}

function spotOf(line: HTMLElement): Spot | null {
  const { path, index } = line.closest<HTMLElement>("[data-path]")?.dataset ?? {};
  const { n, o } = line.dataset;
  if (path === undefined || (n === undefined && o === undefined)) return null;
  const file = { path, index: Number(index) };
  return n === undefined ? { ...file, side: "old", line: Number(o) } : { ...file, side: "new", line: Number(n) };
}

const lookName = "diff-view";

/** Unified or split, as chosen last in this browser. */
function useDiffLook(): [string, (look: string) => void] {
  const [look, setLook] = useState("split");
  useEffect(() => setLook(storedLook()), []);
  const change = (next: string): void => {
    setLook(next);
    try {
      localStorage.setItem(lookName, next);
    } catch {
      // Private windows cannot store: the choice lasts as long as the page.
    }
  };
  return [look, change];
}

function storedLook(): string {
  try {
    return localStorage.getItem(lookName) === "unified" ? "unified" : "split";
  } catch {
    return "split";
  }
}

function FilePageLinks({ page, pages, from, to, total }: FilePage) {
  const [query] = useSearchParams();
  if (pages === 1) return null;
  const link = (label: string, next: number) => {
    if (next < 1 || next > pages) return null;
    const address = new URLSearchParams(query);
    address.delete("open");
    address.set("files", String(next));
    return (
      <Link to={`?${address}`} className="text-accent underline pointer-coarse:py-3">
        {label}
      </Link>
    );
  };
  return (
    <nav aria-label="Files" className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      <span>{`${numberText(from)} to ${numberText(to)} of ${countText(total, "file")}`}</span>
      {link("Previous files", page - 1)}
      {link("Next files", page + 1)}
    </nav>
  );
}
