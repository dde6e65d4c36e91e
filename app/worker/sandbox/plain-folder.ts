import { lstat, mkdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";

/** Creates a folder below `home`. Replaces links on the way with real folders. */
export async function plainFolder(home: string, folder: string): Promise<void> {
  let place = home;
  for (const part of relative(home, folder).split("/")) {
    place = join(place, part);
    const found = await lstat(place).catch(() => null);
    if (found?.isDirectory()) continue;
    await rm(place, { force: true });
    await mkdir(place);
  }
}
