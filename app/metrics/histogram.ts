import type { Family, Labels } from "./families";

/** Bucket bounds in seconds, from a memory hit to what a person calls broken. */
const callBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  labels: Labels;
  /** Counts by the first bound that fits a value. The last entry counts values beyond all bounds. */
  counts: number[];
  sum: number;
}

/** Durations by label, in buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(bounds: readonly number[] = callBounds) {
    this.#bounds = bounds;
  }

  /** Shows a series at zero before its first value: a reader of rates takes that for a change. */
  open(key: string, labels: () => Labels): Series {
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const counts = new Array<number>(this.#bounds.length + 1).fill(0);
    const series: Series = { labels: labels(), counts, sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  observe(key: string, labels: () => Labels, seconds: number): void {
    const series = this.open(key, labels);
    const found = this.#bounds.findIndex((bound) => seconds <= bound);
    const at = found === -1 ? this.#bounds.length : found;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  family(name: Family["name"], help: string): Family {
    return {
      name,
      help,
      type: "histogram",
      samples: [...this.#series.values()].flatMap((series) => samplesOf(series, this.#bounds)),
    };
  }
}

function samplesOf({ labels, counts, sum }: Series, bounds: readonly number[]): Family["samples"] {
  let below = 0;
  const buckets = counts.map((count, at) => {
    below += count;
    const le = at === bounds.length ? "+Inf" : String(bounds[at]);
    return { suffix: "_bucket" as const, labels: { ...labels, le }, value: below };
  });
  return [
    ...buckets,
    { suffix: "_sum", labels, value: sum },
    { suffix: "_count", labels, value: below },
  ];
}
