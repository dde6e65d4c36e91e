import { createContext, type ReactNode, startTransition, useContext, useEffect, useState } from "react";

const tickSeconds = 15;
const hourMs = 3_600_000;
const NowContext = createContext(0);

/** Server and browser render with the same time, so the first paint never changes under the reader. */
export function NowProvider({ now, children }: { now: number; children: ReactNode }) {
  const [current, setCurrent] = useState(now);
  useEffect(() => {
    const tick = () => startTransition(() => setCurrent(Date.now()));
    tick();
    const timer = setInterval(tick, tickSeconds * 1000);
    return () => clearInterval(timer);
  }, []);
  return <NowContext.Provider value={current}>{children}</NowContext.Provider>;
}

export function useNow(): number {
  const now = useContext(NowContext);
  return now || Date.now();
}

const steps: readonly [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [86_400 * 30, 86_400, "day"],
  [86_400 * 365, 86_400 * 30, "month"],
  [Number.POSITIVE_INFINITY, 86_400 * 365, "year"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** "Nov 3, 2026, 9:05 AM", in UTC. */
export const exactText = (at: string): string => exact.format(Date.parse(at));

/** "3 minutes ago", "in 2 hours"; "now" includes moments slightly ahead, because the page's clock lags by up to 15 s. */
export function relativeText(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  if (seconds > -5 && seconds < tickSeconds + 5) return "now";
  const step = steps.find(([limit]) => Math.abs(seconds) < limit);
  if (!step) return exact.format(at);
  return relative.format(Math.round(seconds / step[1]), step[2]);
}

/** A relative time, with the exact time on hover and in `dateTime`. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  const moment = Date.parse(at);
  if (Number.isNaN(moment)) return <span className={className}>{at}</span>;
  return (
    <time dateTime={at} title={`${exact.format(moment)} UTC`} className={className} suppressHydrationWarning>
      {relativeText(moment, now)}
    </time>
  );
}

/** A calendar day without a time zone, for example "Nov 3, 2026". */
export function CalendarDay({ day }: { day: string }) {
  return <time dateTime={day}>{calendarText(day)}</time>;
}

const dayFormat = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export function calendarText(day: string): string {
  const moment = Date.parse(day);
  return Number.isNaN(moment) ? day : dayFormat.format(moment);
}

/** How long something has been running or took: "2 h 05 min". */
export function Elapsed({ from, to }: { from: string; to?: string | null }) {
  const now = useNow();
  const seconds = useSeconds(to ? null : from, now);
  const lasted = (to ? Date.parse(to) : seconds) - Date.parse(from);
  return (
    <span className="tabular-nums" suppressHydrationWarning>
      {to ? durationText(lasted) : clockText(lasted)}
    </span>
  );
}

/** Current time, each second in the first hour: a frozen clock looks like stuck work. Only the clock rerenders. */
function useSeconds(from: string | null, now: number): number {
  const [seconds, setSeconds] = useState(now);
  useEffect(() => {
    if (from === null) return;
    const timer = setInterval(() => {
      setSeconds(Date.now());
      if (Date.now() - Date.parse(from) > hourMs) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [from]);
  return Math.max(seconds, now);
}

/** "3 min 07 s", with seconds, so that people see that it is running. */
function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60 || milliseconds >= hourMs) return durationText(milliseconds);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(hours / 24)} days`;
}
