import type { FileType } from "./contract";

/** First bytes of each type; a space matches any byte. File names and client-sent types are not trusted. */
const beginnings: readonly [FileType, string][] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF    WEBP"],
  ["video/mp4", "    ftyp"],
  ["video/webm", "\x1aE\xdf\xa3"],
  ["application/pdf", "%PDF-"],
];

/** Returns the type of a file by its content, or null for types that are not accepted. */
export function typeOf(bytes: Uint8Array): FileType | null {
  for (const [type, beginning] of beginnings) {
    if ([...beginning].every((char, at) => char === " " || bytes[at] === char.charCodeAt(0))) return type;
  }
  return isText(bytes) ? "text/plain" : null;
}

/** Whether a file may be a picture; what is in it decides. */
export const isPictureName = (path: string): boolean => /\.(?:png|jpe?g|gif|webp)$/i.test(path);

/** Accepts any text, also markup and programs, because it is only ever served as plain text. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
