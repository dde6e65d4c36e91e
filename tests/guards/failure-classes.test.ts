import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { failureClasses } from "~/wire/agent-jobs/contract";

/** Files that give a job each class, and for what only. A new place is entered here with the reason why it fits. */
const uses: Record<(typeof failureClasses)[number], { means: string; where: string[] }> = {
  agent_error: {
    means: "the agent or its command failed, or left the work half done",
    where: `worker/job/batch-job.ts worker/job/chat-job.ts worker/job/run-job.ts worker/job/task-job.ts
      worker/job/turn/agent-turn.ts worker/job/turn/execute.ts worker/job/turn/plan-first.ts
      worker/job/verify-job.ts supabase/schemas/agent_jobs/report.sql supabase/schemas/questions/rules.sql
      supabase/schemas/tasks/rules.sql`.split(/\s+/),
  },
  verification_failed: {
    means: "the work is not what was to be done, or its test fails",
    where: ["worker/job/proof/inspect.ts", "worker/job/proof/on-delivered.ts"],
  },
  rate_limited: { means: "a model's limit: the tool said so (kind limit)", where: ["worker/job/turn/agent-turn.ts"] },
  infrastructure: {
    means: "machine, network or a lost lease",
    where: ["worker/job/run-job.ts", "supabase/schemas/agent_jobs/leases.sql"],
  },
  cancelled: {
    means: "a person, or the end of its run, cancelled it",
    where: `supabase/schemas/agent_jobs/failures.sql supabase/schemas/agent_jobs/operations.sql
      supabase/schemas/proof/phases.sql supabase/schemas/sprint_runs/stop.sql`.split(/\s+/),
  },
};

const files = ["worker", "supabase/schemas"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|sql)$/.test(file))
    .map((file) => [`${folder}/${file}`, readFileSync(`${folder}/${file}`, "utf8")] as const),
);

/** Whether a file gives a class; what only compares with one does not. */
function gives([file, text]: readonly [string, string], name: string): boolean {
  const ways = file.endsWith(".ts")
    ? [`failure_class(: | = )([^,;]* [?:] )?"${name}"`]
    : [`(set|,)[^;]*\\bfailure_class = (coalesce\\([^)]*)?'${name}'`, `:= coalesce\\(v_class, '${name}'`];
  const given = text.replace(/\b(where|when|and|or|if|case)\b[^;\n]*failure_class[^\n]*/g, "");
  return ways.some((way) => new RegExp(way).test(given));
}

it.each(failureClasses)("The failure class %s is given for one kind of failure only", (name) => {
  const found = files.filter((file) => gives(file, name)).map(([file]) => file);
  expect(found.sort(), uses[name].means).toEqual(uses[name].where.toSorted());
});

it("The failure class rate_limited is given in one place, where a tool has named its limit", () => {
  const [, text = ""] = files.find(([file]) => file === uses.rate_limited.where[0]) ?? [];
  const before = text.split('"rate_limited"');
  expect(before).toHaveLength(2);
  expect(before[0]).toMatch(/if \(end\.kind === "limit"\) \{\s+return outcome\(\{\s+failure_class: $/);
});

it.each(failureClasses)("Some test expects the failure class %s", (name) => {
  const tests = readdirSync("tests", { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".test.ts") && !file.includes("failure-classes"),
  );
  const using = tests.filter((file) =>
    new RegExp(`failure_class: "${name}"`).test(readFileSync(`tests/${file}`, "utf8")),
  );
  expect(using).not.toEqual([]);
});
