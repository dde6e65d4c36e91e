import { z } from "zod";
import { limitTime } from "../base/interruption";
import { LimitReached, Refusal, refusalOf } from "../base/problems";

/** Calls that wait for work take up to a minute. */
export const callMilliseconds = 65_000;

const refusalSchema = z.object({ error: z.string() });

/** Single REST calls. Throws a plain error if a retry may help. */
export function restCalls(url: string, token: string) {
  const authorization = `Bearer ${token}`;
  return {
    async read(path: string, signal?: AbortSignal): Promise<unknown> {
      const limit = limitTime(callMilliseconds, signal);
      try {
        const answer = await fetch(new URL(path, url), { headers: { authorization }, signal: limit.signal });
        if (answer.ok) return await answer.json();
        await answer.body?.cancel();
        if (answer.status < 500) throw refusalOf(answer.status, path);
        throw new Error(`it answered ${answer.status}`);
      } finally {
        limit.end();
      }
    },
    /** Uploads a file and form fields. */
    async upload(path: string, form: FormData, key: string): Promise<unknown> {
      const answer = await fetch(new URL(path, url), {
        method: "POST",
        headers: { authorization, "idempotency-key": key },
        body: form,
        signal: AbortSignal.timeout(callMilliseconds),
      });
      return bodyOf(answer, path);
    },
    /** Repeating the same key after a lost answer has no effect and returns the first answer. */
    async send(
      method: "POST" | "PUT",
      path: string,
      body: string,
      key: string,
      wanted?: AbortSignal,
    ): Promise<unknown> {
      const { signal, end } = limitTime(callMilliseconds, wanted);
      const headers = { authorization, "content-type": "application/json", "idempotency-key": key };
      try {
        return await bodyOf(await fetch(new URL(path, url), { method, headers, body, signal }), path);
      } finally {
        end();
      }
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

/** Temporary conflict: the same call was sent before and is still running. */
function isStillRunning({ status, headers }: Response): boolean {
  return status === 409 && headers.has("retry-after");
}
