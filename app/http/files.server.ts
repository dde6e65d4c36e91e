import { json } from "@remix-run/node";
import type { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { deleteFile } from "~/nouns/files/operations.server";
import { takeFile } from "~/nouns/files/take-file.server";
import { ContractError } from "~/wire/errors";
import { fileForm, filePartLimit, type filePartSchema } from "~/wire/files/contract";
import { done, readForm, runOperation } from "./form-action.server";
import { readUploads } from "./request-body.server";

/** Reads a part of a file; of length 0, only what the file is. */
type ReadPart = (from: number, length: number) => Promise<z.output<typeof filePartSchema>>;

/** A file as a browser shows or stores it; without content, that the one which it has is still right. */
export async function fileAnswer({ method, headers: asked }: Request, id: string, read: ReadPart): Promise<Response> {
  const { name, type, size } = await read(0, 0);
  const isShown = /^(image|video)\//.test(type);
  // The content of a file never changes, so that its id is enough for a tag.
  const etag = `"${id}"`;
  const headers = {
    "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${headerName(name)}`,
    // Whatever is in it, a browser shows it or stores it, and runs nothing. Where it shows a recording alone, it asks for it once more.
    "content-security-policy": type.startsWith("video/")
      ? "default-src 'none'; media-src 'self'"
      : "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    // Kept, and asked for each time: anyone who leaves the product, or uses the browser next, sees nothing.
    "cache-control": "private, no-cache",
    etag,
    "accept-ranges": "bytes",
  };
  if (asked.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const typed = { ...headers, "content-type": type === "text/plain" ? "text/plain; charset=utf-8" : type };
  const part = partOf(asked.get("range"), size);
  if (part === "outside") {
    return new Response(null, { status: 416, headers: { ...typed, "content-range": `bytes */${size}` } });
  }
  const [from, to] = part ?? [0, size - 1];
  return new Response(method === "HEAD" ? null : await streamParts(read, from, to), {
    status: part ? 206 : 200,
    headers: {
      ...typed,
      "content-length": String(to - from + 1),
      ...(part ? { "content-range": `bytes ${from}-${to}/${size}` } : {}),
    },
  });
}

/** Reads the first part, so that a refusal is still sent, and each other one when the last was taken. */
async function streamParts(read: ReadPart, from: number, to: number): Promise<ReadableStream> {
  const readPart = async (at: number) => {
    const { content } = await read(at, Math.min(filePartLimit, to - at + 1));
    return Buffer.from(content ?? "", "base64");
  };
  const first = await readPart(from);
  let at = from;
  return new ReadableStream(
    {
      async pull(controller) {
        controller.enqueue(at === from ? first : await readPart(at));
        at += filePartLimit;
        if (at > to) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
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
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The forms about files of a story or task, for pages without script: with it, files go to `POST /api/files` one by one. */
export function fileIntents(actor: Actor, form: FormData, back: string) {
  return {
    "add-file": async () => {
      const uploads = await readUploads(form, "file");
      form.delete("file");
      try {
        await takeFile(actor, readForm(form, fileForm), uploads);
      } catch (error) {
        if (!(error instanceof ContractError) || error.status === 429) throw error;
        return json({ fileError: error.message }, error.status);
      }
      return done(form, `${back}#files`, "File added");
    },
    "delete-file": () => runOperation(actor, form, deleteFile, `${back}#files`, "File deleted"),
  };
}
