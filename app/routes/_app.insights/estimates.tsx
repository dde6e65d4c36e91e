import { Link } from "@remix-run/react";
import { EstimateLine } from "~/features/budgets/ceiling-field";
import { CodeChip } from "~/ui/badge";
import { Section } from "~/ui/card";
import { durationText } from "~/ui/relative-time";
import { Cell, numeric, Table } from "~/ui/table";
import type { Forecast } from "~/wire/budgets/contract";

const sizes = { S: "up to 15 min", M: "up to 1 h", L: "up to 4 h", XL: "more than 4 h" };

/** Forecast for the next task, estimates compared with actual times, and surprises. */
export function Estimates({ forecast }: { forecast: Forecast }) {
  const { estimates, surprises } = forecast;
  return (
    <Section title="Estimates" about="Forecast for the next task, and estimates compared with actual agent time.">
      <div className="grid gap-4 text-sm">
        <EstimateLine forecast={forecast} />
        {surprises.length > 0 ? <Surprises surprises={surprises} /> : null}
        {estimates.length > 0 ? (
          <details>
            <summary className="font-semibold">By size and model</summary>
            <Table
              caption="Estimated and actual time by size and model"
              head={["Size", "Model", ...numeric("Tasks", "Estimated", "Actual")]}
            >
              {estimates.map((row) => (
                <tr key={`${row.size} ${row.model_id}`}>
                  <Cell>
                    {row.size} <span className="text-muted">{sizes[row.size]}</span>
                  </Cell>
                  <Cell>{row.model_id ?? "unknown model"}</Cell>
                  <Cell numeric>{row.tasks}</Cell>
                  <Cell numeric>{minutesText(row.estimated_minutes)}</Cell>
                  <Cell numeric>{minutesText(row.actual_minutes)}</Cell>
                </tr>
              ))}
            </Table>
          </details>
        ) : (
          <p className="text-muted">Finished tasks with an estimate appear here.</p>
        )}
      </div>
    </Section>
  );
}

function Surprises({ surprises }: Pick<Forecast, "surprises">) {
  return (
    <div className="grid gap-1.5">
      <h3 className="font-semibold">Largest differences</h3>
      <ul className="grid gap-1">
        {surprises.map((task) => (
          <li key={task.task_id} className="flex flex-wrap items-baseline gap-x-3">
            <Link to={`/tasks/${task.task_id}`} className="min-w-0 flex-1 hover:underline">
              <CodeChip className="mr-2">{task.task_code}</CodeChip>
              {task.task_title}
            </Link>
            <span className="text-muted tabular-nums">
              {minutesText(task.estimated_minutes)} estimated, actual {minutesText(task.actual_minutes)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const minutesText = (minutes: number) => durationText(minutes * 60_000);
