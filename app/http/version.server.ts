import { z } from "zod";
import { jsonText } from "./responses.server";

const answerSchema = z.looseObject({ version: z.int() });

export function isConditional({ headers }: Request): boolean {
  return headers.has("if-match");
}

/** What `If-Match` names. None is no condition, and neither is `*`; a weak tag, or one that is not ours, matches no version. */
export function expectedVersions({ headers }: Request): number[] | undefined {
  const header = headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return undefined;
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag = ""]) =>
    weak === undefined && /^\d{1,9}$/.test(tag) ? [Number(tag)] : [],
  );
}

/** The answer about a row, with its version as ETag. */
export function tagged(text: string, isVersionShown: boolean): Response {
  const { version, ...others } = answerSchema.parse(JSON.parse(text));
  return jsonText(isVersionShown ? text : JSON.stringify(others), {
    headers: { etag: `"${version}"` },
  });
}
