import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { readOptions } from "../../../worker/base/options";
import { openForge } from "../../../worker/forge/open-forge";
import { makeHome, makeRepository } from "../fixture";

const home = makeHome();
for (const [name, value] of Object.entries({ HOME: home, XDG_CONFIG_HOME: home, PATH: "/usr/bin:/bin" })) {
  vi.stubEnv(name, value);
}
const clone = (name: string, address: string): string => {
  const folder = join(home, name);
  makeRepository(folder)("remote", "add", "origin", address);
  return folder;
};
const own = clone("own", "https://git.example.com/acme/shop.git");

async function open(address: string, token: string, words: string[] = [], url?: string) {
  vi.stubEnv("BACKLOOM_FORGE_TOKEN", token);
  const folder = clone(`job-${Math.random()}`, address);
  const common = ["--url", "http://localhost:3000", "--token", "blm_x", "--exec", "true"];
  const options = readOptions([...common, ...words], { BACKLOOM_FORGE_URL: url });
  return openForge({ folder, remote: "origin", base: "origin" }, { forge: "forgejo" }, options);
}

it.each([
  ["the host of --repo", "https://git.example.com/acme/other.git", "secret", ["--repo", own]],
  ["github.com with a token of its form", "git@github.com:a/b.git", "ghp_secret", []],
  ["gitlab.com with a token of its form", "https://gitlab.com/a/b.git", "glpat-secret", []],
])("BACKLOOM_FORGE_TOKEN goes to %s", async (_what, address, token, words) => {
  await expect(open(address, token, words)).resolves.toBeDefined();
});

it.each([
  ["another repository's host beside --repo", "https://git.elsewhere.com/a/b.git", "secret", ["--repo", own]],
  ["the same host at another port", "https://git.example.com:8443/a/b.git", "secret", ["--repo", own]],
  ["a well-known host", "https://codeberg.org/a/b.git", "ghp_secret", []],
  ["another host than its form names", "https://gitlab.com/a/b.git", "ghp_secret", ["--repo", own]],
])("BACKLOOM_FORGE_TOKEN does not go to %s", async (_what, address, token, words) => {
  await expect(open(address, token, words)).rejects.toThrow(/no login for .* was found/);
});

it("BACKLOOM_FORGE_TOKEN goes to BACKLOOM_FORGE_URL, no matter what the remote says", async () => {
  const url = "https://git.example.com";
  const forge = await open("git@git.internal:a/b.git", "secret", [], url);
  expect(forge).toBeDefined();
});
