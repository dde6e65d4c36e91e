import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitIn } from "../fixture";

/** `a.txt` and `b.txt` do not go together unless `both.txt` is there: each is right alone, and git merges them without a word. */
const check = `if [ -f a.txt ] && [ -f b.txt ] && [ ! -f both.txt ]; then echo "a and b without both"; exit 1; fi\n`;

/** The main branch of a repository that has a test and a line for two to fight over. */
export function writeRepository(folder: string, rules: string): void {
  writeFileSync(join(folder, ".backloom.yml"), rules);
  writeFileSync(join(folder, "check.sh"), check);
  writeFileSync(join(folder, "line.txt"), "begin\n");
  const git = gitIn(folder);
  git("add", ".");
  git("commit", "--quiet", "-m", "Rules");
}

/** What the agent of these tests does, by the title of its story and by what it is told when work returns. */
export function writeAgent(folder: string): { command: string; prompts: string } {
  const prompts = join(folder, "prompts.txt");
  const script = join(folder, "agent.sh");
  writeFileSync(
    script,
    `set -e
cat "$BACKLOOM_PROMPT_FILE" >> ${prompts}
has() { grep -q "$1" "$BACKLOOM_PROMPT_FILE"; }
main=$(git rev-parse --verify -q refs/remotes/origin/HEAD || git rev-parse main)
if [ -n "$(git ls-files --unmerged)" ]; then
  echo "one and two" > line.txt
elif has "does not merge with the main branch as it is now"; then
  git -c user.name=A -c user.email=a@b.c merge -q -X theirs -m "Merge main" "$main"
  echo resolved >> line.txt
elif has "fails its tests"; then
  git -c user.name=A -c user.email=a@b.c merge -q -m "Merge main" "$main"
  echo yes > both.txt
elif has "Add letter a"; then echo a > a.txt
elif has "Add letter b"; then echo b > b.txt
elif has "Say one"; then echo one > line.txt
elif has "Say two"; then echo two > line.txt
else echo x >> other.txt
fi
`,
  );
  return { command: `sh ${script}`, prompts };
}

/** Whether the check fails at any commit that the main branch of a bare repository ever was at. */
export function redCommits(bare: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "backloom-red-"));
  try {
    const commits = gitIn(bare)("rev-list", "--first-parent", "main").split("\n");
    return commits.filter((commit) => {
      const folderOfCommit = join(folder, commit);
      const shown = `mkdir ${folderOfCommit} && git archive ${commit} | tar -x -C ${folderOfCommit} && cd ${folderOfCommit}`;
      const args = ["-c", `${shown} && { [ ! -f check.sh ] || sh check.sh; }`];
      return spawnSync("sh", args, { cwd: bare }).status !== 0;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
