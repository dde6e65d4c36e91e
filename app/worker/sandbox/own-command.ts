import { askIn } from "../agents/find-program";
import { personsVariables } from "../job/environment";
import { WorkerProblem } from "../service/problems";
import { apartFromOutside } from "./inner-environment";
import type { Launch } from "./launch";
import type { Sandbox } from "./sandbox";

/** Sandbox with the user's own command line, which gets each program appended. */
export async function openOwnCommand(line: string, workDir: string): Promise<Sandbox> {
  await probe(line, workDir);
  const confine = async (launch: Launch) => {
    const { outside, inside } = apartFromOutside(launch.environment);
    const words = [...inside.map((pair) => pair.join("=")), launch.program, ...launch.words];
    return {
      ...launch,
      ...wrapped(line, { ...launch, program: "env", words }),
      environment: outside,
    };
  };
  const sandbox = {
    confine,
    variables: personsVariables,
    environment: (persons: Record<string, string>) => persons,
    close: async () => undefined,
  };
  return {
    confinement: "command",
    description: `sandbox of your own: ${line}`,
    leftOut: [],
    open: async () => ({ ...sandbox }),
  };
}

/** The folder is passed as an argument, so that the shell does not parse it. */
function wrapped(
  line: string,
  { folder, program, words }: Pick<Launch, "folder" | "program" | "words">,
) {
  const script = `worktree=$1; shift; ${line.replaceAll("{worktree}", '"$worktree"')} "$@"`;
  return { program: "/bin/sh", words: ["-c", script, "sandbox", folder, program, ...words] };
}

/** Runs `true` the way every program will be started. */
async function probe(line: string, folder: string): Promise<void> {
  const launch = wrapped(line, { folder, program: "true", words: [] });
  const told = await askIn({ ...launch, folder, environment: personsVariables() });
  if (told?.isWell) return;
  const said = told === null || told.output === "" ? "" : ` (${told.output.slice(-500)})`;
  throw new WorkerProblem(
    `--sandbox command: \`${line} true\` does not work here${said}. The line has to run the program that is put behind it, with the same input, output and exit code: correct it, or start the worker with --sandbox off, on a machine that has nothing to lose`,
  );
}
