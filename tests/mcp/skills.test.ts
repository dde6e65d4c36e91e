import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openApp } from "../setup/app";
import { bearer } from "../setup/world";

const { t, app } = await openApp();
const token = await t.createToken(await t.createUser());
const home = mkdtempSync(join(tmpdir(), "backloom-skills-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const names = ["plan-story", "split-epic", "take-next"];
const textOf = (name: string) => readFileSync(resolve("skills", name, "SKILL.md"), "utf8");

it.each(names)("The skill %s is at its address without a token, as it is in the package", async (name) => {
  const answer = await app.request(`/skills/${name}/SKILL.md`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("text/markdown");
  const text = await answer.text();
  expect(text).toBe(textOf(name));
  expect(text).toMatch(new RegExp(`^---\nname: ${name}\ndescription: .{1,1024}\n---\n`));
});

it("A skill that does not exist has no address", async () => {
  for (const name of ["constructor", "other", "..%2ftake-next"]) {
    expect((await app.request(`/skills/${name}/SKILL.md`)).status).toBe(404);
  }
});

it("Skills are listed and read over MCP, and not by workers", async () => {
  const ask = async (path: string, method: string, params: Record<string, unknown> = {}) => {
    const answer = await app.send(
      "POST",
      path,
      {
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      },
      {
        ...bearer(token),
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(typeof params.uri === "string" ? { "mcp-name": params.uri } : {}),
      },
    );
    return answer.json();
  };
  const { result } = await ask("/mcp", "skills/list");
  expect(result.skills.map((skill: { uri: string }) => skill.uri).sort()).toEqual(
    names.map((name) => `skill://${name}/SKILL.md`),
  );
  const uri = "skill://take-next/SKILL.md";
  expect(await ask("/mcp", "resources/read", { uri })).toMatchObject({
    result: { contents: [{ uri, text: textOf("take-next") }] },
  });
  expect(await ask("/mcp/worker", "skills/list")).toMatchObject({ error: { code: -32601 } });
});

it("Skills are installed for the tools on PATH alone, where each reads them", () => {
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const tool of ["claude", "codex"]) {
    writeFileSync(join(bin, tool), "#!/bin/sh\n");
    chmodSync(join(bin, tool), 0o755);
  }
  const install = () =>
    execFileSync(process.execPath, ["app/cli/launch.mjs", "skills", "install"], {
      env: { ...process.env, HOME: home, PATH: bin },
      encoding: "utf8",
    });
  expect(install()).toBe(
    `claude: ${names.join(", ")} in ${home}/.claude/skills\ncodex: ${names.join(", ")} in ${home}/.agents/skills\n`,
  );
  for (const folder of [".claude", ".agents"]) {
    const file = join(home, folder, "skills/take-next/SKILL.md");
    expect(readFileSync(file, "utf8")).toBe(textOf("take-next"));
  }
  expect(existsSync(join(home, ".config"))).toBe(false);
  // What a person wrote stays without a yes, and a link is not followed.
  const own = join(home, ".claude/skills/plan-story/SKILL.md");
  writeFileSync(own, "mine\n");
  const linked = join(home, ".claude/skills/take-next/SKILL.md");
  rmSync(linked);
  symlinkSync(join(home, "elsewhere"), linked);
  expect(install()).toContain("claude: left as they are: plan-story, take-next\n");
  expect(readFileSync(own, "utf8")).toBe("mine\n");
  expect(existsSync(join(home, "elsewhere"))).toBe(false);
  rmSync(bin, { recursive: true });
  expect(install).toThrow(/None of claude, codex, opencode is on PATH/);
});
