import { statfs } from "node:fs/promises";
import { personsVariables } from "./environment";
import { askIn } from "./find-program";

export const gigabyte = 1e9;

export function formatBytes(bytes: number): string {
  return bytes < gigabyte ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / gigabyte).toFixed(1)} GB`;
}

export async function bytesOf(folder: string): Promise<number> {
  const environment = personsVariables();
  // du complains about files that vanish; they do not count.
  const measured = await askIn({ program: "du", args: ["-sk", folder], folder: "/", environment });
  const [, kilobytes] = /^(\d+)\s/.exec(measured?.stdout ?? "") ?? [];
  if (kilobytes === undefined) throw new Error("du says nothing");
  return Number(kilobytes) * 1024;
}

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
