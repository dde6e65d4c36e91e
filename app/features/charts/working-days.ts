const oneDay = 86_400_000;

export const isWeekend = (day: string): boolean => [0, 6].includes(new Date(day).getUTCDay());

export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * oneDay).toISOString().slice(0, 10);
}

/** Returns all days from the first to the last, capped at `most`. */
export function daysBetween(first: string, last: string, most = 200): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / oneDay) + 1;
  return Array.from({ length: Math.max(0, Math.min(count, most)) }, (_, n) => dayAfter(first, n));
}

/** Returns the working day on which `count` working days after `day` are over. */
export function afterWorkingDays(day: string, count: number): string {
  let at = day;
  for (let left = Math.ceil(count); left > 0; ) {
    at = dayAfter(at);
    if (!isWeekend(at)) left -= 1;
  }
  return at;
}
