import type { FileType } from "./file";

/** How content of each type begins; a space stands for any byte. Names and what a client says of the type prove nothing. */
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

/** The type of a file by its content; null for what is not taken. */
export function typeOf(bytes: Uint8Array): FileType | null {
  for (const [type, beginning] of beginnings) {
    if ([...beginning].every((char, at) => char === " " || bytes[at] === char.charCodeAt(0))) {
      return type;
    }
  }
  return isText(bytes) ? "text/plain" : null;
}

/** Text of any kind, markup and programs too: it is only ever handed out as plain text. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
