import { messageOf, WorkerProblem } from "./base/problems";
import { complain } from "./base/terminal";

const demoArg = "demo-agent";

/** Entry of `npm run worker`: the loop, or the demo command the loop starts. Each loads only what it needs. */
async function main(args: readonly string[]): Promise<void> {
  if (process.platform === "win32") {
    throw new WorkerProblem(
      "The worker runs on Linux and macOS. On Windows, install WSL (wsl --install) and start it in its shell.",
    );
  }
  if (args[0] === demoArg) {
    const { runDemoAgent } = await import("./demo-agent");
    return runDemoAgent(process.env);
  }
  const { serve } = await import("./serve");
  return serve(args, demoCommand);
}

/** The demo runs in its own process, like every other command. */
const demoCommand = [process.execPath, ...process.execArgv, process.argv[1] ?? "", demoArg]
  .map((arg) => `"${arg}"`)
  .join(" ");

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof WorkerProblem;
  complain(`${isExpected ? error.message : error instanceof Error ? error.stack : messageOf(error)}\n`);
  process.exitCode = 1;
}
