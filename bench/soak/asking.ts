import { setTimeout as pause } from "node:timers/promises";

/** What came back, by status; `none` where the connection ended without an answer. */
export const outcomes = new Map<string, number>();
/** The sentences of refusals that came while something was broken. */
export const sentences = new Map<string, number>();

type Answer = { status: number; text: string };

/** One try: undefined when the answer was lost, or is that it should be tried later. */
export async function askOnce(url: string, init: RequestInit): Promise<Answer | undefined> {
  const signal = AbortSignal.timeout(40_000);
  const answer = await fetch(url, { ...init, signal })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => undefined);
  const isBroken = answer !== undefined && (answer.status >= 500 || isBrokenTool(answer.text));
  const outcome = isBroken ? "5xx" : String(answer?.status ?? "none");
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (isBroken) note(answer);
  return isBroken || answer?.status === 429 ? undefined : answer;
}

/** Asks until there is an answer, as a program does that must not lose what it says. */
export async function askUntilAnswered(url: string, init: RequestInit): Promise<Answer> {
  for (;;) {
    const answer = await askOnce(url, init);
    if (answer) return answer;
    await pause(200 + Math.random() * 400);
  }
}

/** A tool says in its answer that the database is away; over HTTP that is an answer like others. */
function isBrokenTool(text: string): boolean {
  return text.includes('"isError":true') && /"code":5\d\d/.test(text);
}

function note({ status, text }: Answer): void {
  const sentence = `${status} ${text.slice(0, 200)}`;
  if (sentences.size < 40 || sentences.has(sentence)) {
    sentences.set(sentence, (sentences.get(sentence) ?? 0) + 1);
  }
}
