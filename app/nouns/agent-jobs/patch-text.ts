import type { DiffFile, JobDiff } from "~/wire/agent-jobs/job-diff";
import { parsePatch } from "~/wire/agent-jobs/patch";
import { quotedName, readHeadNames, readName } from "./git-name";

/** Input for `git apply`. Left out and named: half patches, as they would apply, and those of other files. */
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

/** True if the patch is complete and every name in it belongs to the file it is listed under. */
function isAboutItsFile({ path, old_path: oldPath = path }: DiffFile, text: string): boolean {
  const { headers, isWhole } = parsePatch(text);
  const heads = [path, oldPath].flatMap((old) =>
    [path, oldPath].map((next) => `diff --git ${quotedName(`a/${old}`)} ${quotedName(`b/${next}`)}`),
  );
  const names = new Map([
    ["---", [`a/${oldPath}`, "/dev/null"]],
    ["+++", [`b/${path}`, "/dev/null"]],
    ["rename from", [oldPath]],
    ["rename to", [path]],
    ["copy from", [oldPath]],
    ["copy to", [path]],
  ]);
  return (
    isWhole &&
    headers.length > 0 &&
    headers.every(
      ([head = "", ...lines]) =>
        heads.includes(plainHead(head)) &&
        lines.every((line) => {
          const [, word = "", name = ""] = /^(---|\+\+\+|(?:rename|copy) (?:from|to)) (.*?)\t?$/.exec(line) ?? [];
          return names.get(word)?.includes(readName(name)) ?? true;
        }),
    )
  );
}

/** The line as written with `core.quotePath=false`. */
function plainHead(head: string): string {
  const names = readHeadNames(head);
  return names === null ? head : `diff --git ${names.map(quotedName).join(" ")}`;
}

/** Escapes a name so that it cannot end its line. */
const shown = (name: string): string => JSON.stringify(name).slice(1, -1);
