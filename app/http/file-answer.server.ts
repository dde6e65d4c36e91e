import type { z } from "zod";
import type { fileContentSchema } from "~/contract/file";

/** The content of a file never changes, so that its id is enough for a tag. */
export const fileTag = (id: string) => `"${id}"`;

/** A file as a browser shows or stores it; without content, that the one which it has is still right. */
export function fileAnswer(
  id: string,
  { name, type, content }: z.output<typeof fileContentSchema>,
  range: string | null,
): Response {
  const isShown = /^(image|video)\//.test(type);
  const headers = {
    "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${headerName(name)}`,
    // Whatever is in it, a browser shows it or stores it, and runs nothing. Where it shows a recording alone, it asks for it once more.
    "content-security-policy": type.startsWith("video/")
      ? "default-src 'none'; media-src 'self'"
      : "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    // Kept, and asked for each time: whoever leaves the product, or uses the browser next, sees nothing.
    "cache-control": "private, no-cache",
    etag: fileTag(id),
    "accept-ranges": "bytes",
  };
  if (content === null) return new Response(null, { status: 304, headers });
  const bytes = Buffer.from(content, "base64");
  const typed = {
    ...headers,
    "content-type": type === "text/plain" ? "text/plain; charset=utf-8" : type,
  };
  const part = partOf(range, bytes.length);
  if (part === "outside") {
    return new Response(null, {
      status: 416,
      headers: { ...typed, "content-range": `bytes */${bytes.length}` },
    });
  }
  const [from, to] = part ?? [0, bytes.length - 1];
  const body = bytes.subarray(from, to + 1);
  return new Response(body, {
    status: part ? 206 : 200,
    headers: {
      ...typed,
      "content-length": String(body.length),
      ...(part ? { "content-range": `bytes ${from}-${to}/${bytes.length}` } : {}),
    },
  });
}

/** First and last byte of the one part that is asked for; null for the whole. Players ask for parts, and some play nothing without. */
function partOf(range: string | null, length: number): [number, number] | "outside" | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,12})-(\d{0,12})$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return null;
  const from = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  return from >= length || from > to ? "outside" : [from, to];
}

/** What `filename*` takes as it is; encodeURIComponent leaves a few signs more. */
function headerName(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
