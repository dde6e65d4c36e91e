/** Options of a command line: `{ repo: "x", once: true }` is `--repo x --once`. */
export const flags = (options: Readonly<Record<string, string | true>>): string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, value]));
