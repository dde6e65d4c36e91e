import type { ReactNode } from "react";
import { useLinkArea } from "~/ui/link-area";
import { LineCounts } from "./line-counts";
import type { ShownChapter, ShownFile } from "./shown-diff";

/** The chapters with their files, and how much of each the person has viewed. */
export function ChapterList(props: {
  chapters: readonly ShownChapter[];
  files: ReadonlyMap<number, ShownFile>;
  /** Of each chapter, the ids of its files. */
  fileIds: readonly (readonly string[])[];
  isViewed: (index: number) => boolean;
  flagOf: (path: string) => ReactNode;
  children: ReactNode;
}) {
  const { chapters, files, fileIds, isViewed, flagOf, children } = props;
  const links = { onClick: useLinkArea() };
  return (
    <nav {...links} aria-label="Changed files" className="min-w-0 lg:sticky lg:top-16">
      <details className="wide-open">
        <summary className="text-sm text-accent pointer-coarse:py-2 lg:hidden">Files</summary>
        <ol className="grid max-h-[40vh] gap-2 overflow-y-auto text-xs lg:max-h-[calc(100dvh-11rem)]">
          {chapters.map(({ title, parts }, chapter) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: chapters have no other name and keep their order
            <li key={chapter}>
              <a
                href={`#chapter-${chapter}`}
                className="flex items-baseline justify-between gap-2 rounded px-2 py-1 font-medium hover:bg-sunken pointer-coarse:py-3"
              >
                <bdi className="min-w-0 break-words">{title}</bdi>
                {parts.length > 0 ? (
                  <span className="shrink-0 text-muted">
                    {`${parts.filter(({ index }) => isViewed(index)).length}/${parts.length}`}
                    <span className="sr-only"> viewed</span>
                  </span>
                ) : null}
              </a>
              <ol className="grid gap-px">
                {parts.map(({ index }, part) => {
                  const file = files.get(index);
                  if (!file) return null;
                  return (
                    <li key={index}>
                      <a
                        href={`#${fileIds[chapter]?.[part]}`}
                        className="flex items-baseline justify-between gap-2 rounded px-2 py-1 hover:bg-sunken pointer-coarse:py-3"
                      >
                        <FilePath path={file.path} mark={isViewed(index) ? " ✓" : ""} />
                        {flagOf(file.path) ?? <LineCounts additions={file.additions} deletions={file.deletions} />}
                      </a>
                    </li>
                  );
                })}
              </ol>
            </li>
          ))}
        </ol>
      </details>
      {children}
    </nav>
  );
}

/** Where space is short, the folder is cut at its start, and the file's name has its own line. */
function FilePath({ path, mark }: { path: string; mark: string }) {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, path.length - name.length);
  return (
    <span className="flex min-w-0 flex-wrap font-mono" title={path}>
      {folder ? (
        <span dir="rtl" className="max-w-full truncate">
          <bdi>{folder}</bdi>
        </span>
      ) : null}
      <bdi className="wrap-anywhere">{`${name}${mark}`}</bdi>
    </span>
  );
}
