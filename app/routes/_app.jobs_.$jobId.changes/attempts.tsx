import { Link } from "@remix-run/react";

/** Whose changes are shown: of which attempt, or only those since the one before. */
export function Attempts({
  attempts,
  attempt: shown,
  since,
}: {
  attempts: readonly number[];
  attempt: number;
  since: number | null;
}) {
  if (attempts.length < 2) return null;
  const before = attempts.at(-2);
  return (
    <nav aria-label="Changes of attempt" className="flex flex-wrap gap-2">
      {attempts.at(-1) === shown ? (
        <Choice to={`?since=${before}`} isShown={since !== null}>
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
