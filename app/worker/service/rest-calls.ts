import { z } from "zod";
import { LimitReached, Refusal, refusalOf } from "./problems";
import { limitTime } from "./time-limit";

/** A call waits for work up to a minute. */
export const callMilliseconds = 65_000;

const refusalSchema = z.object({ error: z.string() });

/** Single calls of the REST surface; what a try later may mend is thrown as a plain error. */
export function restCalls(url: string, token: string) {
  const authorization = `Bearer ${token}`;
  return {
    async read(path: string, signal?: AbortSignal): Promise<unknown> {
      const limit = limitTime(callMilliseconds, signal);
      try {
        const answer = await fetch(new URL(path, url), {
          headers: { authorization },
          signal: limit.signal,
        });
        if (answer.ok) return await answer.json();
        await answer.body?.cancel();
        if (answer.status < 500) throw refusalOf(answer.status, path);
        throw new Error(`it answered ${answer.status}`);
      } finally {
        limit.end();
      }
    },
    /** A file with fields beside it, as a form sends them. */
    async upload(path: string, form: FormData, key: string): Promise<unknown> {
      const answer = await fetch(new URL(path, url), {
        method: "POST",
        headers: { authorization, "idempotency-key": key },
        body: form,
        signal: AbortSignal.timeout(callMilliseconds),
      });
      return bodyOf(answer, path);
    },
    /** The same key again, after an answer that was lost, does nothing more and is answered like the first. */
    async send(method: "POST" | "PUT", path: string, body: string, key: string): Promise<unknown> {
      const answer = await fetch(new URL(path, url), {
        method,
        headers: { authorization, "content-type": "application/json", "idempotency-key": key },
        body,
        signal: AbortSignal.timeout(callMilliseconds),
      });
      return bodyOf(answer, path);
    },
  };
}

async function bodyOf(answer: Response, path: string): Promise<unknown> {
  if (answer.ok) return answer.json();
  const refusal = refusalSchema.safeParse(await answer.json().catch(() => null)).data;
  const { status } = answer;
  if (status >= 500) throw new Error(`it answered ${status}`);
  if (isStillRunning(answer)) throw new LimitReached("The call before is still running", 1);
  if (status === 401 || status === 429) throw refusalOf(status, path);
  throw new Refusal(status, refusal?.error ?? `The service answered ${path} with ${status}`);
}

/** A conflict that passes: the same call was sent before, and its answer is not there yet. */
function isStillRunning({ status, headers }: Response): boolean {
  return status === 409 && headers.has("retry-after");
}
