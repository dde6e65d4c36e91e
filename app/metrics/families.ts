export type Labels = Readonly<Record<string, string>>;

interface Sample {
  labels?: Labels;
  value: number;
  /** What follows the name of the family: the parts of a histogram. */
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

/** A gauge with a sample for each entry. */
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

/** The text format of Prometheus, version 0.0.4. A family without samples is left out. */
export function writeFamilies(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) =>
    samples.length === 0
      ? []
      : [
          `# HELP ${name} ${help}`,
          `# TYPE ${name} ${type}`,
          ...samples.map(
            ({ suffix = "", labels, value }) => `${name}${suffix}${writeLabels(labels)} ${value}`,
          ),
        ],
  );
  return `${lines.join("\n")}\n`;
}

function writeLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
