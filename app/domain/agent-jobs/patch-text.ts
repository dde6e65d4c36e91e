import type { DiffFile, JobDiff } from "~/contract/job-diff";
import { parsePatch } from "~/contract/patch";

/**
 * A diff as `git apply` takes it. What is not whole is named and left out: half a patch would be applied as if it were all. A
 * patch that is about other files than it says is left out as well.
 */
export function patchText({ files, base_sha, head_sha }: JobDiff): string {
  const parts = files.map((file) => {
    const reason = reasonToLeaveOut(file);
    if (reason !== null) return `# ${shown(file.path)}: ${reason}\n`;
    return file.patch?.endsWith("\n") ? file.patch : `${file.patch}\n`;
  });
  return [`# ${base_sha}..${head_sha}\n`, ...parts].join("");
}

function reasonToLeaveOut(file: DiffFile): string | null {
  if (file.status === "submodule") return "a submodule, not shown";
  if (file.truncated) return "too large, not shown as a whole";
  if (file.patch === undefined) return file.binary ? "a binary file, not shown" : "not shown";
  return isAboutItsFile(file, file.patch) ? null : "not a patch of this file";
}

/** Whether a patch is whole, and every name in it is that of the file that it is listed under. */
function isAboutItsFile({ path, old_path: oldPath = path }: DiffFile, text: string): boolean {
  const { headers, isWhole } = parsePatch(text);
  const oldSide = quoted(`a/${oldPath}`);
  const newSide = quoted(`b/${path}`);
  const heads = [path, oldPath].flatMap((old) =>
    [path, oldPath].map((next) => `diff --git ${quoted(`a/${old}`)} ${quoted(`b/${next}`)}`),
  );
  const names = new Map([
    ["---", [oldSide, "/dev/null"]],
    ["+++", [newSide, "/dev/null"]],
    ["rename from", [quoted(oldPath)]],
    ["rename to", [quoted(path)]],
    ["copy from", [quoted(oldPath)]],
    ["copy to", [quoted(path)]],
  ]);
  return (
    isWhole &&
    headers.length > 0 &&
    headers.every(
      ([head = "", ...lines]) =>
        heads.includes(head) &&
        lines.every((line) => {
          const [, word = "", name = ""] =
            /^(---|\+\+\+|(?:rename|copy) (?:from|to)) (.*?)\t?$/.exec(line) ?? [];
          return names.get(word)?.includes(name) ?? true;
        }),
    )
  );
}

const escapes: Record<string, string> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\u000b": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A name as git writes it when it holds what would end a line or a quote (`core.quotePath=false`). */
function quoted(name: string): string {
  const escaped = name.replace(/[\p{Cc}"\\]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code > 0x7f) return character;
    return escapes[character] ?? `\\${code.toString(8).padStart(3, "0")}`;
  });
  return escaped === name ? name : `"${escaped}"`;
}

/** A name that cannot end its line. */
function shown(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}
