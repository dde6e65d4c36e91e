import type { ReactNode } from "react";
import { visible } from "~/features/proof/visible";
import { Badge } from "~/ui/badge";
import { useLinkArea } from "~/ui/link-area";
import type { WaitingReview } from "~/wire/reviews/contract";
import { type Marked, type MarkWeight, markWords, type ReviewMark, reviewMarks } from "~/wire/reviews/marks";

const looks = {
  red: { tone: "failed", meaning: "Danger: " },
  amber: { tone: "waiting", meaning: "With care: " },
  gray: { tone: "plain", meaning: "" },
} as const satisfies Record<MarkWeight, unknown>;

/** A mark in the color of its weight, which is said to those who see none. */
export function MarkChip({ mark }: { mark: ReviewMark }) {
  const { label, weight } = markWords[mark];
  const { tone, meaning } = looks[weight];
  return (
    <Badge tone={tone}>
      <span className="sr-only">{meaning}</span>
      {label}
    </Badge>
  );
}

const isWeighty = (mark: ReviewMark) => markWords[mark].weight !== "gray";

/** The marks that a list has room for: the two most dangerous, gray ones only if all are gray. */
export function WeightyMarks({ marks }: { marks: readonly ReviewMark[] }) {
  const shown = marks.some(isWeighty) ? marks.filter(isWeighty) : marks;
  return shown.slice(0, 2).map((mark) => <MarkChip key={mark} mark={mark} />);
}

/** What a file is marked with that weighs more than the rest; null for nothing. */
export function fileMarks(marked: readonly Marked[], path: string): ReactNode {
  const marks = new Set(marked.flatMap((each) => (each.path === path ? each.mark : [])));
  const weighty = reviewMarks.filter((mark) => marks.has(mark) && isWeighty(mark));
  return weighty.length === 0 ? null : <WeightyMarks marks={weighty} />;
}

/** Where a change needs a careful look, the dangerous first, and in which files; `inFull` next to the change. */
export function MarkList(props: {
  marked: readonly Marked[];
  inFull?: boolean;
  /** Where a mark leads on the page. */
  linkTo?: ((place: Marked) => string | null) | undefined;
}) {
  const { marked, inFull = false, linkTo } = props;
  const links = { onClick: useLinkArea() };
  const marks = reviewMarks.filter((mark) => marked.some((each) => each.mark === mark));
  if (marks.length === 0) return null;
  return (
    <ul {...links} aria-label="Look closely" className="flex flex-wrap gap-x-3 gap-y-1.5 text-muted">
      {marks.map((mark) => {
        const { advice } = markWords[mark];
        const own = marked.filter((each) => each.mark === mark);
        const places = own.filter(({ path }) => path !== null);
        const paths = places.map(({ path }) => visible(path ?? ""));
        const first = linkTo && own.map(linkTo).find((each) => each !== null);
        return (
          <li key={mark} title={[advice, pathsText(paths)].join(" ").trim()} className="min-w-0">
            {first ? (
              <a href={first} className="hover:underline pointer-coarse:py-3">
                <MarkChip mark={mark} />
              </a>
            ) : (
              <MarkChip mark={mark} />
            )}{" "}
            <span className={inFull ? "text-xs" : "sr-only"}>
              {advice}{" "}
              <bdi className="font-mono wrap-anywhere">
                {linkTo && inFull ? <Places places={places} linkTo={linkTo} /> : pathsText(paths)}
              </bdi>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Places({ places, linkTo }: { places: readonly Marked[]; linkTo: (place: Marked) => string | null }) {
  return (
    <>
      {places.slice(0, shownPaths).map((place, n) => {
        const href = linkTo(place);
        const path = visible(place.path ?? "");
        return (
          <span key={path}>
            {n > 0 ? ", " : ""}
            {href === null ? (
              path
            ) : (
              <a href={href} className="underline pointer-coarse:py-3">
                {path}
              </a>
            )}
          </span>
        );
      })}
      {places.length > shownPaths ? " and others" : ""}
    </>
  );
}

const shownPaths = 3;

/** An entry of the queue names up to four files of a mark: the fourth says that there are more. */
export function pathsText(paths: readonly string[]): string {
  const shown = paths.slice(0, shownPaths).join(", ");
  return paths.length > shownPaths ? `${shown} and others` : shown;
}

/** The marks of an entry of the queue, which names no hunks. */
export function markedOf({ marks, mark_paths }: Pick<WaitingReview, "marks" | "mark_paths">): Marked[] {
  return marks.flatMap((mark) => (mark_paths[mark] ?? [null]).map((path) => ({ mark, path, hunk: null })));
}
