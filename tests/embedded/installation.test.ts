import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { ownDataDir } from "./own-stack";

it("The secrets of an installation are made once and readable by their owner alone", async () => {
  const dataDir = await ownDataDir();
  const first = await loadSecrets(dataDir);
  const file = join(dataDir, "secrets.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await chmod(file, 0o644);
  expect(await loadSecrets(dataDir)).toEqual(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it("Secrets in a damaged file are not replaced, because the data would be lost with them", async () => {
  const dataDir = await ownDataDir();
  const file = join(dataDir, "secrets.json");
  await writeFile(file, '{"jwtSecret": "short"}');
  await expect(loadSecrets(dataDir)).rejects.toThrow("is damaged");
  expect(await readFile(file, "utf8")).toBe('{"jwtSecret": "short"}');
});

it("The secrets of one installation differ from those of the next", async () => {
  const [one, other] = [await loadSecrets(await ownDataDir()), await loadSecrets(await ownDataDir())];
  for (const [name, secret] of Object.entries(one)) {
    expect(Object.entries(other)).not.toContainEqual([name, secret]);
  }
});

it("A free port is outside the range that the system gives to others", async () => {
  for (let round = 0; round < 20; round += 1) {
    const port = await findFreePort();
    expect(port).toBeGreaterThanOrEqual(15_000);
    expect(port).toBeLessThan(32_000);
  }
});
