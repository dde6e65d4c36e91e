import { setTimeout as wait } from "node:timers/promises";

interface JobWatch {
  url: string;
  token: string;
  jobId: string;
}

const pauseMilliseconds = 2_000;
/** `state` is the greeting: changes before it, since the claim or while disconnected, must be fetched. */
const news = new Set(["event: job", "event: state"]);

/**
 * Notices job changes at once, so that a cancel on the board reaches the agent within seconds instead of with the next
 * heartbeat. Only a hint: the heartbeat fetches the truth and works without the stream.
 */
export function watchJob({ url, token, jobId }: JobWatch, onChange: () => void): () => void {
  const closing = new AbortController();
  const address = new URL(`/api/realtime/job?job_id=${jobId}&output=0`, url);
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const listen = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const answer = await fetch(address, { headers, signal: closing.signal }).catch(() => null);
      if (answer !== null && answer.status < 500 && answer.status !== 429 && !answer.ok) return;
      if (answer?.ok && answer.body) await readEvents(answer.body, onChange).catch(() => undefined);
      await wait(pauseMilliseconds, undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
  };
  void listen();
  return () => closing.abort();
}

async function readEvents(body: ReadableStream<Uint8Array>, onChange: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = `${rest}${decoder.decode(part.value, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    if (lines.some((line) => news.has(line))) onChange();
  }
}
