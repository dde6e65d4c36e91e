import { unzipSync } from "fflate";
import { ContractError } from "~/wire/errors";
import { importLimits } from "~/wire/transfers/contract";
import type { LeftOut } from "~/wire/transfers/left-out";

export type UploadedFile = { name: string; bytes: Uint8Array };

/** Files of a folder by their path in it, in the order of their paths. */
export type Folder = ReadonlyMap<string, Uint8Array>;

export const folderLimits = { files: 20_000, bytes: 1024 * 1024 } as const;

const tooLarge = `Files: larger than ${folderLimits.bytes / 1024} KiB`;

/** Reads a folder: a zip of it, or its files. Files that are too large or outside of it are counted. */
export function readFolder(files: readonly UploadedFile[], leftOut: LeftOut): Folder {
  const [first] = files;
  const isZip = files.length === 1 && first?.bytes[0] === 0x50 && first.bytes[1] === 0x4b;
  const given = isZip ? unzip(first.bytes, leftOut) : files.map(({ name, bytes }) => [name, bytes] as const);
  const folder: [string, Uint8Array][] = [];
  for (const [name, bytes] of given) {
    const path = name.replaceAll("\\", "/").replace(/^\.\//, "");
    if (leadsOut(path)) leftOut.add("Files: the path leads out of the folder", 1, name);
    else if (bytes.length > folderLimits.bytes) leftOut.add(tooLarge, 1, name);
    else folder.push([path, bytes]);
  }
  return new Map(folder.sort(([one], [other]) => byPath.compare(one, other)));
}

const byPath = new Intl.Collator("en", { numeric: true });

function leadsOut(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:/.test(path) || path.split("/").includes("..");
}

function unzip(bytes: Uint8Array, leftOut: LeftOut): [string, Uint8Array][] {
  let [size, packed, count] = [0, 0, 0];
  try {
    const entries = unzipSync(bytes, {
      // fflate allocates the sizes the zip declares, so more than that can never come out: of a stored entry its own, otherwise the original.
      filter: (entry) => {
        if (entry.name.endsWith("/")) return false;
        const most = Math.max(entry.size, entry.originalSize);
        count += 1;
        packed += entry.size;
        size += Math.min(most, folderLimits.bytes + 1);
        // Entries that lie over each other name the same bytes again and again.
        if (packed > bytes.length)
          throw new ContractError(422, "Entries of the zip file overlap. Create the file again, or import its parts.");
        if (count > folderLimits.files || size > importLimits.unpacked)
          throw new ContractError(422, "The zip unpacks to more than can be imported at once.");
        if (most > folderLimits.bytes) leftOut.add(tooLarge, 1, entry.name);
        return most <= folderLimits.bytes;
      },
    });
    return Object.entries(entries);
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(422, "The zip cannot be read. Pack the folder again.");
  }
}

/** The first group of a pattern, in the path that matches with the shortest one. */
export function rootOf(folder: Folder, pattern: RegExp): string | undefined {
  const roots = [...folder.keys()].flatMap((path) => {
    const found = pattern.exec(path);
    return found ? [found[1] ?? ""] : [];
  });
  return roots.toSorted((one, other) => one.length - other.length)[0];
}

/** The texts below a root that a pattern wants, by their path there; all others are counted. */
export function textsBelow(folder: Folder, root: string, wanted: RegExp, leftOut: LeftOut): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [path, bytes] of folder) {
    const inner = path.startsWith(root) ? path.slice(root.length) : path;
    if (!path.startsWith(root) || !wanted.test(inner)) {
      leftOut.add("Files of another kind", 1, path);
      continue;
    }
    const text = decodeText(bytes);
    if (text === null) leftOut.add("Files: neither UTF-8 nor UTF-16 text", 1, path);
    else texts.set(inner, text);
  }
  return texts;
}

/** The text of a file; null where it is neither UTF-8 nor UTF-16, which Windows marks at its beginning. */
export function decodeText(bytes: Uint8Array): string | null {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
}
