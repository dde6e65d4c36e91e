import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { makeSmallDisk } from "../../tests/setup/small-disk";
import { type Program, startService } from "../http/programs";
import { type Relay, startRelay } from "../processes/start-relay";
import { settings } from "./settings";

/** A data folder on a file system of its own that is small enough to be filled, where this may be made. */
export async function makeDataFolder() {
  const disk = makeSmallDisk(settings.diskMegabytes);
  const dataDir = disk?.folder ?? (await mkdtemp(join(tmpdir(), "backloom-soak-")));
  return {
    dataDir,
    hasOwnDisk: disk !== undefined,
    async remove() {
      if (disk) disk.remove();
      else await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The processes of the service behind one address. */
export class Processes {
  readonly #dataDir: string;
  readonly #env: Record<string, string>;
  readonly #ports: number[] = [];
  readonly #programs: Program[] = [];
  #relay: Relay | undefined;

  constructor(dataDir: string, env: Record<string, string>) {
    this.#dataDir = dataDir;
    this.#env = env;
  }

  async start(): Promise<void> {
    for (let n = 0; n < settings.processes; n++) {
      this.#ports.push(await findFreePort());
      this.#programs.push(await this.#startOne(n, 0));
    }
    this.#relay = await startRelay();
    await this.#relay.lead(this.#ports);
  }

  get port(): number {
    return this.#relay?.port ?? 0;
  }

  /** Each by itself, past the address before them. */
  get origins(): string[] {
    return this.#ports.map((port) => `http://127.0.0.1:${port}`);
  }

  memory(): Promise<(number | undefined)[]> {
    return Promise.all(this.#programs.map((program) => program.memory()));
  }

  async kill(n: number): Promise<void> {
    const { process: child } = this.#programs[n] ?? {};
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
    await ended;
  }

  /** Again at its port, with a clock that may be earlier or later than that of the database. */
  async startAgain(n: number, clockShiftSeconds = 0): Promise<void> {
    this.#programs[n] = await this.#startOne(n, clockShiftSeconds);
  }

  #startOne(n: number, clockShiftSeconds: number): Promise<Program> {
    return startService(this.#dataDir, this.#ports[n] ?? 0, {
      env: {
        ...this.#env,
        STREAMS_PER_USER: "20000",
        LOG_LEVEL: "fatal",
        BENCH_CLOCK_SHIFT_SECONDS: String(clockShiftSeconds),
      },
      imports: clockShiftSeconds === 0 ? [] : [join(import.meta.dirname, "shift-clock.mjs")],
    });
  }

  async stop(): Promise<void> {
    this.#relay?.stop();
    await Promise.all(this.#programs.map((program) => program.stop()));
  }
}
