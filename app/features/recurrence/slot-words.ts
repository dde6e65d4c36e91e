/** Formats a date in its schedule's time zone: "Monday 30 Nov 2026, 09:00 GMT+1". */
export function slotWords(at: string, zone: string): string {
  const words = new Intl.DateTimeFormat("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
    timeZoneName: "short",
  });
  return words.format(new Date(at)).replace(" at ", ", ");
}
