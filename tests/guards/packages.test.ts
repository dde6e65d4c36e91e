import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "../..");
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
});

it("package-lock.json lists the binaries of every system, without which npm ci fails on others", () => {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const { packages } = lockSchema.parse(JSON.parse(text));
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});
