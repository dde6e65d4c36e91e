import { lstatSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";

const tokenOf = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

function codexLogin(account: string, turn = 1): string {
  const claims = {
    sub: `user of ${account}`,
    exp: turn,
    "https://api.openai.com/auth": { chatgpt_account_id: account },
  };
  const [access_token, id_token] = [tokenOf({ ...claims, jti: turn }), tokenOf(claims)];
  const tokens = { id_token, access_token, refresh_token: `r${turn}`, account_id: account };
  return JSON.stringify({ OPENAI_API_KEY: null, tokens, last_refresh: `2026-01-0${turn}` });
}

const geminiLogin = (sub: string, turn = 1) =>
  JSON.stringify({
    access_token: `ya29.${turn}`,
    token_type: "Bearer",
    scope: "openid",
    expiry_date: turn,
    id_token: tokenOf({ sub, iat: turn }),
    refresh_token: "r",
  });

const claudeLogin = (organizationUuid: string, turn = 1) =>
  JSON.stringify({
    claudeAiOauth: {
      accessToken: `a${turn}`,
      refreshToken: `r${turn}`,
      expiresAt: turn,
      scopes: turn > 1 ? ["user:inference", "user:profile"] : ["user:inference"],
    },
    organizationUuid,
  });

const tools = [
  ["codex", ".codex/auth.json", codexLogin],
  ["gemini", ".gemini/oauth_creds.json", geminiLogin],
  ["claude", ".claude/.credentials.json", claudeLogin],
] as const;

describe.skipIf(sandboxProblem !== null)("the login of a tool in a sandbox", async () => {
  const { home, run, put } = await openSandboxScene();

  /** Lets a job of the tool leave this where its login was, and returns how the login is then. */
  async function leave(tool: string, name: string, login: string, script: string, open = false) {
    const file = put(`person/${name}`, login);
    const mount = open ? ["--mount", `${home}/${name.split("/")[0]}:rw`] : [];
    const { job, output } = await run(`${script}\necho x > x`, mount, {}, [], `${tool}-`);
    expect(job, output).toMatchObject({ status: "done" });
    expect(lstatSync(file).isFile()).toBe(true);
    return { kept: readFileSync(file, "utf8"), mode: lstatSync(file).mode & 0o777, output };
  }

  it.each(tools)("The login of %s is put back where a job left another account's", async (...of) => {
    const [tool, name, login] = of;
    const script = `printf %s '${login("other", 2)}' > "$HOME/${name}"`;
    const { kept, mode, output } = await leave(tool, name, login("own"), script);
    expect(kept, output).toBe(login("own"));
    expect(mode).toBe(0o600);
    expect(output).toContain(`After a program, ${name} was not the login of the same account`);
  });

  it.each(tools)("The login of %s is kept where the same account renewed it", async (...of) => {
    const [tool, name, login] = of;
    const script = `printf %s '${login("own", 2)}' > "$HOME/${name}"`;
    const { kept, output } = await leave(tool, name, login("own"), script);
    expect(kept, output).toBe(login("own", 2));
    expect(output).not.toContain("After a program");
  });

  it("The login of a tool is put back where only its access token is another account's", async () => {
    const [own, other] = [codexLogin("own"), codexLogin("other")].map((text) => JSON.parse(text));
    own.tokens.access_token = other.tokens.access_token;
    const script = `printf %s '${JSON.stringify(own)}' > "$HOME/.codex/auth.json"`;
    const left = await leave("codex", ".codex/auth.json", codexLogin("own"), script);
    expect(left.kept, left.output).toBe(codexLogin("own"));
  });

  it.each([
    ["a link", `printf %s '${codexLogin("own", 2)}' > there; ln -s "$PWD/there" auth.json`],
    ["a pipe", "mkfifo auth.json"],
    ["a folder", "mkdir -p auth.json/in"],
    ["nothing", "true"],
    ["what cannot be read", "printf '{' > auth.json"],
  ])("The login of a tool is put back where a job with its folder left %s", async (_what, script) => {
    const within = `(cd ${home}/.codex && rm auth.json && ${script})`;
    const left = await leave("codex", ".codex/auth.json", codexLogin("own"), within, true);
    expect(left.kept, left.output).toBe(codexLogin("own"));
    expect(left.output).toContain("After a program");
  });
});
