import { driverFor } from "../agents/catalog";
import type { WorkerOptions } from "../options";
import { WorkerProblem } from "../service/problems";
import { checkCommand } from "./check-command";
import { personsVariables } from "./environment";

/** Whether the agent can work at all, before a job is taken: nobody shall lose a retry because of what this machine lacks. */
export async function checkAgent({ work }: WorkerOptions): Promise<void> {
  if (!("agent" in work)) return checkCommand(work.exec);
  const environment = personsVariables();
  const driver = await driverFor(work.agent, undefined, environment);
  if ((await driver.find(environment)) === null) {
    throw new WorkerProblem(`${driver.title} is not installed on this machine: ${driver.install}`);
  }
  if ((await driver.isSignedIn(environment)) === false) {
    throw new WorkerProblem(`${driver.title} is not signed in on this machine: ${driver.signIn}`);
  }
}
