import { lazy, Suspense } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { FoldedTable } from "~/ui/fold";
import type { Chart } from "./chart";

const StopWalker = lazy(() => import("./stop-walker"));

/** Key numbers, the chart, and its data as a table. With JavaScript, pointer and arrow keys step through the days. */
export function ChartFigure({ chart, caption }: { chart: Chart; caption?: string }) {
  const hydrated = useHydrated();
  const { width, height, shapes, texts, label, facts, table } = chart;
  return (
    <figure className="grid max-w-2xl gap-2">
      {facts.length > 0 ? (
        <dl className="flex flex-wrap gap-x-5 gap-y-1">
          {facts.map(({ term, value, late }) => (
            <div key={term}>
              <dt className="text-2xs text-muted">{term}</dt>
              <dd className={late ? "text-sm font-semibold text-failed" : "text-sm font-medium"}>{value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <div className="@container relative">
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} className="block w-full overflow-visible">
          {shapes.map((shape, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a picture is drawn as a whole
            <path key={index} {...shape} />
          ))}
          {texts.map(({ text, ...position }) => (
            <text
              key={text}
              {...position}
              className="fill-muted stroke-surface stroke-[3] text-2xs [paint-order:stroke] @max-md:text-lg"
            >
              {text}
            </text>
          ))}
        </svg>
        {hydrated ? (
          <Suspense>
            <StopWalker chart={chart} />
          </Suspense>
        ) : null}
      </div>
      {caption ? <figcaption className="text-xs text-muted">{caption}</figcaption> : null}
      <FoldedTable className="text-sm" summary={<summary className="text-muted hover:text-ink">As a table</summary>}>
        {() => (
          <table className="mt-1 w-full border-collapse text-sm tabular-nums">
            <caption className="sr-only">{label}</caption>
            <thead>
              <tr className="border-b border-line text-start text-xs text-muted">
                {table.head.map((cell) => (
                  <th key={cell} scope="col" className="py-1 pr-4 text-start font-medium">
                    {cell}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {table.rows.map((row) => (
                <tr key={row.join()}>
                  {table.head.map((column, index) => (
                    <td key={column} className="py-1 pr-4">
                      {row[index]}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </FoldedTable>
    </figure>
  );
}
