import { z } from "zod";
import { jsonText } from "./responses.server";

const answerSchema = z.looseObject({ version: z.int() });

/** Whether the request has `If-Match`. */
export function isConditional({ headers }: Request): boolean {
  return headers.has("if-match");
}

/**
 * Versions in `If-Match`; undefined (no condition) without the header or for `*`. A proxy that compresses makes our tag weak,
 * or adds how it did: the version in it is still exact. Foreign tags match none.
 */
export function expectedVersions({ headers }: Request): number[] | undefined {
  const header = headers.get("if-match")?.trim();
  if (header === undefined || header === "*") return undefined;
  return [...header.matchAll(/"(\d{1,9})(?:-\w{1,10})?"/g)].map(([, version]) => Number(version));
}

/** JSON response about a row, with its version as ETag. */
export function tagged(text: string, isVersionShown: boolean): Response {
  const { version, ...others } = answerSchema.parse(JSON.parse(text));
  return jsonText(isVersionShown ? text : JSON.stringify(others), {
    headers: { etag: `"${version}"` },
  });
}
