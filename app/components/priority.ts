/** Priorities as people read them; 1 is the most urgent. */
const labels: Record<number, string> = {
  1: "Urgent",
  2: "High",
  3: "Normal",
  4: "Low",
  5: "Some day",
};

export const prioritySelect = [1, 2, 3, 4, 5].map((value) => ({
  value: String(value),
  label: `${value} ${labels[value]}`,
}));

export function priorityLabel(priority: number): string {
  return labels[priority] ?? `Priority ${priority}`;
}
