import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

const root = join(import.meta.dirname, "../..");
const packages = z.record(z.string(), z.string());
const manifest = z
  .object({
    dependencies: packages,
    devDependencies: packages,
    overrides: z.record(z.string(), z.union([z.string(), packages])),
  })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

function installedVersion(name: string): string {
  const file = join(root, "node_modules", name, "package.json");
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}

/** Reasons in SECURITY.md: each line here keeps one open advisory out of reach. */
it.each([
  ["react-router", "6.30.6"],
  ["react-router-dom", "6.30.6"],
  ["@remix-run/router", "1.23.4"],
])("The package %s is overridden to %s, and installed in that version", (name, version) => {
  expect(manifest.overrides[name]).toBe(version);
  expect(installedVersion(name)).toBe(version);
});

it("Every dependency is pinned to an exact version", () => {
  const all = { ...manifest.dependencies, ...manifest.devDependencies };
  const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+/.test(version));
  expect(loose).toEqual([]);
});

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
