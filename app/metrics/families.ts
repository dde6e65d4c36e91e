export type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels?: Labels;
  value: number;
  /** Appended to the family's name, for the parts of a histogram. */
  suffix?: "_bucket" | "_sum" | "_count";
}

/** One metric with all its samples. */
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
  const samples = Object.entries(values).map(([key, value]) => ({
    labels: { [label]: key },
    value,
  }));
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
      ...shown.map(
        ({ suffix = "", labels, value }) => `${name}${suffix}${writeLabels(labels)} ${value}`,
      ),
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
