import { Link } from "@remix-run/react";
import type { Since } from "./compared-with.server";

/** Selects the changes to show: one attempt's, or only those since the attempt before. */
export function AttemptLinks({
  attempts,
  attempt: shown,
  since,
}: {
  attempts: readonly number[];
  attempt: number;
  since: { attempt: number; choice: Since } | null;
}) {
  if (attempts.length < 2) return null;
  const before = attempts.at(-2);
  return (
    <nav aria-label="Changes of attempt" className="flex flex-wrap gap-2">
      {since?.choice === "looked" ? (
        <Choice to="?since=looked" isShown>
          Only changes since you looked
        </Choice>
      ) : null}
      {attempts.at(-1) === shown ? (
        <Choice to={`?since=${before}`} isShown={since !== null && since.choice !== "looked"}>
          {`Only changes since attempt ${before}`}
        </Choice>
      ) : null}
      {attempts.map((attempt) => (
        <Choice
          key={attempt}
          to={`?attempt=${attempt}`}
          isShown={attempt === shown && since === null}
        >
          {`Attempt ${attempt}`}
        </Choice>
      ))}
    </nav>
  );
}

function Choice({ to, isShown, children }: { to: string; isShown: boolean; children: string }) {
  return (
    <Link
      to={to}
      aria-current={isShown ? "page" : undefined}
      className="text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      {children}
    </Link>
  );
}
