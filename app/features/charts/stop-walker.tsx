import { type KeyboardEvent, type PointerEvent, useState } from "react";
import type { Chart } from "./chart";

const lineHeight = 16;

/** Overlay of a chart: shows the text of one stop, chosen by pointer or arrow keys. */
export default function StopWalker({ chart: { stops, width, height } }: { chart: Chart }) {
  const [at, setAt] = useState<number | null>(null);
  const last = stops.length - 1;
  if (last < 0) return null;
  const stop = at === null ? undefined : stops[Math.min(at, last)];

  const walk = (event: KeyboardEvent) => {
    const from = at ?? last;
    const next = { ArrowLeft: Math.max(0, from - 1), ArrowRight: Math.min(last, from + 1), Home: 0, End: last }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  const point = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(nearest(stops, ((event.clientX - box.left) / box.width) * width));
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Day"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={stops[at ?? last]?.text}
      onKeyDown={walk}
      onPointerMove={point}
      onPointerLeave={() => setAt(null)}
      onFocus={() => setAt((now) => now ?? last)}
      onBlur={() => setAt(null)}
      className="absolute inset-0 rounded"
    >
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" className="size-full">
        {stop ? <Tip stop={stop} width={width} height={height} /> : null}
      </svg>
    </div>
  );
}

function Tip({ stop: { x, text }, width, height }: { stop: Chart["stops"][number]; width: number; height: number }) {
  // Characters are about six units wide at this size. The box may be slightly wider than its text.
  const wide = text.length * 6.2 + 16;
  const start = Math.min(Math.max(2, x - wide / 2), width - wide - 2);
  return (
    <g className="pointer-events-none">
      <path d={`M${x} 14V${height - 22}`} className="stroke-accent" strokeDasharray="2 3" />
      <rect
        x={start}
        y={height / 2 - lineHeight}
        width={wide}
        height={lineHeight * 1.5}
        rx="4"
        className="fill-raised stroke-line-strong"
      />
      <text x={start + wide / 2} y={height / 2} textAnchor="middle" className="fill-ink text-xs">
        {text}
      </text>
    </g>
  );
}

const nearest = (stops: Chart["stops"], x: number) =>
  stops.reduce((best, stop, at) => (Math.abs(stop.x - x) < Math.abs((stops[best]?.x ?? 0) - x) ? at : best), 0);
