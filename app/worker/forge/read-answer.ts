import { ForgeProblem } from "./forge";

/** Bytes: of a log its end is kept, which says what failed; data is refused beyond what any page of a list takes. */
const mostLog = 1_048_576;
const mostData = 16 * mostLog;
/** A log without end is left here. */
const mostRead = 64 * mostLog;

/** Reads an answer of any length in bounded memory. */
export async function readAnswer(answer: Response, title: string): Promise<string> {
  const reader = answer.body?.getReader();
  const isData = /\bjson\b/i.test(answer.headers.get("content-type") ?? "");
  const chunks: Uint8Array[] = [];
  let [kept, read] = [0, 0];
  for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
    chunks.push(chunk.value);
    kept += chunk.value.length;
    read += chunk.value.length;
    while (!isData && kept - (chunks[0]?.length ?? 0) >= mostLog)
      kept -= chunks.shift()?.length ?? 0;
    if (read > (isData ? mostData : mostRead)) break;
  }
  await reader?.cancel();
  if (isData && read > mostData)
    throw new ForgeProblem(`${title} answered with more than ${mostData / mostLog} MB`);
  const text = Buffer.concat(chunks);
  return (isData ? text : text.subarray(-mostLog)).toString("utf8");
}
