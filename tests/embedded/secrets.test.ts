import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { ownDataDir } from "./own-stack";

describe("the secrets of an installation", () => {
  it("are made once and readable by their owner alone", async () => {
    const dataDir = await ownDataDir();
    const first = await loadSecrets(dataDir);
    const file = join(dataDir, "secrets.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    expect(await loadSecrets(dataDir)).toEqual(first);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("are not replaced when their file is damaged, because the data would be lost to them", async () => {
    const dataDir = await ownDataDir();
    const file = join(dataDir, "secrets.json");
    await writeFile(file, '{"jwtSecret": "short"}');
    await expect(loadSecrets(dataDir)).rejects.toThrow("is damaged");
    expect(await readFile(file, "utf8")).toBe('{"jwtSecret": "short"}');
  });

  it("differ from one installation to the next", async () => {
    const [one, other] = [
      await loadSecrets(await ownDataDir()),
      await loadSecrets(await ownDataDir()),
    ];
    for (const [name, secret] of Object.entries(one)) {
      expect(Object.entries(other)).not.toContainEqual([name, secret]);
    }
  });
});
