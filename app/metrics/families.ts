export type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels?: Labels;
  value: number;
  /** Appended to the family's name, for the parts of a histogram. */
  suffix?: "_bucket" | "_sum" | "_count";
}

export interface Family {
  name: `backloom_${string}`;
  help: string;
  type: "counter" | "gauge" | "histogram";
  samples: readonly Sample[];
}

export function gauge(name: Family["name"], help: string, value: number | null): Family {
  return { name, help, type: "gauge", samples: value === null ? [] : [{ value }] };
}

export function counter(name: Family["name"], help: string, value: number): Family {
  return { name, help, type: "counter", samples: [{ value }] };
}

/** A gauge with one sample per entry. */
export function gaugeBy(
  name: Family["name"],
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Family {
  const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
  return { name, help, type: "gauge", samples };
}

/** Writes the Prometheus text format, version 0.0.4. What has no sample is 0, so that a dashboard says so; histograms are omitted. */
export function writeFamilies(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => {
    if (samples.length === 0 && type === "histogram") return [];
    const shown: readonly Sample[] = samples.length === 0 ? [{ value: 0 }] : samples;
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...shown.map(({ suffix = "", labels, value }) => `${name}${suffix}${writeLabels(labels)} ${value}`),
    ];
  });
  return `${lines.join("\n")}\n`;
}

function writeLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

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
  readonly #series = new Map<string, Series>();

  constructor(private readonly bounds: readonly number[] = callBounds) {}

  /** Shows a series at zero before its first value: a reader of rates takes that for a change. */
  open(key: string, labels: () => Labels): Series {
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const counts = new Array<number>(this.bounds.length + 1).fill(0);
    const series: Series = { labels: labels(), counts, sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  observe(key: string, labels: () => Labels, seconds: number): void {
    const series = this.open(key, labels);
    const found = this.bounds.findIndex((bound) => seconds <= bound);
    const at = found === -1 ? this.bounds.length : found;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  family(name: Family["name"], help: string): Family {
    return {
      name,
      help,
      type: "histogram",
      samples: [...this.#series.values()].flatMap((series) => samplesOf(series, this.bounds)),
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
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: below }];
}
