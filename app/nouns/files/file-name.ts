/** Control characters, halves of characters, quotes, and marks that turn the direction of writing ("exe.gpj" would read "jpg.exe"). */
const unwanted = /[\p{Cc}\p{Surrogate}"\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The name of a file as it is kept: the last part of a path, without what no file system and no header takes. */
export function fileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  return [...last.replace(unwanted, "")].slice(0, 200).join("").trim() || "file";
}
