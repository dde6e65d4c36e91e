/** A limit of the model's service that ends by itself, or when the bill is paid. */
export type Limit = { reason: string; resetsAt: string | null };

const limitStatuses = new Set([402, 429, 503, 529]);

const limitPatterns = [
  /\b(?:status|code|error|rejected)\b[^\n]{0,24}\b(?:402|429|503|529)\b/i,
  /\b(?:429 Too Many|503 Service Unavailable|529 Overloaded)/i,
  /rate[ _-]?limit/i,
  /overloaded|too many requests|temporarily limiting requests/i,
  /\bat capacity\b|\bno capacity\b|capacity (?:is )?unavailable|temporary capacity issue|MODEL_CAPACITY_/i,
  /experiencing (?:high|heavy) (?:demand|load|traffic)/i,
  /(?:usage|session|weekly|daily|hourly|spend(?:ing)?|token|request) limit/i,
  /hit your limit/i,
  /usageLimitExceeded|insufficient_quota|RESOURCE_EXHAUSTED|billing_error/,
  /resource exhausted|exhausted your (?:daily )?(?:quota|capacity)/i,
  /credit balance is too low|out of credits?|insufficient (?:credit|balance|funds)/i,
  /quota (?:has been )?(?:exceeded|exhausted)|exceeded your (?:current )?quota/i,
];

/** Detects a limit in a tool's error message or status. Never pass it the agent's own text. */
export function limitIn(text: string, status?: number | null, now = new Date()): Limit | null {
  const isStatus = status !== undefined && status !== null && limitStatuses.has(status);
  if (!isStatus && !limitPatterns.some((pattern) => pattern.test(text))) return null;
  const reason = text.trim().slice(0, 1_000) || `The service answered with ${status}`;
  return { reason, resetsAt: resetIn(text, now)?.toISOString() ?? null };
}

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** A tool may state a time that is over, or so near that the service would only refuse again: then none is known. */
const nearestReset = 60_000;

function resetIn(text: string, now: Date): Date | null {
  const stated = [epochIn(text), dateIn(text), durationIn(text, now), clockIn(text, now)];
  return stated.find((moment) => moment !== null && +moment - +now >= nearestReset) ?? null;
}

/** Matches `usage limit reached|1767225600` and `"resetsAt":1767225600`. */
function epochIn(text: string): Date | null {
  const [, digits] = /(?:\||resets?_?at["':\s]+)(\d{10})(?:\d{3})?\b/i.exec(text) ?? [];
  return digits === undefined ? null : new Date(Number(digits) * 1000);
}

function dateIn(text: string): Date | null {
  const [iso] = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(text) ?? [];
  return iso === undefined ? null : new Date(iso);
}

/** Matches `try again in 1h 30m`, `retry after 20 seconds`, `"resets_in_seconds": 90`. */
function durationIn(text: string, now: Date): Date | null {
  const [, counted] = /(?:resets_in_seconds|retry[-_ ]?after)["':\s]+(\d+)\b(?!\s*[mhd])/i.exec(text) ?? [];
  if (counted !== undefined) return new Date(now.getTime() + Number(counted) * 1000);
  const [, words] =
    /\b(?:again|resets?|retry|wait)(?: in| after)? ((?:\d+(?:\.\d+)?\s*(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|d|h|m|s)\b[ ,]*(?:and )?)+)/i.exec(
      text,
    ) ?? [];
  if (words === undefined) return null;
  let seconds = 0;
  for (const [, number, unit] of words.matchAll(/(\d{1,9}(?:\.\d{1,9})?)\s{0,9}([a-z]+)/gi)) {
    const letter = unit?.toLowerCase() ?? "";
    if (letter === "and") continue;
    seconds += Number(number) * (letter === "ms" ? 0.001 : unitOf(letter));
  }
  return new Date(now.getTime() + seconds * 1000);
}

function unitOf(word: string): number {
  const letter = word[0];
  return letter === "d" || letter === "h" || letter === "m" ? secondsOf[letter] : secondsOf.s;
}

/** How far in the past a stated time may be: tools retry by themselves before they give up and report it. */
const staleMilliseconds = 10 * 60_000;

/** `resets 3pm`: when the clock shows it next, until that minute ends. Passed less than 10 minutes ago, it is over. */
function clockIn(text: string, now: Date): Date | null {
  const [, hour, minute, half] = /\b(?:resets?|again)(?: at)? (\d{1,2})(?::(\d\d))?\s*([ap]m)\b/i.exec(text) ?? [];
  if (hour === undefined || half === undefined) return null;
  const moment = new Date(now);
  moment.setHours((Number(hour) % 12) + (/p/i.test(half) ? 12 : 0), Number(minute ?? 0), 0, 0);
  if (now.getTime() - moment.getTime() > staleMilliseconds) moment.setDate(moment.getDate() + 1);
  return moment;
}
