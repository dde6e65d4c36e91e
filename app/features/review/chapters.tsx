import type { Chapter } from "~/nouns/job-reviews/guide";

/** How the agent tells its change: chapters with their reason, and where their files are below. */
export function Chapters({
  chapters,
  files,
}: {
  chapters: readonly Chapter[];
  files: readonly { path: string; index: number }[];
}) {
  const places = new Map(files.map(({ path, index }) => [path, index]));
  return (
    <section aria-label="Guide" className="rounded-lg border border-line bg-surface p-4 text-sm">
      <ol className="grid list-decimal gap-3 pl-5">
        {chapters.map(({ title, why, parts }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: chapters have no other name and keep their order
          <li key={place}>
            <p className="font-medium break-words">
              <bdi>{title}</bdi>
            </p>
            {why ? <p className="break-words text-muted">{why}</p> : null}
            <p className="flex flex-wrap gap-x-3 font-mono text-xs">
              {parts.map(({ path }) => (
                <a
                  key={path}
                  href={`#file-${places.get(path)}`}
                  className="break-all text-accent underline pointer-coarse:py-2"
                >
                  <bdi>{path}</bdi>
                </a>
              ))}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Files in the order of the chapters; a file of several stands where it comes first. */
export function inOrder<File extends { path: string }>(
  files: readonly File[],
  chapters: readonly Chapter[],
): File[] {
  const place = new Map<string, number>();
  for (const { path } of chapters.flatMap(({ parts }) => parts)) {
    if (!place.has(path)) place.set(path, place.size);
  }
  return files.toSorted(
    (one, other) => (place.get(one.path) ?? files.length) - (place.get(other.path) ?? files.length),
  );
}
