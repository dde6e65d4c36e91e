import { basename, dirname, join, resolve } from "node:path";
import { gitPaths } from "../../worker/git/git";
import { readHistory, saysSomething } from "../../worker/git/known-changes";
import { atMost } from "../at-most";
import { type Installation, withInstallation } from "../installation";
import { measure } from "./measure";
import { simulate } from "./simulate";

/** How good forecasts of files are in histories of repositories: this one's, or those of the folders that are named. */
async function main({ database, sql }: Installation): Promise<void> {
  const given = process.argv.slice(2);
  const folders = given.length > 0 ? given : [join(import.meta.dirname, "../..")];
  for (const folder of folders.map((one) => resolve(one))) {
    const name = basename(folder) === "repo" ? basename(dirname(folder)) : basename(folder);
    const changes = (await readHistory(folder, "HEAD", 4_000)).flatMap((change) => saysSomething(change)).reverse();
    const files = await gitPaths(folder, "ls-tree", "-r", "--name-only", "HEAD");
    console.log(`\n${name}: ${changes.length} changes, ${files.length} files`);
    await measure(sql, database, { folder, changes, count: atMost(400) });
    for (const workers of [3, 6]) await simulate(sql, database, { folder, changes, tasks: atMost(200), workers });
  }
}

await withInstallation(main);
