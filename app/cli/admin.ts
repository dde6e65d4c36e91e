import { runCommandLine } from "./run-command.server";
import { openTarget } from "./target.server";

/** Entry of `npm run admin`: one command, and the end. */
const { output, exitCode } = await runCommandLine(process.argv.slice(2), () =>
  openTarget(process.env),
);
// Everything is closed by now; timers of the libraries would only keep the person waiting.
process.stdout.write(`${output}\n`, () => process.exit(exitCode));
