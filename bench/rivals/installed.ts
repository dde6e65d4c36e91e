import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const names = ["graphile-worker", "pg-boss"];
const flags = ["--no-package-lock", "--ignore-scripts", "--loglevel=error"];

/** Other people's queues are packages of this folder alone: installed here when they are first measured against. */
export function areRivalsInstalled(): boolean {
  const folder = join(import.meta.dirname, "..");
  if (names.every((name) => existsSync(join(folder, "node_modules", name)))) return true;
  console.log(`     installing ${names.join(" and ")} into ${folder}`);
  const { status } = spawnSync("npm", ["install", ...flags], { cwd: folder, stdio: "inherit" });
  if (status !== 0) console.log("     left out: they could not be installed (is there a network?)");
  return status === 0;
}
