// Entry of `npm run bench [http|pages|streams|jobs|growth|processes|soak] [part ...]`: builds what is stale, then runs the named
// benchmarks, or all of them one after the other, each against its bare reference program.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildIfStale } from "../app/cli/build.mjs";

const here = import.meta.dirname;
const all = ["http", "pages", "streams", "jobs", "growth", "processes"].filter((name) =>
  existsSync(join(here, name, "main.ts")),
);
/** Takes an hour unless it is told how many minutes, so it is only run when it is asked for. */
const alone = ["soak"];
const [first, ...parts] = process.argv.slice(2);
if (first !== undefined && ![...all, ...alone].includes(first)) {
  const names = [...all, ...alone].join(", ");
  process.stderr.write(`There is no benchmark "${first}"; choose one of ${names}.\n`);
  process.exit(1);
}

await buildIfStale("pages");
await buildIfStale("programs");

const tsx = join(here, "../node_modules/tsx/dist/cli.mjs");
for (const name of first === undefined ? all : [first]) {
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, [tsx, join(here, name, "main.ts"), ...parts], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
