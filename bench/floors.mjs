import { existsSync, readFileSync } from "node:fs";

/** What `npm run bench` ends with: the floors that its parts wrote to this file, and how many of them are broken. */
export function readFloors(file) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const broken = lines.filter((line) => line.startsWith("BROKEN")).length;
  const count = `${lines.length - broken} floors held, ${broken} broken`;
  return { text: `\n== floors\n${lines.map((line) => `${line}\n`).join("")}${count}\n`, broken };
}
