/** Priorities as people read them; 1 is the most urgent. */
const labels: Record<number, string> = {
  1: "Urgent",
  2: "High",
  3: "Normal",
  4: "Low",
  5: "Someday",
};

const named = [1, 2, 3, 4, 5].map((value) => ({
  value: String(value),
  label: `${value} ${labels[value]}`,
}));

/** The choices of a form. A priority without a name, as agents and imports set it, is kept as one of them. */
export function priorityOptions(current?: number) {
  if (current === undefined || labels[current] !== undefined) return named;
  return [{ value: String(current), label: `${current} (current)` }, ...named];
}
