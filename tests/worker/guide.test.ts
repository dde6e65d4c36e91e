import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { jobGuideSchema } from "~/wire/reviews/guide";
import { bearer } from "../setup/world";
import { openStage, type RunOptions, startRun } from "./fixture";

const { t, app, ada, token, repo, git, serveOnce } = await openStage();
writeFileSync(join(repo, "long.txt"), Array.from({ length: 60 }, (_, n) => `line ${n + 1}\n`).join(""));
writeFileSync(join(repo, ".backloom.yml"), "review_marks: { ci: [build/**], migration: [data/*.txt] }\n");
git("add", "--all");
git("commit", "--quiet", "-m", "Files to change");

/** What a person reads after a command that wrote this as its result. */
function guideAfter(code: string, result: object) {
  return guideOf({ code }, `echo one > one.txt; echo two > two.txt; ${resultIs(result)}`);
}

const resultIs = (result: object) => `cat > "$BACKLOOM_RESULT_FILE" <<'END'\n${JSON.stringify(result)}\nEND\n`;

async function guideOf({ code, ...wish }: RunOptions, write: string) {
  const run = await startRun(t, ada, { code, ...wish });
  const said = await serveOnce(code, ["--exec", write]);
  const [job] = (await run.read()).jobs;
  expect(job, said).toMatchObject({ status: "done" });
  const answer = await app.request(`/api/jobs/${job?.id}/guide`, { headers: bearer(token) });
  return jobGuideSchema.parse(await answer.json());
}

it("The guide of a result reaches the reviewer, cut to what the service takes", async () => {
  const parts = [{ path: "two.txt" }];
  const many = Array.from({ length: 25 }, (_, n) => ({ title: `${n} ${"x".repeat(200)}`, parts }));
  const { source, chapters } = await guideAfter("GUIDED", { verify_result: "ALIGNED", guide: many });
  expect(source).toBe("agent");
  const titles = chapters.map(({ title }) => title);
  expect([titles.length, titles[0], titles.at(-1)]).toEqual([21, `0 ${"x".repeat(118)}`, "Everything else"]);
}, 60_000);

it("The guide of a batch has its chapters task by task, with lines as later tasks moved them", {
  tags: "thorough",
}, async () => {
  const [first, second] = [
    [{ title: "Line 40", why: "It is first", parts: [{ path: "long.txt", from: 40, to: 40 }] }],
    [{ title: "The top", parts: [{ path: "long.txt", from: 1, to: 5 }] }],
  ];
  const write = [
    `if ! grep -q forty long.txt; then sed -i 's/line 40/forty/' long.txt; ${resultIs({ guide: first })}`,
    `elif ! grep -q top long.txt; then sed -i '1s/^/top\\ntop\\ntop\\n/; s/line 50/fifty/' long.txt; ${resultIs({ guide: second })}`,
    "else echo three > three.txt; fi",
  ].join("\n");
  const wish = { code: "BATCHED", strategy: "SPRINT_BATCH", tasks: 3 } as const;
  const { source, chapters } = await guideOf(wish, write);
  expect(source).toBe("agent");
  expect(chapters).toMatchObject([
    { title: "T-1 Line 40", why: "It is first", parts: [{ path: "long.txt", hunks: [1] }] },
    { title: "T-2 The top", parts: [{ path: "long.txt", hunks: [0] }] },
    { title: "T-3 Task 3", parts: [{ path: "three.txt", hunks: [0] }] },
    { title: "Everything else", rest: true, parts: [{ path: "long.txt", hunks: [2] }] },
  ]);
});

it("Each task of a batch is one chapter if they have more than a guide may hold", { tags: "thorough" }, async () => {
  const chapters = Array.from({ length: 12 }, (_, n) => ({
    title: `Chapter ${n}`,
    parts: [{ path: n === 0 ? "one.txt" : "two.txt" }],
  }));
  const write = `echo "$RANDOM" >> one.txt; echo more >> two.txt; ${resultIs({ guide: chapters })}`;
  const wish = { code: "LONG", strategy: "SPRINT_BATCH", tasks: 2 } as const;
  const told = await guideOf(wish, write);
  expect(told.chapters).toMatchObject([
    { title: "T-1 Chapter 0", parts: [{ path: "one.txt" }, { path: "two.txt" }] },
    { title: "T-2 Chapter 0", parts: [], shown_in: [0] },
  ]);
  expect(told.chapters[0]?.why).toContain("T-1 Chapter 11");
});

it("A diff has the paths marked that the main branch names, not those that the work itself names", async () => {
  const marksAfter = async (code: string, write: string) => {
    await guideOf({ code }, write);
    const rows = await t.query`select array(select jsonb_object_keys(d.marks)) as marks from job_diffs d join products p
      on p.id = d.product_id where p.code = ${code}`;
    return rows[0].marks;
  };
  const hide = "echo 'review_marks: { ci: [] }' > .backloom.yml; mkdir build; echo x > build/it.sh";
  expect(await marksAfter("MARKED", hide)).toContain("ci");
  expect(await marksAfter("UNMARKED", "echo x > it.sh")).not.toContain("ci");
});
