/** Labels of priorities; 1 is the most urgent. */
const labels: Record<number, string> = { 1: "Urgent", 2: "High", 3: "Normal", 4: "Low", 5: "Someday" };

const named = [1, 2, 3, 4, 5].map((value) => ({ value: String(value), label: `${value} ${labels[value]}` }));

/** Options for a form. Includes the current priority if it has no label (set by an agent or import). */
export function priorityOptions(current?: number) {
  if (current === undefined || labels[current] !== undefined) return named;
  return [{ value: String(current), label: `${current} (current)` }, ...named];
}
