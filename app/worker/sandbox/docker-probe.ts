import { ask, findProgram } from "../agents/find-program";
import { personsVariables } from "../job/environment";
import { WorkerProblem } from "../service/problems";

/** Returns the path of docker if it answers and has the image. Otherwise throws what to do. */
export async function probeDocker(image: string): Promise<string> {
  const environment = personsVariables();
  const program = await findProgram("docker", environment);
  if (program === null) throw problem("docker is not installed, or not on the PATH");
  const version = await ask(program, ["version"], environment);
  if (!version?.isWell) {
    throw problem(
      `docker does not answer${said(version)}: start its service, and see that \`docker version\` works for you without sudo`,
    );
  }
  const found = await ask(program, ["image", "inspect", image], environment);
  if (!found?.isWell) throw problem(`the image ${image} is not here: docker pull ${image}`);
  return program;
}

function problem(reason: string): WorkerProblem {
  return new WorkerProblem(
    `--sandbox docker: ${reason}. Or start the worker with --sandbox off, on a machine that has nothing to lose`,
  );
}

function said(told: { output: string } | null): string {
  return told === null || told.output === "" ? "" : ` (${told.output.slice(-300)})`;
}
