import { Section } from "~/ui/card";
import type { TaskForecast } from "~/wire/forecasts/contract";

const most = 5;

/** Files that earlier changes with such words touched, or a folder; after the delivery, how many of them it was. */
export function ProbablyTouches({ touches, result }: Pick<TaskForecast, "touches" | "result">) {
  if (touches.length === 0) return null;
  return (
    <Section title={result ? "Was expected to touch" : "Probably touches"}>
      <ul className="grid gap-1.5 text-sm">
        {touches.slice(0, most).map(({ path, is_folder, in: times, of }) => (
          <li key={path} className="min-w-0">
            <span className="font-mono text-xs wrap-anywhere">
              {is_folder ? <span className="font-sans">Mostly in </span> : null}
              {path}
            </span>
            <span className="block text-xs text-muted">
              {times === null ? "named in the task" : `in ${times} of ${of} similar changes`}
            </span>
          </li>
        ))}
      </ul>
      {touches.length > most ? <p className="mt-2 text-xs text-muted">and {touches.length - most} more</p> : null}
      {result ? (
        <p className="mt-3 text-sm">
          Named {result.hit} of {result.changed} changed {result.changed === 1 ? "file" : "files"}
        </p>
      ) : null}
    </Section>
  );
}
