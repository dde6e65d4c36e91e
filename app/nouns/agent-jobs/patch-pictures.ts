import { inflateSync } from "node:zlib";
import { isPictureName, typeOf } from "~/wire/files/file-type";

export const pictureSides = ["old", "new"] as const;
export type PictureSide = (typeof pictureSides)[number];

/** Most bytes of a picture that is shown. */
const mostBytes = 1_048_576;

/** The sides of a binary file as git writes them; `bytes` is null for one that is too large, or a difference only. */
function contentsOf(patch: string) {
  const [next, old] = Array.from(
    patch.matchAll(/^(literal|delta) (\d{1,9})\n((?:\S+\n)*)/gm),
    ([, kind, size, text = ""]) => ({
      bytes: kind === "literal" && Number(size) <= mostBytes ? Number(size) : null,
      text,
    }),
  );
  return pictureSides.flatMap((side) => {
    const content = side === "old" ? old : next;
    return content === undefined || content.bytes === 0 ? [] : { side, ...content };
  });
}

/** What of a binary file may be drawn, as far as its name and its patch say. */
export function picturesOf({
  path,
  binary,
  patch = "",
}: {
  path: string;
  binary: boolean;
  patch?: string | undefined;
}) {
  if (!binary || !isPictureName(path)) return [];
  return contentsOf(patch).map(({ side, bytes }) => ({ side, bytes }));
}

/** A picture out of a patch that anyone may have written. Its content alone says what it is; null for anything else. */
export function pictureIn(patch: string, wanted: PictureSide) {
  const { bytes: most = null, text = "" } = contentsOf(patch).find(({ side }) => side === wanted) ?? {};
  if (most === null) return null;
  try {
    const bytes = inflateSync(packedBytes(text), { maxOutputLength: most });
    const type = typeOf(bytes);
    return type?.startsWith("image/") ? { type, size: bytes.length, content: bytes.toString("base64") } : null;
  } catch {
    return null;
  }
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Git's base85: a line begins with its length, `A` for 1 to `z` for 52, and five digits are four bytes. */
function packedBytes(text: string): Buffer {
  const lines = text.split("\n").map((line) => {
    const groups = line.slice(1).match(/.{5}/g) ?? [];
    const bytes = Buffer.alloc(groups.length * 4);
    for (const [at, group] of groups.entries()) {
      // Throws where it is more than four bytes; the checksum finds all else that is wrong.
      bytes.writeUInt32BE(
        Array.from(group).reduce((sum, digit) => sum * 85 + digits.indexOf(digit), 0),
        at * 4,
      );
    }
    return bytes.subarray(0, digits.indexOf(line.charAt(0)) - 9);
  });
  return Buffer.concat(lines);
}
