import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { askAboutIdea } from "~/nouns/questions/operations.server";
import { tablesWith } from "../db/tables-with";
import { openStage, startRun } from "./fixture";
import { fakeAgent } from "./worker-process";

const { t, ada, actor, token, home, repo, git, serveOnce } = await openStage();

const key = Array.from({ length: 6 }, (_, line) => `MIIEvQIBADANBgkqhkiG9w0B${line}Zq`).join("\n");
/** One of each kind: what has a known shape, and what only --secret knows. */
const secrets = {
  own: token,
  other: "blm_AnotherTokenOfSomebody123456",
  openai: "sk-proj-0123456789abcdefABCDEF",
  github: "ghp_0123456789abcdefABCDEF0123456789",
  finegrained: "github_pat_0123456789abcdefABCDEF",
  pem: `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----`,
  named: "the moon is made of cheese",
  lines: 'first line of a secret\nsecond "line" of a secret',
};
/** What must be found nowhere: the whole of each, and the lines of those that have several. */
const hidden = Object.values(secrets).flatMap((secret) => secret.split("\n"));
const shapeless = hidden.filter((line) => !line.startsWith("-----"));

const file = join(home, "all-secrets");
writeFileSync(file, `${Object.values(secrets).join("\n")}\n`);
const print = `cat ${file}`;
const environment = { NAMED: secrets.named, LINES: secrets.lines };

async function workOnce(product: string, ...words: string[]) {
  await serveOnce(product, ["--secret", "NAMED", "--secret", "LINES", ...words], environment);
}

/** A result file that holds all of them in one of its texts. */
function saying(make: (everything: string) => object): string {
  const result = join(home, `result-${Math.random()}.json`);
  writeFileSync(result, JSON.stringify(make(Object.values(secrets).join("\n"))));
  return `cp ${result} "$BACKLOOM_RESULT_FILE"`;
}

it("Secrets of an agent, command, test, setup, result or commit are nowhere in the database", async () => {
  expect(await tablesWith(t, ["Begin"])).toEqual([]);
  await startRun(t, ada, { code: "CANARY" });
  expect((await tablesWith(t, ["Write a line"])).length).toBeGreaterThan(0);

  git("commit", "--quiet", "--allow-empty", "-m", "Rules come");
  writeFileSync(join(repo, ".backloom.yml"), `setup: ${print}\npr: ${print}; exit 1\n`);
  git("add", ".backloom.yml");
  git("commit", "--quiet", "-m", "Rules");

  const commit = `git add x; git -c user.name=A -c user.email=a@example.com commit -q -F ${file}`;
  await startRun(t, ada, { code: "DONE", product: { auto_pr: true } });
  const done = saying((everything) => ({ summary: everything }));
  await workOnce("DONE", "--exec", `${print}; ${print} >&2; ${print} > x; ${commit}; ${done}`, "--test", print);
  await startRun(t, ada, { code: "RED" });
  await workOnce("RED", "--exec", "echo x > x", "--test", `${print}; exit 1`);
  await startRun(t, ada, { code: "BROKEN" });
  await workOnce("BROKEN", "--exec", `yes 0123456789 | head -c 7000 >&2; ${print} >&2; exit 3`);
  await startRun(t, ada, { code: "ASKS" });
  const asking = saying((everything) => ({
    question: { question: everything, options: [{ label: secrets.openai, description: everything }] },
  }));
  await workOnce("ASKS", "--exec", asking);
  const { productId } = await startRun(t, ada, { code: "TALK" });
  const idea = await createIdea(actor, { product_id: productId, title: "Dark mode" });
  await askAboutIdea(actor, { idea_id: idea.id, question: "Is it much work?" });
  await workOnce("TALK", "--exec", print, "--kinds", "PLAN_CHAT");

  const place = join(home, "AGENT");
  mkdirSync(place);
  writeFileSync(join(place, "ending"), "secrets");
  await startRun(t, ada, { code: "AGENT" });
  writeFileSync(join(home, "list.json"), JSON.stringify(Object.values(secrets)));
  const agent = `acp:HOME="${place}" FAKE_SECRETS="$(cat ${join(home, "list.json")})" exec "${process.execPath}" "${fakeAgent}"`;
  await workOnce("AGENT", "--agent", agent);

  const rows = await t.query`select count(*)::int as jobs, sum(output_bytes)::int as bytes from job_attempts`;
  expect(rows[0].jobs).toBe(6);
  expect(rows[0].bytes).toBeGreaterThan(0);
  expect((await tablesWith(t, ["•••"])).length).toBeGreaterThan(0);
  expect(await tablesWith(t, shapeless)).toEqual([]);
}, 120_000);
