import { Section } from "~/ui/card";
import { percentText } from "~/ui/numbers";
import { Cell, numeric, Table } from "~/ui/table";
import type { ForecastQuality } from "~/wire/forecasts/contract";

const methods = { mixed: "Forecast", recent: "Newest files", words: "Words in the path" };

/** How often forecasts of files were right, next to two simple guesses. */
export function Forecasts({ quality: { hidden, methods: rows, support } }: { quality: ForecastQuality }) {
  if (rows.length === 0) return null;
  return (
    <Section
      title="Forecasts of files"
      about={
        hidden
          ? "Tasks do not show what they probably touch: over the last 50, the newest files were as good a guess."
          : "How often a changed file was among the first named ones, in the last 180 days. Tasks that name files are left out."
      }
    >
      <div className="grid gap-4 text-sm">
        <Table
          caption="Forecasts of files and two simple guesses"
          head={["Guess", ...numeric("Tasks", "First", "First 5", "First 10", "Files found")]}
        >
          {rows.map((row) => (
            <tr key={row.method}>
              <Cell>{methods[row.method]}</Cell>
              <Cell numeric>{row.tasks}</Cell>
              <Cell numeric>{percentText(row.hit_1)}</Cell>
              <Cell numeric>{percentText(row.hit_5)}</Cell>
              <Cell numeric>{percentText(row.hit_10)}</Cell>
              <Cell numeric>{percentText(row.recall_10)}</Cell>
            </tr>
          ))}
        </Table>
        {support.length > 0 ? (
          <p className="text-muted">
            The first file was right{" "}
            {support
              .map(
                ({ support: changes, hit_1, tasks }) =>
                  `in ${percentText(hit_1)} with ${changes} similar changes (${tasks} tasks)`,
              )
              .join(", ")}
            .
          </p>
        ) : null}
      </div>
    </Section>
  );
}
