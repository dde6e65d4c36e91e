/** A chart as its page receives it: drawn on the server, so that no browser loads what draws it. */
export interface Chart {
  width: number;
  height: number;
  /** The inside of an `svg` element: made of numbers and dates only. */
  svg: string;
  /** What the picture shows, in a sentence for those who do not see it. */
  label: string;
  /** Said above the picture. */
  facts: readonly ChartFact[];
  /** Places to walk through, one a day or dot, with what there is to say about each. */
  stops: readonly { x: number; text: string }[];
  /** The same in numbers. */
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
}

export interface ChartFact {
  term: string;
  value: string;
  /** Drawn attention to: what was planned does not hold. */
  late?: boolean;
}
